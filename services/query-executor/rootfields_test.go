package queryexecutor

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// permitSelect gives an executor the metadata of a feature with another select permission for a role
// on a table.
func permitSelect(t *testing.T, e *Executor, feature, table, role, permission string) {
	t.Helper()
	doc, err := metadata.Parse(readFile(t, filepath.Join(feature, "metadata.json")), &metadata.Document{}, kind.All(os.LookupEnv, serviceName).Metadata())
	require.NoError(t, err)
	var parsed metadata.SelectPermission
	require.NoError(t, json.Unmarshal([]byte(permission), &parsed))
	changed := false
	for _, known := range doc.Sources[0].Tables {
		if known.Table.Name != table {
			continue
		}
		for _, p := range known.SelectPermissions {
			if p.Role == role {
				p.Permission, changed = metadata.Definition[metadata.SelectPermission]{Rules: []metadata.SelectPermission{parsed}}, true
			}
		}
	}
	require.True(t, changed)
	next := *e.state.Load().snapshot
	next.Version++
	next.Document = doc
	e.apply(&next)
	require.Empty(t, e.state.Load().schema.Inconsistencies())
}

func TestRelayFollowsTheListsOfRootFields(t *testing.T) {
	t.Parallel()
	const feature = "testdata/cases/relay"
	e := newFixture(t, feature, Config{})
	id := base64.StdEncoding.EncodeToString([]byte(`[1,"public","artist",2]`))
	node, connection := `{ node(id: "`+id+`") { ... on artist { name } } }`, `{ artist_connection { edges { node { name } } } }`
	related := `{ album_connection { edges { node { artist { name } } } } }`
	ask := func(text string) string {
		return string(answer(t, e, &request{session: &session.Session{Role: "clerk"}, relay: true, text: text}))
	}
	subscribe := func(text string) error {
		_, err := e.subscription(t.Context(), &request{session: &session.Session{Role: "clerk"}, relay: true, live: true, text: "subscription " + text})
		return err
	}
	for _, c := range []struct {
		lists                                                     string
		connects, finds, connectsSubscription, findsSubscriptions bool
	}{
		{`"subscription_root_fields": null`, true, true, true, true},
		{`"query_root_fields": []`, false, false, true, true},
		{`"query_root_fields": ["select_by_pk"]`, false, true, true, true},
		{`"query_root_fields": ["select"]`, true, true, true, true},
		{`"subscription_root_fields": []`, true, true, false, false},
		{`"subscription_root_fields": ["select_by_pk"]`, true, true, false, true},
		{`"subscription_root_fields": ["select"]`, true, true, true, true},
	} {
		permitSelect(t, e, feature, "artist", "clerk", `{"columns": ["id", "name"], "filter": {}, `+c.lists+`}`)
		if c.connects {
			require.Contains(t, ask(connection), "Bea", c.lists)
		} else {
			require.Contains(t, ask(connection), "field 'artist_connection' not found", c.lists)
		}
		if c.finds {
			require.Contains(t, ask(node), "Bea", c.lists)
		} else {
			require.Contains(t, ask(node), "no such table found: 'public.artist'", c.lists)
		}
		require.Contains(t, ask(related), "Ada", "relationships lead to the table whatever its lists hold")
		requireAllowed := func(allowed bool, err error, refusal string) {
			t.Helper()
			if allowed {
				require.NoError(t, err, c.lists)
				return
			}
			require.ErrorContains(t, err, refusal, c.lists)
		}
		requireAllowed(c.connectsSubscription, subscribe(connection), "field 'artist_connection' not found")
		requireAllowed(c.findsSubscriptions, subscribe(node), "no such table found: 'public.artist'")
	}
}

func TestEntitiesFollowTheListOfRootFields(t *testing.T) {
	t.Parallel()
	const feature = "testdata/cases/federation"
	e := newFixture(t, feature, Config{Federation: true})
	entities := `{ _entities(representations: [{__typename: "customer", id: 2}]) { ... on customer { name } } }`
	ask := func(text string) []byte {
		return answer(t, e, &request{session: &session.Session{Role: "clerk"}, text: text})
	}
	for lists, allowed := range map[string]bool{
		`"query_root_fields": null`: true, `"query_root_fields": []`: false, `"allow_aggregations": true, "query_root_fields": ["select_aggregate"]`: false,
		`"query_root_fields": ["select_by_pk"]`: true, `"query_root_fields": ["select"]`: true,
	} {
		permitSelect(t, e, feature, "customer", "clerk", `{"columns": ["id", "name"], "filter": {}, `+lists+`}`)
		require.Equal(t, allowed, bytes.Contains(ask(entities), []byte(`"name"`)), "%s: %s", lists, ask(entities))
		if !allowed {
			require.Contains(t, string(ask(entities)), "field '_entities' not found", lists)
		}
		require.Equal(t, allowed, bytes.Contains(ask(`{ _service { sdl } }`), []byte("@key")), lists)
	}
}
