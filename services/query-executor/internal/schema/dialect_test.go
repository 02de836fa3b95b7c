package schema_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/schema"
)

// modest is a dialect that has less than PostgreSQL, and orders NULL in another way.
type modest struct{ *postgres.Dialect }

func (modest) Kind() string { return "mssql" }

func (m modest) Operators(t catalog.Type) []*backend.Operator { return m.Dialect.Operators(t)[:2] }

func (m modest) Tables() *backend.Tables {
	all := m.Dialect.Tables()
	return &backend.Tables{
		Aggregates:  all.Aggregates[1:3], // max and min
		Assignments: all.Assignments[:2], // _set and _inc
		Ordering: []backend.Ordering{
			{Name: "asc", Description: "in ascending order, nulls first", NullsFirst: true}, {Name: "desc", Description: "in descending order", Desc: true},
		},
		Upsert:     backend.IfMatched,
		CountOne:   true,
		TypeSuffix: "_Modest",
	}
}

// twoDialects are two sources with the same tables, of PostgreSQL and of the modest dialect.
func twoDialects(t *testing.T) *schema.Role {
	t.Helper()
	doc := &metadata.Document{Version: 3}
	found := map[string]*catalog.Source{}
	for _, s := range []struct{ name, kind, prefix string }{{"default", "postgres", ""}, {"other", "mssql", "other_"}} {
		album := catalog.Name{Schema: "public", Name: s.prefix + "album"}
		track := catalog.Name{Schema: "public", Name: s.prefix + "track"}
		table := func(n catalog.Name) *catalog.Table {
			return &catalog.Table{
				Name: n, Kind: catalog.KindTable, Insertable: true, Updatable: true, Deletable: true,
				PrimaryKey: &catalog.Constraint{Name: n.Name + "_pkey", Columns: []string{"id"}},
				Columns: []*catalog.Column{
					{Name: "id", ID: "1", Type: catalog.Type{Name: "int4", ID: "23"}},
					{Name: "album_id", ID: "2", Type: catalog.Type{Name: "int4", ID: "23"}},
					{Name: "length", ID: "3", Type: catalog.Type{Name: "float8", ID: "701"}, Nullable: true},
					{Name: "data", ID: "4", Type: catalog.Type{Name: "jsonb", ID: "3802"}, Nullable: true},
				},
			}
		}
		found[s.name] = &catalog.Source{Tables: map[catalog.Name]*catalog.Table{album: table(album), track: table(track)}}
		doc.Sources = append(doc.Sources, &metadata.Source{Name: s.name, Kind: s.kind, Tables: []*metadata.Table{
			{Table: album, ArrayRelationships: []*metadata.Relationship{{Name: "tracks", Using: metadata.RelationshipUsing{
				Remote: &metadata.RemoteForeignKey{Table: track, Columns: []string{"album_id"}},
			}}}},
			{Table: track},
		}})
		found[s.name].Tables[track].ForeignKeys = []catalog.ForeignKey{
			{Name: "track_album", Target: album, Columns: []string{"album_id"}, TargetColumns: []string{"id"}},
		}
	}
	dialect := func(*catalog.Source, json.RawMessage) (backend.Dialect, error) { return modest{postgres.New()}, nil }
	resolved := resolve.Build(doc, found, nil, nil, resolve.Options{
		Kinds: backend.NewKinds(append(postgres.Kinds(os.LookupEnv, "test"), &backend.Kind{Kind: &metadata.Kind{Name: "mssql", DefaultSchema: "public"}, Dialect: dialect})...),
	})
	require.Empty(t, resolved.Inconsistencies())
	return schema.New(resolved, "admin", schema.Options{})
}

func inputNames(t *schema.Type) []string {
	var names []string
	for _, in := range t.Inputs() {
		names = append(names, in.Name)
	}
	return names
}

func fieldNames(t *schema.Type) []string {
	var names []string
	for _, f := range t.Fields() {
		names = append(names, f.Name)
	}
	return names
}

func argument(f *schema.Field, name string) *schema.Type {
	for _, in := range f.Args() {
		if in.Name == name {
			return in.Type.Named
		}
	}
	return nil
}

// Each dialect's comparisons and orders are types of their own, whichever source comes first.
func TestTypesOfDialectsDoNotMix(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"album", "other_album"} {
		r := twoDialects(t)
		require.NotNil(t, argument(r.Query().Field(first), "where").Input("id").Type.Named)

		mine := argument(r.Query().Field("album"), "where").Input("id").Type.Named
		require.Equal(t, "Int_comparison_exp", mine.Name)
		require.Contains(t, inputNames(mine), "_gt")
		theirs := argument(r.Query().Field("other_album"), "where").Input("id").Type.Named
		require.Equal(t, "Int_Modest_comparison_exp", theirs.Name)
		require.Equal(t, []string{"_eq", "_neq", "_is_null"}, inputNames(theirs))

		order := argument(r.Query().Field("album"), "order_by").Input("id").Type.Named
		require.Equal(t, "order_by", order.Name)
		require.Equal(t, schema.Order{}, order.Value("asc").Meaning)
		other := argument(r.Query().Field("other_album"), "order_by").Input("id").Type.Named
		require.Equal(t, "order_by_Modest", other.Name)
		require.Equal(t, schema.Order{NullsFirst: true}, other.Value("asc").Meaning)
		require.Nil(t, other.Value("asc_nulls_last"))
	}
}

// What a dialect doesn't have isn't offered for its tables.
func TestOnlyWhatADialectHasIsOffered(t *testing.T) {
	t.Parallel()
	r := twoDialects(t)
	for prefix, want := range map[string]struct {
		aggregates, update, conditions []string
		distinct, upsert, cast         bool
	}{
		"": {
			aggregates: []string{"avg", "count", "max", "min", "stddev", "stddev_pop", "stddev_samp", "sum", "var_pop", "var_samp", "variance"},
			update:     []string{"_append", "_delete_at_path", "_delete_elem", "_delete_key", "_inc", "_prepend", "_set"},
			conditions: []string{"tracks", "tracks_aggregate"},
			distinct:   true, upsert: true, cast: true,
		},
		"other_": {
			aggregates: []string{"count", "max", "min"},
			update:     []string{"_inc", "_set"},
			conditions: []string{"tracks"},
		},
	} {
		read := r.Query().Field(prefix + "album")
		require.Equal(t, want.distinct, argument(read, "distinct_on") != nil, prefix)
		where := argument(read, "where")
		var conditions []string
		for _, name := range inputNames(where) {
			if strings.HasPrefix(name, "tracks") {
				conditions = append(conditions, name)
			}
		}
		require.Equal(t, want.conditions, conditions, prefix)
		require.Equal(t, want.cast, where.Input("data").Type.Named.Input("_cast") != nil, prefix)

		aggregate := r.Query().Field(prefix + "album_aggregate").Type.Named.Field("aggregate").Type.Named
		require.ElementsMatch(t, want.aggregates, fieldNames(aggregate), prefix)

		var operators []string
		for _, in := range r.Mutation().Field("update_" + prefix + "album").Args() {
			if strings.HasPrefix(in.Name, "_") {
				operators = append(operators, in.Name)
			}
		}
		require.ElementsMatch(t, want.update, operators, prefix)
		require.Equal(t, want.upsert, argument(r.Mutation().Field("insert_"+prefix+"album"), "on_conflict") != nil, prefix)
	}
}

// A dialect without conflicts of constraints matches rows by columns: at the root alone, and for roles that may
// update and read.
func TestUpsertsByColumns(t *testing.T) {
	t.Parallel()
	r := twoDialects(t)
	insert := r.Mutation().Field("insert_other_album")
	clause := argument(insert, "if_matched")
	require.Equal(t, "other_album_if_matched", clause.Name)
	require.Equal(t, []string{"match_columns", "update_columns", "where"}, inputNames(clause))
	require.Equal(t, "[]", clause.Input("match_columns").Default)
	require.Equal(t, "other_album_insert_match_column", clause.Input("match_columns").Type.Named.Name)
	require.NotNil(t, clause.Input("match_columns").Type.Named.Value("album_id"))
	require.NotNil(t, argument(r.Mutation().Field("insert_other_album_one"), "if_matched"))
	nested := argument(insert, "objects").Input("tracks").Type.Named
	require.Equal(t, []string{"data"}, inputNames(nested))
	require.Nil(t, argument(r.Mutation().Field("insert_album"), "if_matched"))

	count := r.Query().Field("other_album_aggregate").Type.Named.Field("aggregate").Type.Named.Field("count")
	require.NotNil(t, argument(count, "column"))
	require.Nil(t, argument(count, "columns"))
}
