package resolve_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// versioned is a dialect that depends on what introspection found.
type versioned struct {
	*postgres.Dialect
	version int
}

func TestDialectsAreThoseOfTheirSources(t *testing.T) {
	t.Parallel()
	const tooOld = 3
	o := resolve.Options{Kinds: backend.NewKinds(&backend.Kind{
		Kind: metadata.KindNamed("postgres"),
		Dialect: func(c *catalog.Source, _ json.RawMessage) (backend.Dialect, error) {
			if c.Version == tooOld {
				return nil, apierror.New(apierror.NotSupported, "version 3 is too old")
			}
			return versioned{postgres.New(), c.Version}, nil
		},
	})}
	source := func(name string) *metadata.Source { return &metadata.Source{Name: name, Kind: "postgres"} }
	doc := &metadata.Document{Version: 3, Sources: []*metadata.Source{source("a"), source("b"), source("c")}}
	found := map[string]*catalog.Source{"a": {Version: 15}, "b": {Version: 16}, "c": {Version: tooOld}}
	s := resolve.Build(doc, found, nil, nil, o)
	require.Equal(t, versioned{postgres.New(), 15}, s.Source("a").Dialect)
	require.Equal(t, versioned{postgres.New(), 16}, s.Source("b").Dialect)
	require.Nil(t, s.Source("c"))
	list := s.Inconsistencies()
	require.Len(t, list, 1)
	require.Equal(t, "c", list[0].ID.Source)
	require.Contains(t, list[0].Reason, "version 3 is too old")

	found["c"] = &catalog.Source{Version: 16}
	s = resolve.Build(doc, found, nil, s, o)
	require.Empty(t, s.Inconsistencies())
	require.Equal(t, versioned{postgres.New(), 16}, s.Source("c").Dialect)
}
