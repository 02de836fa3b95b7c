package kind_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/metadata"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestOpen(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	kinds := kind.All(func(name string) (string, bool) { return url, name == "SHOP_URL" }, "test")
	for name, k := range kinds {
		require.Equal(t, name, k.Name)
		d, err := kinds.Dialect(name, nil, nil)
		require.NoError(t, err)
		require.Equal(t, name, d.Kind())
		again, err := kinds.Dialect(name, nil, nil)
		require.NoError(t, err)
		require.Equal(t, d, again, "dialects of one catalog are equal")
	}
	for _, k := range metadata.KnownKinds() {
		require.Contains(t, kinds, k.Name, "each known kind has a backend")
	}
	source := &metadata.Source{Name: "shop", Kind: "postgres"}
	source.Configuration = json.RawMessage(`{"connection_info": {"database_url": {"from_env": "SHOP_URL"}}}`)
	s, err := kinds.Open(source)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Ping(t.Context()))

	_, err = kinds.Open(&metadata.Source{Kind: "abacus"})
	require.ErrorContains(t, err, `sources of kind "abacus" are not supported`)
}
