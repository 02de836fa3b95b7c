package postgres

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
)

// TestJoins compares Joins with the server: the server refuses every pair that Joins refuses, and Joins refuses all but a few of the
// pairs of built-in types that the server does.
func TestJoins(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TYPE mood AS ENUM ('happy'); CREATE TYPE size AS ENUM ('small')`, nil)
	var types []catalog.Type
	for _, name := range slices.Sorted(maps.Keys(equalities)) {
		types = append(types, catalog.Type{Name: name}, catalog.Type{Name: name, Dims: 1})
	}
	for _, name := range []string{"mood", "size"} {
		types = append(types, catalog.Type{Name: name, Schema: "public", Kind: catalog.TypeEnum})
	}
	types = append(types, catalog.Type{Name: "point"}, catalog.Type{Name: "oid"}, catalog.Type{Name: "int4range"})
	value := func(t catalog.Type) string {
		if t.IsArray() {
			return "'{}'::" + typeName(t)
		}
		return "NULL::" + typeName(t)
	}
	refused := 0
	for _, a := range types {
		for _, b := range types {
			_, err := f.db.Exec(t.Context(), fmt.Sprintf(`SELECT FROM (SELECT %s AS a, %s AS b) AS s WHERE a = b`, value(a), value(b)))
			if !New().Joins(a, b) {
				refused++
				require.ErrorContains(t, err, "operator", "%v = %v", a, b)
			} else if err != nil && !a.IsArray() && !b.IsArray() {
				_, x := equalityOf(a)
				_, y := equalityOf(b)
				mayDiffer := !x || !y || a.Name == "timetz" && b.Name == "interval" || a.Name == "interval" && b.Name == "timetz"
				require.True(t, mayDiffer, "%v = %v: %v", a, b, err)
			}
		}
	}
	require.Greater(t, refused, 500)
}

// TestJoinsByOwnOperators: where users have made built-in types comparable, nothing is refused.
func TestJoinsByOwnOperators(t *testing.T) {
	t.Parallel()
	const function = `CREATE FUNCTION same(uuid, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false';`
	kind := postgres.kind(nil, "")
	for sql, own := range map[string]bool{
		`CREATE EXTENSION citext; CREATE EXTENSION ltree`:                                                                                                   false,
		function + `CREATE OPERATOR = (LEFTARG = uuid, RIGHTARG = int, FUNCTION = same)`:                                                                    true,
		`CREATE FUNCTION number(uuid) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'; CREATE CAST (uuid AS int) WITH FUNCTION number(uuid) AS IMPLICIT`:   true,
		`CREATE FUNCTION number(uuid) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'; CREATE CAST (uuid AS int) WITH FUNCTION number(uuid) AS ASSIGNMENT`: false,
		function + `CREATE OPERATOR <> (LEFTARG = uuid, RIGHTARG = int, FUNCTION = same)`:                                                                   false,
	} {
		found, err := newFixture(t, sql, nil).source.Introspect(t.Context(), nil)
		require.NoError(t, err)
		d, err := kind.Dialect(found, nil)
		require.NoError(t, err)
		require.Equal(t, own, d.Joins(catalog.Type{Name: "uuid"}, catalog.Type{Name: "int4"}), sql)
		again, err := kind.Dialect(found, nil)
		require.NoError(t, err)
		require.Same(t, d, again, "what is unchanged is taken over")
	}
}
