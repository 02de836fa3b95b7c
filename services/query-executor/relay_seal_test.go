package queryexecutor

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/seal"
)

const relayCases = "testdata/cases/relay"

var (
	relaySecret    = strings.Repeat("k", 32)
	newRelaySecret = strings.Repeat("l", 32)
)

// requireSealed holds that an id or a cursor is base64 that holds nothing that can be read.
func requireSealed(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		raw, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		require.Len(t, raw, len(raw)/64*64+12+16, "a nonce, whole blocks and a tag")
		require.False(t, json.Valid(raw))
		for _, readable := range []string{"public", "artist", "chart", "week"} {
			require.NotContains(t, string(raw), readable)
		}
	}
}

// TestSealedPagesMakeTheWhole holds for roles that may not read keys what TestPagesMakeTheWhole
// holds for others.
func TestSealedPagesMakeTheWhole(t *testing.T) {
	t.Parallel()
	e := newFixture(t, relayCases, Config{RelayKeys: relaySecret})
	for _, c := range []struct{ role, field, arguments string }{
		{"guest", "artist_connection", "where: {}"},
		{"guest", "artist_connection", "order_by: {rating: asc}"},
		{"guest", "artist_connection", "order_by: [{rating: desc_nulls_last}, {since: asc}]"},
		{"guest", "album_connection", "order_by: {label: desc}"},
		{"guest", "album_connection", "distinct_on: label"},
		{"guest", "albums_like_connection", `args: {pattern: "%"}, order_by: {label: desc}`},
		// A part of the key is seen, and a key that is seen in some rows.
		{"guest", "chart_connection", "order_by: {country: desc}"},
		{"masked", "artist_connection", "order_by: {id: asc}"},
		{"masked", "artist_connection", "distinct_on: id"},
		{"masked", "artist_connection", "order_by: {name: desc}"},
	} {
		whole := requirePages(t, e, c.role, c.field, c.arguments)
		for _, edge := range whole.Edges {
			requireSealed(t, edge.Cursor, edge.Node.ID)
		}
	}
}

func TestSealedIDsAreFound(t *testing.T) {
	t.Parallel()
	e := newFixture(t, relayCases, Config{RelayKeys: relaySecret})
	other := newFixture(t, relayCases, Config{RelayKeys: relaySecret})
	rotated := newFixture(t, relayCases, Config{RelayKeys: newRelaySecret + "," + relaySecret})
	replaced := newFixture(t, relayCases, Config{RelayKeys: newRelaySecret})
	node := func(e *Executor, role, id string) string {
		return string(answerRelay(t, e, role, fmt.Sprintf("{ node(id: %q) { id ... on artist { name } } }", id)))
	}
	visitors := readPage(t, e, "visitor", "artist_connection", "order_by: {name: asc}").ids()
	guests := readPage(t, e, "guest", "artist_connection", "order_by: {name: asc}").ids()
	require.Len(t, visitors, 5)
	require.Len(t, guests, 4)
	require.JSONEq(t, fmt.Sprintf(`{"data": {"node": {"id": %q, "name": "Ada"}}}`, visitors[0]), node(e, "visitor", visitors[0]))
	require.Equal(t, guests, readPage(t, other, "guest", "artist_connection", "order_by: {name: asc}").ids(), "executors seal alike")
	require.Equal(t, node(e, "guest", guests[0]), node(other, "guest", guests[0]))

	// Once the key is replaced, ids are new ones and the old ones still count.
	now := readPage(t, rotated, "guest", "artist_connection", "order_by: {name: asc}")
	require.NotEqual(t, guests, now.ids())
	require.JSONEq(t, fmt.Sprintf(`{"data": {"node": {"id": %q, "name": "Bea"}}}`, now.ids()[0]), node(rotated, "guest", guests[0]))
	old := readPage(t, e, "guest", "artist_connection", "first: 2, order_by: {name: asc}").PageInfo.EndCursor
	require.Equal(t, now.ids()[2:], readPage(t, rotated, "guest", "artist_connection", fmt.Sprintf("after: %q, order_by: {name: asc}", old)).ids())
	require.Contains(t, node(replaced, "guest", guests[0]), "Failed reading: not a valid json value")

	// A change of the role's permissions hides rows from clients that have their ids.
	hidden := sealedID(t, "guest", `[1, "public", "artist", 1]`, "int4")
	require.JSONEq(t, `{"data": {"node": null}}`, node(e, "guest", hidden))
	// A value that no longer fits the key would be shown by the error.
	stale := sealedID(t, "guest", `[1, "public", "artist", "secret"]`, "text")
	require.Contains(t, node(e, "guest", stale), "invalid node id: Error in $: Failed reading: not a valid json value")
	// Plain ids of such a table would let keys be guessed; ids of others aren't taken.
	plain := base64.StdEncoding.EncodeToString([]byte(`[1, "public", "artist", 2]`))
	require.JSONEq(t, `{"code": "validation-failed", "path": "$.selectionSet.node.args.id", "error": "invalid node id: no such table found: 'public.artist'"}`,
		node(e, "guest", plain))
	require.JSONEq(t, `{"data": {"node": {"id": "`+plain+`", "name": "Bea"}}}`, node(e, "clerk", plain), "a role that reads the key")
	for _, id := range []string{visitors[1], tampered(guests[0]), guests[0][:len(guests[0])-8]} {
		require.Contains(t, node(e, "guest", id), "invalid node id: Error in $: Failed reading: not a valid json value")
	}
	require.Contains(t, node(e, "clerk", guests[0]), "invalid node id: Error in $: Failed reading: not a valid json value")

	inserted := answerRelay(t, e, "guest", `mutation { insert_chart_one(object: {country: "it", week: 9, song: "Nove"}) { id song } }`)
	var body struct {
		Data struct {
			Row struct{ ID string } `json:"insert_chart_one"`
		}
	}
	require.NoError(t, json.Unmarshal(inserted, &body), string(inserted))
	requireSealed(t, body.Data.Row.ID)
	require.JSONEq(t, `{"data": {"node": {"song": "Nove"}}}`,
		string(answerRelay(t, e, "guest", fmt.Sprintf("{ node(id: %q) { ... on chart { song } } }", body.Data.Row.ID))))
}

func TestSealedCursorsBelong(t *testing.T) {
	t.Parallel()
	e := newFixture(t, relayCases, Config{RelayKeys: relaySecret})
	guests := readPage(t, e, "guest", "artist_connection", "first: 1").PageInfo.EndCursor
	visitors := readPage(t, e, "visitor", "artist_connection", "first: 1").PageInfo.EndCursor
	albums := readPage(t, e, "guest", "album_connection", "first: 1").PageInfo.EndCursor
	id := readPage(t, e, "guest", "artist_connection", "first: 1").ids()[0]
	plain := base64.StdEncoding.EncodeToString([]byte(`{"" : {"id" : 2}, "id" : 2}`))
	for _, cursor := range []string{visitors, albums, id, plain, tampered(guests), "", "?"} {
		require.JSONEq(t, `{"code": "validation-failed", "path": "$.selectionSet.artist_connection.args", "error": "the \"after\" or \"before\" cursor is invalid"}`,
			string(answerRelay(t, e, "guest", fmt.Sprintf("{ artist_connection(after: %q) { edges { cursor } } }", cursor))), cursor)
	}
	// What the role sees as "id" is never compared with the key in a cursor.
	masked := readPage(t, e, "masked", "artist_connection", "first: 1").PageInfo.EndCursor
	require.Contains(t, string(answerRelay(t, e, "masked", fmt.Sprintf("{ artist_connection(order_by: {id: asc}, after: %q) { edges { cursor } } }", masked))),
		"cursor is invalid")
}

// TestSealedSubscriptions holds that subscriptions, whose JSON the database makes, have the same
// ids and cursors as queries, each role its own.
func TestSealedSubscriptions(t *testing.T) {
	t.Parallel()
	g := newGatewayTo(t, relayCases, Config{RelayKeys: relaySecret})
	const read = `{ artist_connection(first: 2, order_by: {name: desc}) { pageInfo { startCursor endCursor } edges { cursor node { id name } } } }`
	roles := []string{"visitor", "twin", "guest", "masked"}
	for id, role := range roles {
		s := &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}
		q := &request{session: s, text: "subscription " + read, live: true, relay: true}
		sub, err := g.e.subscription(t.Context(), q)
		require.NoError(t, err)
		require.NoError(t, g.e.live.Join("g", uint64(id), sub))
	}
	seen := map[string]bool{}
	for id, role := range roles {
		data := string(g.await(uint64(id), 1)[0].GetData())
		require.NotContains(t, data, "seal:")
		require.JSONEq(t, string(answerRelay(t, g.e, role, read)), data)
		require.False(t, seen[data])
		seen[data] = true
	}
}

func TestNoKeysNoSealedIDs(t *testing.T) {
	t.Parallel()
	e := newFixture(t, relayCases, Config{})
	require.Contains(t, string(answerRelay(t, e, "guest", "{ artist_connection { edges { cursor } } }")),
		"field 'artist_connection' not found in type: 'query_root'")
}

// sealedID is a global id of an artist with that text, of when the key had that type.
func sealedID(t *testing.T, role, text, keyType string) string {
	t.Helper()
	keys, err := seal.New(relaySecret)
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(keys.For("id", role, "default", "public", "artist", "id", "", keyType, "0").Seal(nil, []byte(text)))
}

// tampered is base64 of bytes of which one is another one.
func tampered(text string) string {
	raw, _ := base64.StdEncoding.DecodeString(text)
	raw[len(raw)/2] ^= 1
	return base64.StdEncoding.EncodeToString(raw)
}
