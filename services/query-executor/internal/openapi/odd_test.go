package openapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Stored queries may be anything that can be parsed: the schema changes under them. None of them
// takes the document away from the others.
func TestOddQueriesAreDescribed(t *testing.T) {
	t.Parallel()
	for _, query := range []string{
		`query ($x: table_0000!) { table_0000 { id } }`,
		`query ($x: query_root) { table_0000 { id } }`,
		`query ($x: [[Int]!] = [[1, null]], $y: table_0000_bool_exp = {id: {_eq: 1}}, $z: order_by! = asc) { table_0000 { id } }`,
		`query ($x: Int = "text", $y: Int = null, $z: String = 1.5) { table_0000 { id } }`,
		`query ($x: Int, $x: String) { table_0000 { id } }`,
		`{ table_0000 }`,
		`{ table_0000 { id { deeper } } }`,
		`{ table_0000 { ...nowhere } }`,
		`{ ...nowhere }`,
		`{ ...f } fragment f on nothing { a { b } }`,
		`{ ...f } fragment f on query_root { ...g } fragment g on query_root { ...f }`,
		`{ table_0000 { ...f } } fragment f on table_0000 { next { ...f } }`,
		`{ __schema { types { name fields { args { name } } } } __typename { x } }`,
		`{ a: table_0000 { id } a: table_0000_aggregate { aggregate { count } } }`,
		`{ a: __typename a: table_0000 { id } }`,
		`mutation { nothing }`,
		`mutation ($o: [table_0000_insert_input!]!) { insert_table_0000(objects: $o) { returning { id } affected_rows } }`,
	} {
		for _, method := range []string{"GET", "POST"} {
			doc := describe(t, "books/:x", method, query)
			require.Equal(t, "3.0.0", at(t, doc, "openapi"), query)
		}
	}
}
