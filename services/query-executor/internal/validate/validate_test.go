package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
	"queryengine/services/query-executor/internal/validate"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	role := schema.New(schematest.Large(2), session.Admin, schema.Options{})
	for document, want := range map[string]string{
		`{table_0000 {id next {title previous {id}}}}`:                                        "",
		`query ($n: Int!) {table_0000(limit: $n, where: {id: {_eq: $n}}) {data(path: "a")}}`:  "",
		`{__schema {types {name}} __typename}`:                                                "",
		`mutation {delete_table_0001(where: {}) {affected_rows returning {id}}}`:              "",
		`subscription {table_0000 {id}}`:                                                      "",
		`query a {table_0000 {...f}} query b {table_0001 {id}} fragment f on table_0000 {id}`: "",
		`{table_0000 {... on table_0000 {id} ... {title}}}`:                                   "",
		`{none}`:                                              "field 'none' not found in type: 'query_root'",
		`{table_0000 {next {none}}}`:                          "field 'none' not found in type: 'table_0001'",
		`{table_0000(first: 1) {id}}`:                         "'table_0000' has no argument named 'first'",
		`{table_0000 {... {none}}}`:                           "field 'none' not found in type: 'table_0000'",
		`mutation {none}`:                                     "field 'none' not found in type: 'mutation_root'",
		`subscription {none}`:                                 "field 'none' not found in type: 'subscription_root'",
		`query a {table_0000 {id}} query b {none}`:            "field 'none' not found in type: 'query_root'",
		`{table_0000 {...f}} fragment f on table_0000 {none}`: "field 'none' not found in type: 'table_0000'",
		`{table_0000(limit: $n) {id}}`:                        `unbound variable "n"`,
		`query ($w: table_0000_bool_exp!) {table_0000(where: {_or: [$w]}, distinct_on: [id]) {id}}`: "",
		`{`: "parsing the graphql query failed",
	} {
		require.Equal(t, want, validate.Check(document, role, parse.Limits{Tokens: 1000}), document)
	}
}

// TestWhole: names in literals and types of variables are for assistants alone.
func TestWhole(t *testing.T) {
	t.Parallel()
	role := schema.New(schematest.Large(2), session.Admin, schema.Options{})
	limits := parse.Limits{Tokens: 1000}
	for document, want := range map[string]string{
		`{table_0000(where: {_and: [{none: {_eq: 1}}]}) {id}}`:                                      "field 'none' not found in type: 'table_0000_bool_exp'",
		`{table_0000(where: {_and: {id: {none: 1}}}) {id}}`:                                         "field 'none' not found in type: 'Int_comparison_exp'",
		`{table_0000(distinct_on: none) {id}}`:                                                      "expected one of the values ['id', 'next_id', 'title', 'note', 'price', 'count', 'active', 'born', 'seen_at', 'data', 'tags', 'code'] for type 'table_0000_select_column', but found 'none'",
		`query ($w: table_0001_bool_exp!) {table_0000(where: {_not: $w}) {id}}`:                     "variable 'w' is declared as 'table_0001_bool_exp!', but used where 'table_0000_bool_exp' is expected",
		`query ($w: table_0000_bool_exp!) {table_0000(where: {_or: [$w]}, distinct_on: [id]) {id}}`: "",
		`{table_0000 {none}}`: "field 'none' not found in type: 'table_0000'",
	} {
		require.Equal(t, want, validate.Whole(document, role, limits), document)
		if strings.Contains(document, "(") {
			require.Empty(t, validate.Check(document, role, limits), document)
		}
	}
}
