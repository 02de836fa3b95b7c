package assist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/assist"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
)

// TestHintsOfInserts: an insert is destructive if it may change rows that there are, by whatever part of its text or of its variables.
func TestHintsOfInserts(t *testing.T) {
	t.Parallel()
	role := schema.New(schematest.Large(3), session.Admin, schema.Options{})
	const conflict = `on_conflict: {constraint: table_0000_pkey, update_columns: [title]}`
	for query, destructive := range map[string]bool{
		`mutation {insert_table_0000(objects: [{id: 1}]) {affected_rows}}`:                                                             false,
		`mutation ($id: Int!, $title: String) {insert_table_0000_one(object: {id: $id, title: $title, next: {data: {id: $id}}}) {id}}`: false,
		`mutation {insert_table_0000(objects: [{id: 1}], ` + conflict + `) {affected_rows}}`:                                           true,
		`mutation {insert_table_0002(objects: [{id: 1}, {id: 2, next: {data: {id: 1}, ` + conflict + `}}]) {affected_rows}}`:           true,
		`mutation ($rows: [table_0000_insert_input!]!) {insert_table_0000(objects: $rows) {affected_rows}}`:                            true,
		`mutation ($next: table_0001_obj_rel_insert_input) {insert_table_0000_one(object: {id: 1, next: $next}) {id}}`:                 true,
		`mutation ($data: jsonb) {insert_table_0000_one(object: {id: 1, data: $data}) {id}}`:                                           false,
		`mutation ($c: table_0000_on_conflict) {insert_table_0000_one(object: {id: 1}, on_conflict: $c) {id}}`:                         true,
	} {
		list, err := assist.Tools([]assist.Document{{Name: "add", Query: query}}, role, parse.Limits{Tokens: 1000}, "", 10)
		require.NoError(t, err)
		require.Len(t, list.Tools, 1, query)
		require.Equal(t, destructive, list.Tools[0].Destructive, query)
	}
}
