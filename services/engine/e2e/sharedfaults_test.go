package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// TestFaultsStayWithTheirParty: requests share what a gateway and an executor have (a direct connection with its bundles, places, the pool and round
// trips of a source, an HTTP batch, a WebSocket, the cache of answers). Whatever one of them does, the others have their answers meanwhile.
func TestFaultsStayWithTheirParty(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE item (id int PRIMARY KEY, text text); INSERT INTO item VALUES (1, 'well'), (2, 'well');
		CREATE FUNCTION does(what text) RETURNS SETOF item LANGUAGE plpgsql STABLE AS $$ BEGIN
			CASE what WHEN 'fails' THEN RAISE 'failed'; WHEN 'hangs' THEN PERFORM pg_sleep(10000); WHEN 'dies' THEN PERFORM pg_terminate_backend(pg_backend_pid());
			WHEN 'is large' THEN RETURN QUERY SELECT n, repeat('x', 1000) FROM generate_series(1, 20000) n; ELSE NULL; END CASE;
			RETURN QUERY SELECT * FROM item WHERE text = what; END $$`)
	c.start(metadata)
	c.start(executor)
	p := c.start(gateway, "CLOSE_WEBSOCKETS_ON_METADATA_CHANGE=false")
	p.metadata("pg_track_table", map[string]any{"table": "item"})
	p.metadata("pg_track_function", map[string]any{"function": "does"})
	permit := map[string]any{"table": "item", "role": "user", "permission": map[string]any{"columns": "*", "filter": map[string]any{}}}
	const document = `query ($w: String!) { does(args: {what: $w}, order_by: {id: asc}) { id } }`
	body := func(document, what string) map[string]any {
		return map[string]any{"query": document, "variables": map[string]any{"w": what}}
	}
	const well = `{"data":{"does":[{"id":1}, {"id":2}]}}`

	// Each fault is begun, and ends when the healthy requests have their answers.
	send := func(ctx context.Context, header map[string]string, value any, slow bool) {
		text, ok := value.([]byte)
		if !ok {
			text, _ = json.Marshal(value)
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/v1/graphql", bytes.NewReader(text))
		require.NoError(t, err)
		for k, v := range header {
			r.Header.Set(k, v)
		}
		if a, err := http.DefaultClient.Do(r); err == nil {
			if slow { // takes nothing of its answer
				<-ctx.Done()
			}
			_ = a.Body.Close()
		}
	}
	faults := map[string]func(ctx context.Context){
		"fails": func(ctx context.Context) { send(ctx, asAdmin, body(document, "fails"), false) },
		"hangs": func(ctx context.Context) { send(ctx, asAdmin, body(document, "hangs"), false) },
		"dies":  func(ctx context.Context) { send(ctx, asAdmin, body(document, "dies"), false) },
		"is slow": func(ctx context.Context) {
			send(ctx, asAdmin, body(`query ($w: String!) { does(args: {what: $w}) { text } }`, "is large"), true)
		},
		"is cancelled": func(ctx context.Context) {
			at, cancel := context.WithCancel(ctx)
			go cancel()
			send(at, asAdmin, body(document, "hangs"), false)
		},
		"sends garbage": func(ctx context.Context) {
			for _, text := range []string{``, `[`, `{"query":7}`, `{"query":"{"}`, `[{"query":"{does"},7]`, "\x00\xff", `{"query":"query($w:Int!){item{id}}","variables":{"w":{}}}`} {
				send(ctx, asAdmin, []byte(text), false)
			}
		},
		"loses its permission": func(ctx context.Context) { send(ctx, as("user"), body(document, "well"), false) },
	}
	for name, fault := range faults {
		if name == "loses its permission" {
			p.metadata("pg_create_select_permission", permit)
			require.Equal(t, well, p.query(as("user"), `{ does(args: {what: "well"}, order_by: {id: asc}) { id } }`).text())
			p.metadata("pg_drop_select_permission", map[string]any{"table": "item", "role": "user"})
		}
		ctx, cancel := context.WithCancel(t.Context())
		var faulty, healthy sync.WaitGroup
		for range 8 {
			faulty.Go(func() { fault(ctx) })
		}
		answers := make([]string, 200)
		for i := range answers {
			healthy.Go(func() {
				switch i % 4 {
				case 0, 1:
					answers[i] = p.post("/v1/graphql", asAdmin, body(document, "well")).text()
				case 2:
					answers[i] = p.post("/v1/graphql", asAdmin, body(`query ($w: String!) @cached(ttl: 60) { does(args: {what: $w}, order_by: {id: asc}) { id } }`, "well")).text()
				default:
					answers[i] = p.post("/v1/graphql", asAdmin, []any{body(document, "well"), body(document, "fails"), body("{ nothing }", ""), body(document, "well")}).text()
				}
			})
		}
		healthy.Wait()
		cancel()
		faulty.Wait()
		for i, answer := range answers {
			if i%4 != 3 {
				require.Equal(t, well, answer, "%s: request %d", name, i)
				continue
			}
			var members []json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(answer), &members), answer)
			require.Len(t, members, 4)
			require.JSONEq(t, well, string(members[0]), name)
			require.JSONEq(t, well, string(members[3]), name)
			require.Contains(t, string(members[1]), `"errors"`)
			require.Contains(t, string(members[2]), `"errors"`)
		}
	}

	// The subscriptions and queries of a WebSocket, and of others whose subscriptions have the same statements. A fault is one of the second or third.
	p.metadata("pg_create_select_permission", permit)
	s, faulty, refused := p.subscriber(asAdmin), p.subscriber(asAdmin), p.subscriber(as("user"))
	const item = `subscription ($t: String!) { item(where: {text: {_iregex: $t}}, order_by: {id: asc}) { id } }`
	const stream = `subscription ($t: String!) { item_stream(batch_size: 10, cursor: {initial_value: {id: 0}}, where: {text: {_iregex: $t}}) { id } }`
	of := func(text string) map[string]any { return map[string]any{"t": text} }
	live, follows := s.subscribe(item, of("well")), s.subscribe(stream, of("well"))
	s.await(live, `{"item":[{"id":1}, {"id":2}]}`)
	s.await(follows, `{"item_stream":[{"id":1}, {"id":2}]}`)
	seen := refused.subscribe(item, of("well"))
	refused.await(seen, `{"item":[{"id":1}, {"id":2}]}`)
	ids := `{"id":1}, {"id":2}`
	for n, fault := range []func(){
		func() { faulty.subscribe(`{ nothing }`, nil) },
		func() { faulty.subscribe(item, of("(")); faulty.subscribe(stream, of("(")) },
		func() {
			faulty.subscribe(`subscription { does(args: {what: "hangs"}) { id } }`, nil)
			faulty.subscribe(`subscription { does(args: {what: "dies"}) { id } }`, nil)
		},
		func() {
			p.metadata("pg_drop_select_permission", map[string]any{"table": "item", "role": "user"})
			refused.awaitTrouble("no subscriptions exist")
		},
		func() { _ = faulty.socket.Write(t.Context(), websocket.MessageBinary, []byte{0xff, 0}) },
		func() { _ = refused.socket.CloseNow() },
	} {
		fault()
		execute(t, c.databaseURL, fmt.Sprintf(`INSERT INTO item VALUES (%d, 'well')`, n+3))
		ids += fmt.Sprintf(`, {"id":%d}`, n+3)
		s.await(live, `{"item":[`+ids+`]}`)
		s.await(follows, fmt.Sprintf(`{"item_stream":[{"id":%d}]}`, n+3))
	}
}
