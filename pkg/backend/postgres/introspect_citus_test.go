package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
)

// citusTables stands in for the view of the extension.
const citusTables = `CREATE TABLE tenant (id int PRIMARY KEY); CREATE TABLE country (code text PRIMARY KEY);
CREATE TABLE invoice (tenant_id int, id int, PRIMARY KEY (tenant_id, id)); CREATE TABLE note (id int); CREATE TABLE setting (id int);
CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.pool (id int);
CREATE VIEW citus_tables AS SELECT * FROM (VALUES
	('tenant'::regclass, 'distributed', 'id', 7), ('invoice', 'distributed', 'tenant_id', 7),
	('country', 'reference', '<none>', 2), ('setting', 'local', '<none>', 0), ('elsewhere.pool', 'schema', '<none>', 9)
) AS t (table_name, citus_table_type, distribution_column, colocation_id);`

func TestDistributionOfTables(t *testing.T) {
	t.Parallel()
	f := newFixture(t, citusTables, nil)
	o := Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return f.url, nil }, MaxConnections: 2}}}
	name := func(n string) catalog.Name { return catalog.Name{Schema: "public", Name: n} }
	want := map[catalog.Name]*catalog.Distribution{
		name("tenant"):                      {Placement: catalog.Distributed, Column: "id", Colocation: "7"},
		name("invoice"):                     {Placement: catalog.Distributed, Column: "tenant_id", Colocation: "7"},
		name("country"):                     {Placement: catalog.Reference},
		name("setting"):                     {Placement: catalog.Local},
		name("note"):                        {Placement: catalog.Local},
		{Schema: "elsewhere", Name: "pool"}: {Placement: catalog.Distributed, Colocation: "9"},
	}
	source, err := citus.open(o)
	require.NoError(t, err)
	defer source.Close()
	found, err := source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	for name, distribution := range want {
		require.Equal(t, distribution, found.Tables[name].Distribution, name)
	}
	part, err := source.(backend.PartIntrospector).IntrospectPart(t.Context(), backend.Part{Tables: []catalog.Name{name("invoice")}}, nil)
	require.NoError(t, err)
	require.Equal(t, want[name("invoice")], part.Tables[name("invoice")].Distribution)

	plain, err := f.source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	require.Nil(t, plain.Tables[name("tenant")].Distribution, "PostgreSQL spreads no tables")
	f.exec(t, "DROP VIEW citus_tables")
	without, err := source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	require.Nil(t, without.Tables[name("tenant")].Distribution, "the extension isn't installed")
}
