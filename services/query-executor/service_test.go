package queryexecutor

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/lifecycle/lifecycletest"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	planenv "queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/planned"
)

const streamID = "00000000-0000-0000-0000-000000000001"

// busFixture is an executor behind a real NATS, and a caller on a connection of its own.
type busFixture struct {
	caller *bus.Bus
	kept   *snapshot.Snapshot
}

// newBusFixture starts an executor with the metadata of the shop.
func newBusFixture(t *testing.T) *busFixture {
	t.Helper()
	const shop = "testdata/cases/shop"
	return startBusFixture(t, shop, newDatabase(t, shop), Config{Concurrency: 16, FrameSize: 64})
}

// startBusFixture starts an executor with the metadata of a feature.
func startBusFixture(t *testing.T, feature string, env metadata.Env, c Config) *busFixture {
	t.Helper()
	c.PlanCacheSize, c.InferFunctionPermissions, c.Limits = 100, true, planenv.DefaultLimits
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), NoSync: true})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	connect := func(name string) *bus.Bus {
		b, err := bus.Connect(t.Context(), bus.Config{InProcess: server, Name: name})
		require.NoError(t, err)
		t.Cleanup(b.Close)
		return b
	}
	h := &busFixture{caller: connect("caller")}
	h.kept = readSnapshot(t, feature, env)
	h.kept.StreamID = streamID
	require.NoError(t, h.caller.Changes().Ensure(t.Context(), streamID, 1))
	encoded, err := snapshot.Encode(h.kept)
	require.NoError(t, err)
	require.NoError(t, h.caller.Snapshots().Put(t.Context(), streamID, h.kept.Version, bytes.NewReader(encoded)))

	e, err := New(c, Deps{
		Bus: connect("executor"), Logger: telemetry.Discard(), Kinds: kind.All(env, serviceName),
	})
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context()))
	t.Cleanup(e.Stop)
	return h
}

// change publishes the next version of the metadata.
func (h *busFixture) change(t *testing.T, edit func(*metadata.Document)) {
	t.Helper()
	next := *h.kept
	next.Version++
	doc := *h.kept.Document
	edit(&doc)
	next.Document = &doc
	c, err := snapshot.Diff(h.kept, &next, time.Now())
	require.NoError(t, err)
	encoded, err := json.Marshal(c)
	require.NoError(t, err)
	require.NoError(t, h.caller.Changes().Publish(t.Context(), next.Version, encoded))
	h.kept = &next
}

func (h *busFixture) execute(ctx context.Context, r *queryv1.ExecuteRequest) (string, error) {
	if r.Session == nil {
		r.Session = adminSession().Proto()
	}
	_, body, err := h.caller.CallMessage(ctx, bus.QueryExecute, r, func() proto.Message { return &queryv1.ExecuteHead{} }, 1<<20)
	return string(body), err
}

func TestQueriesOverTheBus(t *testing.T) {
	t.Parallel()
	h := newBusFixture(t)
	body, err := h.execute(t.Context(), &queryv1.ExecuteRequest{
		Query: `query ($id: Int!) { album_by_pk(id: $id) { title tracks(order_by: {id: asc}) { id } } }`, Variables: []byte(`{"id":1}`), MinVersion: 1,
	})
	require.NoError(t, err)
	require.Equal(t, []byte(`{"data":{"album_by_pk":{"title":"Blue","tracks":[{"id":1}, {"id":2}]}}}`), []byte(body)) //nolint:testifylint // byte for byte

	_, err = h.execute(t.Context(), &queryv1.ExecuteRequest{Query: `{ nothing }`})
	requireAPIError(t, err, "validation-failed", "$.selectionSet.nothing", "field 'nothing' not found in type: 'query_root'")
	_, err = h.execute(t.Context(), &queryv1.ExecuteRequest{Query: `mutation { x }`, ReadOnly: true})
	requireAPIError(t, err, "not-supported", "$", "Mutations are not allowed when read-only mode is enabled")
}

// sinkFunc is called for each piece of an answer.
type sinkFunc func()

func (sinkFunc) Head(proto.Message) error { return nil }

func (f sinkFunc) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

func TestErrorAfterTheFirstFrameCutsTheAnswerOff(t *testing.T) {
	t.Parallel()
	const shop = "testdata/cases/shop"
	env := newDatabase(t, shop)
	h := startBusFixture(t, shop, env, Config{Concurrency: 16, FrameSize: 64})
	url, _ := env("")
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	// More than the bus collects before it sends.
	_, err = conn.Exec(t.Context(), "INSERT INTO artist (id, name) SELECT n, repeat('x', 1000) FROM generate_series(1000, 3999) n")
	require.NoError(t, err)
	lock, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), "LOCK album")
	require.NoError(t, err)

	// The second field fails in the database, which it reaches when the first has left already.
	err = h.caller.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{
		Session: adminSession().Proto(),
		Query:   `{ artist { id name born manager_id } album(offset: -1) { id } }`,
	}, nil, sinkFunc(sync.OnceFunc(func() { assert.NoError(t, lock.Rollback(t.Context())) })))
	require.ErrorIs(t, err, bus.ErrCutOff)
}

func TestQueryWaitsForTheVersionItNeeds(t *testing.T) {
	t.Parallel()
	h := newBusFixture(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := h.execute(ctx, &queryv1.ExecuteRequest{Query: `{ __typename }`, MinVersion: 2})
	require.Error(t, err)

	done := make(chan error, 1)
	go func() {
		_, err := h.execute(t.Context(), &queryv1.ExecuteRequest{Query: `{ albums { id } }`, MinVersion: 2})
		done <- err
	}()
	h.change(t, renameAlbum)
	require.NoError(t, <-done)
	_, err = h.execute(t.Context(), &queryv1.ExecuteRequest{Query: `{ album { id } }`, MinVersion: 2})
	requireAPIError(t, err, "validation-failed", "$.selectionSet.album", "field 'album' not found in type: 'query_root'")
}

func TestExplainOverTheBus(t *testing.T) {
	t.Parallel()
	h := newBusFixture(t)
	explain := func(query string) ([]byte, error) {
		r := &queryv1.ExplainRequest{Session: adminSession().Proto(), Query: query}
		_, body, err := h.caller.CallMessage(t.Context(), bus.QueryExplain, r, nil, 1<<20)
		return body, err
	}
	body, err := explain(`{ a: album(where: {id: {_lt: 2}}) { id } __schema { queryType { name } } }`)
	require.NoError(t, err)
	var got []struct {
		Field string
		SQL   *string
		Plan  []string
	}
	require.NoError(t, json.Unmarshal(body, &got))
	require.Len(t, got, 2)
	require.Equal(t, "a", got[0].Field)
	require.Contains(t, *got[0].SQL, "<")
	require.NotEmpty(t, got[0].Plan)
	require.Equal(t, "__schema", got[1].Field)
	require.Nil(t, got[1].SQL)
	require.Nil(t, got[1].Plan)

	_, err = explain(`mutation { x }`)
	requireAPIError(t, err, "invalid-params", "$", "only queries can be explained")
}

func TestDataOperationsOverTheBus(t *testing.T) {
	t.Parallel()
	h := newBusFixture(t)
	r := &queryv1.DataRequest{
		Session: adminSession().Proto(),
		Body:    []byte(`{"type":"select","args":{"table":"album","columns":["id"],"where":{"id":2}}}`),
	}
	_, body, err := h.caller.CallMessage(t.Context(), bus.DataExecute, r, func() proto.Message { return &queryv1.DataHead{} }, 1<<20)
	require.NoError(t, err)
	require.JSONEq(t, `[{"id":2}]`, string(body))
}

// TestPlansSurviveChangesThatDoNotTouchThem also holds that they don't survive the others.
func TestPlansSurviveChangesThatDoNotTouchThem(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	ask := func(role, query string) string {
		s := &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}
		return string(answer(t, e, &request{session: s, text: query}))
	}
	planned := func(edit func(*metadata.Document), role, query string) (before, after string, again bool) {
		t.Helper()
		original := e.state.Load().snapshot
		before = ask(role, query)
		kept := keptPlan(t, e, role, query)
		changed := *original
		doc := *original.Document
		edit(&doc)
		changed.Document = &doc
		changed.Version++
		e.apply(&changed)
		after = ask(role, query)
		again = keptPlan(t, e, role, query) != kept
		e.apply(original)
		return before, after, again
	}
	const artists, albums, songs = `{ artist(limit: 1) { id } }`, `{ album(limit: 1) { id } }`, `{ songs(limit: 1) { id } }`

	_, _, again := planned(renameAlbum, "clerk", songs)
	require.False(t, again, "a table that the query doesn't use was changed")

	_, after, again := planned(renameAlbum, "clerk", albums)
	require.Contains(t, after, "field 'album' not found")
	require.False(t, again)

	_, after, again = planned(func(d *metadata.Document) {
		editTable(d, "artist", func(t *metadata.Table) { t.SelectPermissions = t.SelectPermissions[1:] })
	}, "clerk", artists)
	require.Contains(t, after, "field 'artist' not found")
	require.False(t, again)

	_, after, _ = planned(func(d *metadata.Document) { d.InheritedRoles = nil }, "boss", artists)
	require.Contains(t, after, "field 'artist' not found")

	_, after, _ = planned(func(d *metadata.Document) {
		d.Sources[0] = clone(d.Sources[0], func(s *metadata.Source) { s.Functions = nil })
	}, "admin", `{ one_track(args: {wanted: 1}) { id } }`)
	require.Contains(t, after, "field 'one_track' not found")

	before, after, _ := planned(func(d *metadata.Document) {
		editTable(d, "artist", func(t *metadata.Table) {
			t.SelectPermissions = append(slices.Clone(t.SelectPermissions), &metadata.Permission[metadata.SelectPermission]{
				Role: "guest", Permission: metadata.Definition[metadata.SelectPermission]{Rules: []metadata.SelectPermission{{Columns: metadata.Columns{All: true}, Filter: json.RawMessage(`{}`)}}},
			})
		})
	}, "guest", `{ no_queries_available }`)
	require.Contains(t, before, "There are no queries available")
	require.Contains(t, after, "field 'no_queries_available' not found in type: 'query_root'")
}

// keptPlan is the plan of a query without variables.
func keptPlan(t *testing.T, e *Executor, role, query string) *planned.Plan {
	t.Helper()
	d, err := e.document(t.Context(), &request{session: &session.Session{Role: role}, text: query})
	require.NoError(t, err)
	p, _ := d.Plan(nil, nil)
	return p
}

func renameAlbum(d *metadata.Document) {
	editTable(d, "album", func(t *metadata.Table) { t.Configuration = &metadata.TableConfiguration{CustomName: "albums"} })
}

// editTable changes a copy of a table of the first source.
func editTable(d *metadata.Document, name string, edit func(*metadata.Table)) {
	d.Sources = slices.Clone(d.Sources)
	d.Sources[0] = clone(d.Sources[0], func(s *metadata.Source) {
		s.Tables = slices.Clone(s.Tables)
		i := slices.IndexFunc(s.Tables, func(t *metadata.Table) bool { return t.Table.Name == name })
		s.Tables[i] = clone(s.Tables[i], edit)
	})
}

func clone[T any](of *T, edit func(*T)) *T {
	c := *of
	edit(&c)
	return &c
}

func requireAPIError(t *testing.T, err error, code apierror.Code, path, message string) {
	t.Helper()
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, []string{string(code), path, message}, []string{string(e.Code), e.Path, e.Message})
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), NoSync: true})
	require.NoError(t, err)
	defer server.Stop()
	lifecycletest.Stress(t, func(t *testing.T) lifecycle.Service {
		b, err := bus.Connect(t.Context(), bus.Config{InProcess: server, Name: "executor"})
		require.NoError(t, err)
		t.Cleanup(b.Close)
		e, err := New(Config{PlanCacheSize: 10}, Deps{Bus: b, Logger: telemetry.Discard()})
		require.NoError(t, err)
		return e
	})
}
