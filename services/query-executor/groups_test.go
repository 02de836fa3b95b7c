package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGroupsAreFollowed: subscribers with different values follow groups, and hear of nothing that changes in rows that they can't see.
func TestGroupsAreFollowed(t *testing.T) {
	t.Parallel()
	g := newGatewayTo(t, "testdata/cases/groups", Config{})
	const text = `subscription ($most: Int!, $count: Int!) {
		groups: sale_groups(keys: [region], where: {units: {_lte: $most}}, having: {count: {_gte: $count}}, order_by: {key: {region: asc}}) {
			key { region } aggregate { count sum { units } }
		}
	}`
	require.NoError(t, g.subscribe(1, "clerk", text, `{"most": 10, "count": 1}`, nil))
	require.NoError(t, g.subscribe(2, "clerk", text, `{"most": 2, "count": 1}`, nil))
	require.JSONEq(t, `{"data":{"groups":[{"key":{"region":"north"},"aggregate":{"count":2,"sum":{"units":4}}}]}}`, string(g.await(1, 1)[0].GetData()))
	require.JSONEq(t, `{"data":{"groups":[{"key":{"region":"north"},"aggregate":{"count":1,"sum":{"units":1}}}]}}`, string(g.await(2, 1)[0].GetData()))
	runSQL(t, g.e, `UPDATE sale SET units = 1, region = 'east' WHERE owner = 2`) // another role's
	runSQL(t, g.e, `UPDATE sale SET units = 5 WHERE id = 3`)
	require.JSONEq(t, `{"data":{"groups":[{"key":{"region":"north"},"aggregate":{"count":2,"sum":{"units":4}}},`+
		`{"key":{"region":"south"},"aggregate":{"count":1,"sum":{"units":5}}}]}}`, string(g.await(1, 2)[1].GetData()))
	runSQL(t, g.e, `UPDATE sale SET units = 2 WHERE id = 3`)
	require.JSONEq(t, `{"data":{"groups":[{"key":{"region":"north"},"aggregate":{"count":1,"sum":{"units":1}}},`+
		`{"key":{"region":"south"},"aggregate":{"count":1,"sum":{"units":2}}}]}}`, string(g.await(2, 2)[1].GetData()))
}

// TestJSONPartsAreFollowed: subscribers follow rows by parts of JSON values.
func TestJSONPartsAreFollowed(t *testing.T) {
	t.Parallel()
	g := newGatewayTo(t, jsonFeature, Config{})
	restore(t, g.e, jsonFeature)
	const text = `subscription ($least: Int!) {
		doc(where: {meta: {_at: {path: ["size"], int: {_gte: $least}}}}, order_by: {_at: {meta: {path: ["size"], float: desc}}}) { id }
	}`
	require.NoError(t, g.subscribe(1, "clerk", text, `{"least": 3}`, nil))
	require.NoError(t, g.subscribe(2, "clerk", text, `{"least": 5}`, nil))
	require.JSONEq(t, `{"data":{"doc":[{"id":2},{"id":1}]}}`, string(g.await(1, 1)[0].GetData()))
	require.JSONEq(t, `{"data":{"doc":[{"id":2}]}}`, string(g.await(2, 1)[0].GetData()))
	runSQL(t, g.e, `UPDATE doc SET meta = '{"size": 11}' WHERE id IN (3, 4)`)
	require.JSONEq(t, `{"data":{"doc":[{"id":3},{"id":2},{"id":1}]}}`, string(g.await(1, 2)[1].GetData()))
	require.JSONEq(t, `{"data":{"doc":[{"id":3},{"id":2}]}}`, string(g.await(2, 2)[1].GetData()))
}
