package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/dbtest"
)

// TestSourceBehindPooler holds that no client sees an error while the pooler in front of a source
// works in transaction mode, is switched to sessions and back, and is restarted as for an
// upgrade; that subscriptions go on, and that every event is delivered.
func TestSourceBehindPooler(t *testing.T) {
	t.Parallel()
	_, version := dbtest.FindPooler(t)
	for _, c := range []struct {
		name  string
		since dbtest.PoolerVersion
		keeps string
	}{
		{name: "that keeps nothing"},
		{name: "told to keep no statements", since: dbtest.PreparesSince, keeps: "0"},
		{name: "that keeps statements", since: dbtest.PreparesSince, keeps: "100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if version.Before(c.since) {
				t.Skipf("PgBouncer %d.%d doesn't know the setting; %s names a newer one", version.Major, version.Minor, dbtest.PoolerVariable)
			}
			settings := func(mode string) map[string]string {
				all := map[string]string{"pool_mode": mode, "default_pool_size": "60"}
				if c.keeps != "" {
					all["max_prepared_statements"] = c.keeps
				}
				return all
			}
			p := installPooled(t, settings("transaction"))
			p.work(func() {
				for _, mode := range []string{"session", "transaction"} {
					p.after(50)
					p.pooler.Reload(settings(mode))
					p.after(50)
					p.pooler.TakeOver()
				}
				p.after(50)
			})
			p.check()
		})
	}
}

// pooledSource is an installation whose source is behind a pooler.
type pooledSource struct {
	*cluster
	pooler  *dbtest.RunningPooler
	gateway *process
	hook    *webhook
	watcher *subscriber
	count   string
	rows    atomic.Int64
	// done is how often clients have got what they wanted.
	done atomic.Int64
}

func installPooled(t *testing.T, settings map[string]string) *pooledSource {
	t.Helper()
	p := &pooledSource{cluster: newCluster(t), hook: newWebhook(t)}
	execute(t, p.databaseURL, `CREATE TABLE n (id serial PRIMARY KEY, v int NOT NULL); INSERT INTO n (v) VALUES (0)`)
	p.pooler = dbtest.StartPooler(t, p.databaseURL, settings)
	p.settings["ENGINE_GRAPHQL_DATABASE_URL"] = p.pooler.URL
	p.gateway = p.startAll()
	p.gateway.metadata("pg_track_table", map[string]any{"table": "n"})
	p.gateway.metadata("pg_create_event_trigger", map[string]any{
		"name": "n", "table": "n", "webhook": p.hook.url, "insert": map[string]any{"columns": "*"},
	})
	p.watcher = p.gateway.subscriber(asAdmin)
	p.count = p.watcher.subscribe(`subscription { n_aggregate { aggregate { count } } }`, nil)
	p.watcher.await(p.count, `{"n_aggregate":{"aggregate":{"count":1}}}`)
	return p
}

// ask sends a query and reports anything but the wanted answer.
func (p *pooledSource) ask(ctx context.Context, document, want string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	a, err := p.gateway.send(http.MethodPost, "/v1/graphql", asAdmin, []byte(`{"query":`+document+`}`))
	if err != nil {
		return err
	}
	if !strings.Contains(a.text(), want) || strings.Contains(a.text(), "errors") {
		return fmt.Errorf("%s: %d %s", document, a.status, a.text())
	}
	p.done.Add(1)
	return nil
}

// after waits until clients have got so many answers more.
func (p *pooledSource) after(n int64) {
	p.t.Helper()
	want := p.done.Load() + n
	eventually(p.t, startLimit, func() bool { return p.done.Load() >= want || p.t.Failed() },
		func() string { return fmt.Sprintf("%d of %d answers have come", p.done.Load(), want) })
}

// work has clients read and write while f runs.
func (p *pooledSource) work(f func()) {
	p.t.Helper()
	ctx, stop := context.WithCancel(p.t.Context())
	g, failed := errgroup.WithContext(ctx)
	for range 4 {
		g.Go(func() error {
			for ctx.Err() == nil && failed.Err() == nil {
				if err := p.ask(p.t.Context(), `"{ n(where: {id: {_eq: 1}}) { id v } }"`, `{"n":[{"id":1,`); err != nil {
					return err
				}
				insert := `"mutation { insert_n(objects: [{v: 1}, {v: 2}]) { affected_rows } update_n(where: {id: {_eq: 1}}, _inc: {v: 1}) { affected_rows } }"`
				if err := p.ask(p.t.Context(), insert, `"update_n":{"affected_rows" : 1}`); err != nil {
					return err
				}
				p.rows.Add(2)
			}
			return nil
		})
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		if err := g.Wait(); err != nil {
			p.t.Error(err)
		}
	}()
	f()
	stop()
	<-finished
}

// check compares what clients received with what is there.
func (p *pooledSource) check() {
	p.t.Helper()
	written := int(p.rows.Load())
	require.Equal(p.t, written+1, number(p.t, p.databaseURL, `SELECT count(*) FROM n`))
	require.Equal(p.t, written/2, number(p.t, p.databaseURL, `SELECT v FROM n WHERE id = 1`))
	p.watcher.await(p.count, fmt.Sprintf(`{"n_aggregate":{"aggregate":{"count":%d}}}`, written+1))
	require.Empty(p.t, p.watcher.trouble())
	p.hook.awaitTaken(written, 2*time.Minute)
	p.awaitNumber(p.databaseURL, written, deliveredEvents)
	events, again := p.hook.count()
	require.Equal(p.t, written, events)
	require.Zero(p.t, again)
}
