package engine_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphql-go/graphql"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
)

// TestFaultsOfCodeAreItsOwn: code that hangs holds its own places only, and others of the same name get the free ones.
func TestFaultsOfCodeAreItsOwn(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var running, most atomic.Int64
	type none struct{}
	m := mount(t, false,
		engine.Action("hang", func(context.Context, none) (string, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for {
				seen := most.Load()
				if n <= seen || most.CompareAndSwap(seen, n) {
					break
				}
			}
			<-release // whatever the context says
			return "late", nil
		}, engine.Concurrency(3)),
		engine.HTTP("garbage", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{0xff, '{'}) })),
		engine.Action("quick", func(context.Context, none) (string, error) { return "now", nil }, engine.Query()))
	m.metadata(`{"type":"create_action","args":{"name":"garbage","definition":{"handler":"go://garbage","output_type":"String"}}}`)
	require.Contains(t, m.query(`mutation { garbage }`, admin), "not a valid json response from webhook")
	m.metadata(`{"type":"create_action","args":{"name":"hang","definition":{"handler":"go://hang","timeout":1,"output_type":"String"}}}`)
	m.metadata(`{"type":"create_action","args":{"name":"quick","definition":{"type":"query","handler":"go://quick","output_type":"String!"}}}`)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			body := m.query(`mutation { hang }`, admin)
			if !strings.Contains(body, "http exception when calling webhook") {
				t.Errorf("a call that hangs ends with its timeout: %s", body)
			}
		})
	}
	require.JSONEq(t, `{"data":{"quick":"now"}}`, m.query(`{ quick }`, admin))
	calls.Wait()
	require.EqualValues(t, 3, most.Load(), "no more than the limit run at once")
	close(release)
	require.Eventually(t, func() bool { return strings.Contains(m.query(`mutation { hang }`, admin), "late") }, patience, 10*time.Millisecond)
}

// TestNamesOfCode refuses names that URLs can't have or that are taken.
func TestNamesOfCode(t *testing.T) {
	t.Parallel()
	type none struct{}
	quick := func(context.Context, none) (string, error) { return "", nil }
	_, err := engine.New(engine.Config{}, engine.Action("a b", quick), engine.Action("x", quick), engine.Action("X", quick), engine.Action("c", quick, engine.Concurrency(-1)))
	require.EqualError(t, err, `action "a b": a name consists of letters, digits, dots, hyphens and underscores
action "X": a handler (action) has this name already
action "c": the concurrency is negative`)
}

// TestBuildsWithoutTheCode: while services are replaced, those of a build that lacks a handler get no calls for it, and
// deliveries wait for one that has it.
func TestBuildsWithoutTheCode(t *testing.T) {
	t.Parallel()
	type none struct{}
	events := make(chan string, 100)
	options := []engine.Option{
		engine.Action("quick", func(context.Context, none) (string, error) { return "now", nil }, engine.Query()),
		engine.OnEvent("watch", func(_ context.Context, e engine.Event[map[string]any]) error {
			events <- fmt.Sprintf("%s, attempt %d", (*e.New)["name"], e.Attempt)
			return nil
		}),
	}
	m := mount(t, true, options...)
	for _, service := range []string{"query-executor", "query-executor", "event-delivery"} {
		m.start(nil, "--services", service)
	}
	m.metadata(`{"type":"create_action","args":{"name":"quick","definition":{"type":"query","handler":"go://quick","output_type":"String!"}}}`)
	m.metadata(`{"type":"create_action_permission","args":{"action":"quick","role":"user"}}`)
	m.metadata(`{"type":"pg_create_event_trigger","args":{"name":"watch","table":"people","webhook":"go://watch","update":{"columns":"*"}}}`)
	answers := map[string]int{}
	require.Eventually(t, func() bool { // an executor announces within a heartbeat what it lacks
		answers[m.query(`{ quick }`, user("odd"))]++
		return answers[`{"data":{"quick":"now"}}`] > 30
	}, patience, 20*time.Millisecond)
	for range 100 {
		require.JSONEq(t, `{"data":{"quick":"now"}}`, m.query(`{ quick }`, user("odd")))
	}
	want := map[string]bool{}
	for i := range 20 {
		name := fmt.Sprintf("name %d", i)
		want[name+", attempt 0"] = true
		require.Contains(t, m.query(fmt.Sprintf(`mutation { update_people_by_pk(pk_columns: {id: %d}, _set: {name: %q}) { id } }`, i%10+1, name), admin), `"id"`)
	}
	for len(want) > 0 {
		select {
		case got := <-events:
			require.True(t, want[got], got)
			delete(want, got)
		case <-time.After(patience):
			t.Fatalf("not delivered: %v", want)
		}
	}
}

// TestMetadataAwaitsItsCode: what metadata names is inconsistent in a build that lacks it, and works in the next one that has it.
func TestMetadataAwaitsItsCode(t *testing.T) {
	t.Parallel()
	type none struct{}
	events := make(chan int, 10)
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"hello": &graphql.Field{Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) { return "world", nil }},
	}})})
	require.NoError(t, err)
	code := []engine.Option{
		engine.Action("quick", func(context.Context, none) (string, error) { return "now", nil }, engine.Query()),
		engine.RemoteSchema("greetings", schema),
		engine.OnEvent("watch", func(_ context.Context, e engine.Event[struct{ ID int }]) error {
			events <- e.New.ID
			return nil
		}),
	}
	m := mount(t, false, code...)
	m.metadata(`{"type":"create_action","args":{"name":"quick","definition":{"type":"query","handler":"go://quick","output_type":"String!"}}}`)
	m.metadata(`{"type":"add_remote_schema","args":{"name":"greetings","definition":{"url":"go://greetings"}}}`)
	m.metadata(`{"type":"pg_create_event_trigger","args":{"name":"watch","table":"people","webhook":"go://watch","update":{"columns":"*"}}}`)
	restart := func(options ...engine.Option) (inconsistent string) {
		m.engine.Stop()
		m.engine = m.start(options, "--data-dir", t.TempDir())
		server := httptest.NewServer(m.engine.Handler())
		t.Cleanup(server.Close)
		m.url = server.URL
		status, answer := m.post("/v1/metadata", `{"type":"get_inconsistent_metadata","args":{}}`, admin)
		require.Equal(t, http.StatusOK, status, answer)
		return answer
	}
	missing := restart()
	for _, name := range []string{"quick", "greetings", "watch"} {
		require.Contains(t, missing, `this build of the engine has no handler \"`+name+`\" (go://`+name+`)`)
	}
	require.Contains(t, m.query(`{ quick }`, admin), "has no handler")
	require.Contains(t, m.query(`mutation { update_people_by_pk(pk_columns: {id: 3}, _set: {name: "new"}) { id } }`, admin), `"id":3`)
	require.Contains(t, restart(code...), `"is_consistent":true`)
	require.JSONEq(t, `{"data":{"quick":"now","hello":"world"}}`, m.query(`{ quick hello }`, admin))
	select {
	case id := <-events:
		require.Equal(t, 3, id, "the event of the time without the code")
	case <-time.After(patience):
		t.Fatal(m.log.String())
	}
}
