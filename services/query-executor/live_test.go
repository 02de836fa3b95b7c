package queryexecutor

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/live"
)

// gateway is the other end of a link: it collects the results.
type gateway struct {
	t *testing.T
	e *Executor

	mu      sync.Mutex
	told    map[uint64][]*queryv1.LiveResult
	changed chan struct{}
}

// newGateway opens the link "g" to an executor whose subscriptions run every 20 ms.
func newGateway(t *testing.T) *gateway {
	t.Helper()
	return newGatewayTo(t, "testdata/cases/shop", Config{})
}

func newGatewayTo(t *testing.T, feature string, c Config) *gateway {
	t.Helper()
	c.LiveInterval, c.StreamInterval = 20*time.Millisecond, 20*time.Millisecond
	c.LiveBatch, c.StreamBatch = cmp.Or(c.LiveBatch, 3), cmp.Or(c.StreamBatch, 3)
	return newGatewayOf(t, newFixture(t, feature, c))
}

// newGatewayOf opens the link "g" to an executor.
func newGatewayOf(t *testing.T, e *Executor) *gateway {
	t.Helper()
	t.Cleanup(e.live.Close)
	g := &gateway{t: t, e: e, told: map[uint64][]*queryv1.LiveResult{}, changed: make(chan struct{}, 1)}
	l, err := e.live.Open("g")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = l.Serve(ctx, g.take, func() error { return nil })
	}()
	t.Cleanup(func() {
		stop()
		<-done
		l.Close()
	})
	return g
}

// take reads one framed result.
func (g *gateway) take(p []byte) error {
	size, n := binary.Uvarint(p)
	m := &queryv1.LiveResult{}
	if err := proto.Unmarshal(p[n:n+int(size)], m); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, id := range m.GetSubscribers() {
		g.told[id] = append(g.told[id], m)
	}
	select {
	case g.changed <- struct{}{}:
	default:
	}
	return nil
}

// subscribe begins a subscription.
func (g *gateway) subscribe(id uint64, role, text, variables string, change func(*live.Subscription)) error {
	return g.join(id, &request{
		session: &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role, "x-engine-user-id": "7"}},
		text:    text, variables: []byte(variables),
	}, change)
}

// join begins a subscription of a request.
func (g *gateway) join(id uint64, q *request, change func(*live.Subscription)) error {
	q.live = true
	s, err := g.e.subscription(g.t.Context(), q)
	if err != nil {
		return err
	}
	if change != nil {
		change(&s)
	}
	return g.e.live.Join("g", id, s)
}

// await waits until a subscriber has n results, and returns them.
func (g *gateway) await(id uint64, n int) []*queryv1.LiveResult {
	g.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		g.mu.Lock()
		told := slices.Clone(g.told[id])
		g.mu.Unlock()
		if len(told) >= n {
			return told
		}
		select {
		case <-g.changed:
		case <-deadline:
			require.Failf(g.t, "nothing was reported", "%d of %d results for %d", len(told), n, id)
		}
	}
}

// awaitLast waits for a last result of a subscriber that is as wanted, and returns all.
func (g *gateway) awaitLast(id uint64, wanted func(*queryv1.LiveResult) bool) []*queryv1.LiveResult {
	g.t.Helper()
	for n := 1; ; n++ {
		if told := g.await(id, n); wanted(told[len(told)-1]) {
			return told
		}
	}
}

// exec changes the database.
func (g *gateway) exec(sql string) {
	g.t.Helper()
	use, err := g.e.sources.Named(g.e.state.Load().snapshot.Document.Sources[0].Name)
	require.NoError(g.t, err)
	defer use.Release()
	_, err = use.RunSQL(g.t.Context(), backend.RawSQL{SQL: sql})
	require.NoError(g.t, err)
}

const watchAlbum = `subscription ($id: Int!) { album_by_pk(id: $id) { title } }`

func TestLiveQuery(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	admin := session.Admin
	for id, album := range []string{"1", "1", "2", "3", "4"} {
		require.NoError(t, g.subscribe(uint64(id), admin, watchAlbum, `{"id": `+album+`}`, nil))
	}
	first := g.await(0, 1)[0]
	for id := range uint64(5) {
		require.NotEmpty(t, g.await(id, 1)[0].GetData())
	}
	dump := g.e.live.Dump(true)
	require.Len(t, dump, 1, "one statement for all of them")
	require.Equal(t, []any{"live-query", 4, 5, 4}, []any{dump[0].Kind, dump[0].Cohorts, dump[0].Subscribers, len(dump[0].Details)})
	require.Contains(t, dump[0].Statement, "album")
	require.Empty(t, g.e.live.Dump(false)[0].Details)
	// One that moves here with what it has seen gets nothing, and one that has seen
	// something else is.
	require.NoError(t, g.subscribe(10, admin, watchAlbum, `{"id": 1}`, func(s *live.Subscription) { s.Hash = first.GetHash() }))
	require.NoError(t, g.subscribe(11, admin, watchAlbum, `{"id": 1}`, func(s *live.Subscription) { s.Hash = []byte("other") }))
	require.Equal(t, first.GetData(), g.await(11, 1)[0].GetData())

	g.exec(`UPDATE album SET title = 'Changed' WHERE id = 1`)
	for _, id := range []uint64{0, 1, 11} {
		require.Equal(t, `{"data":{"album_by_pk":{"title":"Changed"}}}`, string(g.await(id, 2)[1].GetData()))
	}
	require.Len(t, g.await(10, 1), 1)
	require.Equal(t, `{"data":{"album_by_pk":{"title":"Changed"}}}`, string(g.await(10, 1)[0].GetData()))
	require.Len(t, g.await(2, 1), 1, "nothing has changed")

	// A failure is reported, and so is the result after it.
	g.e.live.Leave("g", []uint64{1, 2, 3, 4, 10, 11})
	g.exec(`ALTER TABLE album RENAME TO away`)
	require.NotEmpty(t, g.await(0, 3)[2].GetError().GetMessage())
	g.exec(`ALTER TABLE away RENAME TO album`)
	told := g.await(0, 4)
	for n := len(told); told[n-1].GetError() != nil; n = len(told) {
		told = g.await(0, n+1)
	}
	require.Equal(t, told[1].GetData(), told[len(told)-1].GetData())
}

func TestSkipEmptyResults(t *testing.T) {
	t.Parallel()
	g := newGatewayTo(t, "testdata/cases/shop", Config{SkipEmptyResults: true})
	require.NoError(t, g.subscribe(1, session.Admin, `subscription { album(where: {id: {_eq: 900}}) { id } }`, ``, nil))
	require.NoError(t, g.subscribe(2, session.Admin, `subscription { album(where: {id: {_eq: 1}}) { id } }`, ``, nil))
	g.await(2, 1)
	g.exec(`INSERT INTO album (id, title, artist_id) VALUES (900, 'x', 1)`)
	require.Equal(t, `{"data":{"album":[{"id":900}]}}`, string(g.await(1, 1)[0].GetData()))
}

// TestResultsCarryTheVersionOfTheirPlan: the current version while the plan is valid for it, and none
// when the plan was made for older metadata that differ.
func TestResultsCarryTheVersionOfTheirPlan(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	require.NoError(t, g.subscribe(1, session.Admin, watchAlbum, `{"id": 1}`, nil))
	before := g.e.state.Load().snapshot
	require.Equal(t, before.Version, g.await(1, 1)[0].GetVersion())

	next := *before
	next.Version++
	g.e.apply(&next) // which has nothing to do with the plan
	g.exec(`UPDATE album SET title = 'Changed' WHERE id = 1`)
	require.Equal(t, next.Version, g.await(1, 2)[1].GetVersion())

	require.NoError(t, g.subscribe(2, session.Admin, watchAlbum, `{"id": 2}`, func(*live.Subscription) {
		changed, document := next, *next.Document
		document.Sources = slices.Clone(document.Sources)
		source := *document.Sources[0]
		source.Tables = slices.Clone(source.Tables)
		for i, table := range source.Tables {
			if table.Table.Name == "album" {
				other := *table
				other.Configuration = &metadata.TableConfiguration{CustomName: "record"}
				source.Tables[i] = &other
			}
		}
		document.Sources[0] = &source
		changed.Version, changed.Document = next.Version+1, &document
		g.e.apply(&changed) // between the plan and the first run
	}))
	require.Zero(t, g.await(2, 1)[0].GetVersion())
}

func TestLiveQueryOfBadValues(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	const document = `subscription ($t: timestamptz) { album(where: {released: {_lt: $t}}) { id } }`
	require.NoError(t, g.subscribe(1, session.Admin, document, `{"t": "2020-01-01"}`, nil))
	require.NoError(t, g.subscribe(2, session.Admin, document, `{"t": "no time"}`, nil))
	end := g.await(2, 1)[0]
	require.True(t, end.GetEnd())
	require.Equal(t, string(apierror.DataException), end.GetError().GetCode())
	require.NotEmpty(t, g.await(1, 1)[0].GetData())
}

func TestLiveStream(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	g.exec(`DELETE FROM album WHERE id > 100; INSERT INTO album (id, title, artist_id) SELECT i, 't' || i, 1 FROM generate_series(101, 107) i`)
	const document = `subscription { album_stream(batch_size: 3, cursor: {initial_value: {id: 100}}) { id } }`
	require.NoError(t, g.subscribe(1, session.Admin, document, ``, nil))
	require.NoError(t, g.subscribe(2, session.Admin, document, ``, func(s *live.Subscription) { s.Cursor = []byte("105") }))
	texts := func(told []*queryv1.LiveResult) string {
		var list []string
		for _, r := range told {
			list = append(list, strings.TrimSuffix(strings.TrimPrefix(string(r.GetData()), `{"data":{"album_stream":`), `}}`)+" to "+string(r.GetCursor()))
		}
		return strings.Join(list, "; ")
	}
	require.Equal(t, `[{"id":101}, {"id":102}, {"id":103}] to 103; [{"id":104}, {"id":105}, {"id":106}] to 106; [{"id":107}] to 107`, texts(g.await(1, 3)))
	require.Equal(t, `[{"id":106}, {"id":107}] to 107`, texts(g.await(2, 1)))
	g.exec(`INSERT INTO album (id, title, artist_id) VALUES (108, 'x', 1)`)
	require.Equal(t, `[{"id":108}] to 108`, texts(g.await(1, 4)[3:]))
	require.Equal(t, `[{"id":108}] to 108`, texts(g.await(2, 2)[1:]))
}

// TestStreamsFromNow holds that a stream which begins at a time that is relative to the present begins when it is subscribed to.
func TestStreamsFromNow(t *testing.T) {
	t.Parallel()
	g := newGatewayTo(t, "testdata/written", Config{})
	for id, start := range []string{"now()", "now", " NOW ", "today", "yesterday", "2000-01-01T00:00:00Z", "epoch", "-infinity"} {
		require.NoError(t, g.subscribe(uint64(id), session.Admin, `subscription ($at: timestamptz!) {
			tick_stream(batch_size: 5, cursor: {initial_value: {at: $at}}) { id } }`, fmt.Sprintf(`{"at":%q}`, start), nil))
	}
	time.Sleep(50 * time.Millisecond) // cycles in which there is nothing yet
	g.exec(`INSERT INTO tick (id, at) VALUES (1, clock_timestamp())`)
	for id := range uint64(8) {
		require.JSONEq(t, `{"data":{"tick_stream":[{"id":1}]}}`, string(g.await(id, 1)[0].GetData()))
	}
	for start, message := range map[string]string{
		"never": `invalid input syntax for type timestamp with time zone: "never"`, "snow": `invalid input syntax for type timestamp with time zone: "snow"`,
	} {
		err := g.subscribe(9, session.Admin, `subscription { tick_stream(batch_size: 5, cursor: {initial_value: {at: "`+start+`"}}) { id } }`, ``, nil)
		if err == nil { // its first run says so
			require.Contains(t, g.await(9, 1)[0].GetError().GetMessage(), message)
			continue
		}
		require.Equal(t, message, apierror.From(err).Message)
	}
}

// TestSubscriptionErrors are those before anything is run.
func TestSubscriptionErrors(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	for text, want := range map[string]apierror.Error{
		`subscription { album { id } artist { id } }`:                                      {Code: apierror.ValidationFailed, Path: "$", Message: "subscriptions must select one top level field"},
		`subscription { a: album { id } b: album { id } }`:                                 {Code: apierror.ValidationFailed, Path: "$", Message: "subscriptions must select one top level field"},
		`subscription { __typename }`:                                                      {Code: apierror.NotSupported, Path: "$", Message: "Introspection at root field level is not supported over subscriptions"},
		`subscription { __schema { __typename } }`:                                         {Code: apierror.NotSupported, Path: "$", Message: "Introspection at root field level is not supported over subscriptions"},
		`query { album { id } }`:                                                           {Code: apierror.UnexpectedPayload, Path: "$", Message: "a query is no subscription"},
		`subscription @cached { album { id } }`:                                            {Code: apierror.ValidationFailed, Path: "$", Message: "directive 'cached' is not allowed on a subscription"},
		`subscription { album_stream(batch_size: 1, cursor: []) { id } }`:                  {Code: apierror.ValidationFailed, Path: "$.selectionSet.album_stream.args", Message: "one streaming column field is expected"},
		`subscription { album_stream(batch_size: 1, cursor: {initial_value: {}}) { id } }`: {Code: apierror.ValidationFailed, Path: "$.selectionSet.album_stream.args", Message: "one streaming column field is expected"},
		`subscription { album_stream(batch_size: 1, cursor: {initial_value: {id: 1, title: "a"}}) { id } }`: {
			Code: apierror.ValidationFailed, Path: "$.selectionSet.album_stream.args", Message: "multiple column cursors are not supported yet",
		},
		`subscription @_multiple_top_level_fields { album { id } album_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } }`: {
			Code: apierror.NotSupported, Path: "$", Message: "streaming and livequery subscriptions cannot be executed in the same subscription",
		},
		`subscription @_multiple_top_level_fields { a: album_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } b: album_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } }`: {
			Code: apierror.NotSupported, Path: "$", Message: "exactly one root field is allowed for streaming subscriptions",
		},
	} {
		err := g.subscribe(1, session.Admin, text, ``, nil)
		var got *apierror.Error
		require.ErrorAs(t, err, &got, text)
		require.Equal(t, want.Code, got.Code, text)
		require.Equal(t, want.Path, got.Path, text)
		require.Equal(t, want.Message, got.Message, text)
	}
	require.NoError(t, g.subscribe(1, session.Admin, `subscription ($no: Boolean = false) { album @include(if: $no) { id } }`, ``, nil))
	require.True(t, g.await(1, 1)[0].GetEnd(), "nothing is selected")
	require.NoError(t, g.subscribe(2, session.Admin, `subscription @_multiple_top_level_fields { a: album_by_pk(id: 1) { id } b: artist_by_pk(id: 1) { id } }`, ``, nil))
	require.Equal(t, `{"data":{"a":{"id":1},"b":{"id":1}}}`, string(g.await(2, 1)[0].GetData()))
}

// TestSubscriptionsOfNamespaces: the fields of a namespace are root fields, of which there may be
// one.
func TestSubscriptionsOfNamespaces(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/sources", Config{})
	s := e.borrow()
	defer e.giveBack(s)
	for text, want := range map[string]string{
		`subscription { old { artist { id } } }`:                             "",
		`subscription { old { __typename a: artist { id } } }`:               "",
		`subscription { old { a: artist { id } b: artist { id } } }`:         "subscriptions must select one top level field",
		`subscription { old { artist { id } artist_by_pk(id: 1) { id } } }`:  "subscriptions must select one top level field",
		`subscription { a: old { artist { id } } b: old { artist { id } } }`: "subscriptions must select one top level field",
		`subscription { ...F ...G } fragment F on subscription_root { old { a: artist { id } } } fragment G on subscription_root { old { b: artist { id } } }`: "subscriptions must select one top level field",
		`subscription @_multiple_top_level_fields { old { a: artist { id } b: artist { id } } }`:                                                               "",
	} {
		_, err := e.prepare(t.Context(), &request{session: adminSession(), text: text, live: true}, s)
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
}
