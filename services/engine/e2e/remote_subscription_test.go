package e2e

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// TestRemoteSubscriptions has an engine subscribe at a remote schema that is itself, and ends
// what it can't go on with.
func TestRemoteSubscriptions(t *testing.T) {
	t.Parallel()
	c, gateways, executors := counters(t, 3)
	gateways[0].metadata("add_remote_schema", map[string]any{"name": "self", "definition": map[string]any{
		"url":           gateways[1].url + "/v1/graphql",
		"headers":       []any{map[string]any{"name": "X-Engine-Admin-Secret", "value": secret}},
		"customization": map[string]any{"root_fields_namespace": "self", "type_names": map[string]any{"prefix": "self_"}},
	}})
	const watch = `subscription ($id: Int!) { self { here: counter_by_pk(id: $id) { value __typename } } }`
	is := func(value string) string {
		return `{"self":{"here":{"value":` + value + `,"__typename":"self_counter"}}}`
	}
	s := gateways[0].subscriber(asAdmin)
	one, two := s.subscribe(watch, map[string]any{"id": 1}), s.subscribe(watch, map[string]any{"id": 2})
	s.await(one, is("0"))
	s.await(two, is("0"))
	execute(t, c.databaseURL, `UPDATE counter SET value = 7 WHERE id = 2`)
	s.await(two, is("7"))
	event := gateways[0].firstEvent("/v1/graphql", asAdmin, map[string]any{"query": watch, "variables": map[string]any{"id": 2}})
	require.Equal(t, `{"data":`+is("7")+`}`, string(event.body))

	gateways[0].metadata("remove_remote_schema", map[string]any{"name": "self"})
	s.awaitTrouble("field 'self' not found in type: 'subscription_root'")
	require.Len(t, executors, 2)
}

// TestRemoteSubscriptionsOfLibraries subscribes at servers that use the libraries for it.
func TestRemoteSubscriptionsOfLibraries(t *testing.T) {
	t.Parallel()
	node, dir := libraries(t)
	p := newCluster(t).startAll()
	for _, library := range []string{"graphql-ws", "subscriptions-transport-ws"} {
		server := exec.CommandContext(t.Context(), node, "servers.mjs", library)
		server.Dir = dir
		stdin, err := server.StdinPipe()
		require.NoError(t, err)
		stdout, err := server.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, server.Start())
		address, err := bufio.NewReader(stdout).ReadString('\n')
		require.NoError(t, err, library)
		p.metadata("add_remote_schema", map[string]any{"name": library, "definition": map[string]any{"url": strings.TrimSpace(address)}})
		s := p.subscriber(asAdmin)
		three := s.subscribe(`subscription ($to: Int!) { count(to: $to) { n: value } }`, map[string]any{"to": 3})
		s.await(three, `{"count":{"n":3}}`)
		require.Len(t, s.all(three), 3, library)
		many := s.subscribe(`subscription ($to: Int!) { count(to: $to) { value } }`, map[string]any{"to": 5000})
		s.await(many, `{"count":{"value":5000}}`)
		require.Len(t, s.all(many), 5000, "each of them came, anyone who had to wait")
		who := s.subscribe(`subscription { who }`, nil)
		s.await(who, `{"who":"admin"}`)
		endless := s.subscribe(`subscription { count(to: 0) { value } }`, nil)
		again := s.subscribe(`subscription { count(to: 1) { value } }`, nil)
		s.await(again, `{"count":{"value":1}}`)
		require.NoError(t, stdin.Close())
		require.NoError(t, server.Wait())
		s.awaitTrouble(endless)
		require.Equal(t, websocket.StatusCode(-1), websocket.CloseStatus(s.closed), "the connection of the client stays")
		p.metadata("remove_remote_schema", map[string]any{"name": library})
	}
}
