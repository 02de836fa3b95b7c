package dataop_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// modest is a dialect that sets columns and nothing else.
type modest struct{ *postgres.Dialect }

func (m modest) Tables() *backend.Tables {
	tables := *m.Dialect.Tables()
	tables.Assignments, tables.Upsert, tables.DistinctOn, tables.TextOfAll = tables.Assignments[:1], backend.NoUpsert, false, false
	return &tables
}

func TestWhatTheDatabaseLacksIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	dialect := func(*catalog.Source, json.RawMessage) (backend.Dialect, error) { return modest{postgres.New()}, nil }
	o := resolve.Options{Kinds: backend.NewKinds(&backend.Kind{Kind: metadata.KindNamed("postgres"), Dialect: dialect})}
	s.schema = resolve.Build(s.snapshot.Document, s.snapshot.Catalogs, nil, nil, o)
	require.Empty(t, s.schema.Inconsistencies())
	for body, want := range map[string][2]string{
		op("update", `{"table":"album","where":{},"$inc":{"id":1}}`): {`$.args["$inc"]`, `$inc is not supported by sources of kind "postgres"`},
		op("update", `{"table":"album","where":{},"$mul":{"id":1}}`): {`$.args["$mul"]`, `$mul is not supported by sources of kind "postgres"`},
		op("count", `{"table":"album","distinct":["id"]}`):           {"$.args.distinct", `distinct is not supported by sources of kind "postgres"`},
		op("select", `{"table":"album","columns":["id",{"name":"title","as_text":true}]}`): {
			"$.args.columns[1].as_text", `as_text is not supported by sources of kind "postgres"`,
		},
		op("insert", `{"table":"album","objects":[{"id":1}],"on_conflict":{"action":"ignore"}}`): {
			"$.args.on_conflict", `on_conflict is not supported by sources of kind "postgres"`,
		},
	} {
		_, err := s.run(t, admin, body)
		requireError(t, err, "not-supported", want[0], want[1], body)
	}
	_, err := s.run(t, admin, op("update", `{"table":"album","where":{"id":{"$eq":-1}},"$set":{"title":"x"}}`))
	require.NoError(t, err)
}
