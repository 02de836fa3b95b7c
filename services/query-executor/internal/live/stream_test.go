package live

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/rowimage"
	"queryengine/pkg/backend/postgres/rowstream"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/execute"
)

// shelf is a table in memory with transactions, a source with its only stream, and the log of its changes.
type shelf struct {
	random *rand.Rand
	// slow has statements and messages take their time, doubt has changes told without rows now and then.
	slow, doubt bool
	// panics is the owner whose cohort panics in a statement, panicsInChange that whose cohort panics with a row, 0 for none.
	panics, panicsInChange atomic.Int64

	mu   sync.Mutex
	rows map[int]book // as they are committed
	next uint64
	open map[uint64]bool
	// statements counts those of the stream.
	statements int
	// log are the changes that are committed and not told.
	log  []backend.ChangedRow
	fail chan struct{}
}

type book struct{ at, owner int }

var shelfName = catalog.Name{Schema: "public", Name: "shelf"}

// transaction is one that runs.
type transaction struct {
	*shelf
	number uint64
	write  []func()
}

func newShelf(seed uint64) *shelf {
	return &shelf{random: rand.New(rand.NewPCG(seed, 0)), rows: map[int]book{}, next: 1, open: map[uint64]bool{}, fail: make(chan struct{}, 1)} //nolint:gosec // a test
}

func (s *shelf) begin() *transaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &transaction{shelf: s, number: s.next}
	s.next++
	s.open[t.number] = true
	return t
}

func imageOf(id int, b book) []backend.Cell {
	cells := make([]backend.Cell, 3)
	for i, n := range []int{id, b.at, b.owner} {
		cells[i] = backend.Cell{State: backend.CellText, Text: strconv.Itoa(n)}
	}
	return cells
}

// put has a row be something when the transaction ends.
func (t *transaction) put(id int, b book) {
	t.write = append(t.write, func() {
		row := backend.ChangedRow{New: imageOf(id, b), Transaction: t.number}
		if old, there := t.rows[id]; there {
			row.Old = imageOf(id, old)
		}
		t.rows[id], t.log = b, append(t.log, row)
	})
}

func (t *transaction) remove(id int) {
	t.write = append(t.write, func() {
		if old, there := t.rows[id]; there {
			delete(t.rows, id)
			t.log = append(t.log, backend.ChangedRow{Old: imageOf(id, old), Transaction: t.number})
		}
	})
}

func (t *transaction) commit() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, write := range t.write {
		write()
	}
	delete(t.open, t.number)
}

// view is a snapshot.
type view struct {
	next uint64
	open map[uint64]bool
}

func (v view) Sees(number uint64) bool { return number < v.next && !v.open[number] }

// chance is the choice of the seed, whatever asks.
func (s *shelf) chance(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.IntN(n)
}

func (s *shelf) pause(most time.Duration) {
	if s.slow {
		time.Sleep(time.Duration(s.chance(int(most))))
	}
}

// QueryStream implements backend.StreamSource: the rows of an owner past a cursor, one at a time.
func (s *shelf) QueryStream(_ context.Context, _ backend.LiveStatement, cohorts [][][]byte, f func(cohort int, roots [][]byte, cursor []byte, seen backend.Snapshot)) error {
	s.pause(5 * time.Millisecond)
	s.mu.Lock()
	s.statements++
	rows, seen := maps.Clone(s.rows), view{s.next, maps.Clone(s.open)}
	s.mu.Unlock()
	s.pause(20 * time.Millisecond)
	if s.slow && s.chance(50) == 0 {
		return errors.New("the connection is lost")
	}
	for i, values := range cohorts {
		cursor, _ := strconv.Atoi(string(values[0]))
		owner, _ := strconv.Atoi(string(values[1]))
		if int64(owner) == s.panics.Load() {
			panic("unforeseen")
		}
		past := slices.DeleteFunc(slices.Collect(maps.Values(rows)), func(b book) bool { return b.at <= cursor || b.owner != owner })
		if len(past) == 0 {
			f(i, [][]byte{[]byte("[]")}, nil, seen)
			continue
		}
		first := slices.MinFunc(past, func(a, b book) int { return cmp.Compare(a.at, b.at) })
		f(i, [][]byte{[]byte("[…]")}, strconv.AppendInt(nil, int64(first.at), 10), nil)
	}
	return nil
}

// QueryLive implements backend.LiveSource: what the statement has seen isn't told.
func (s *shelf) QueryLive(ctx context.Context, st backend.LiveStatement, cohorts [][][]byte, f func(cohort int, roots [][]byte, cursor []byte)) error {
	return s.QueryStream(ctx, st, cohorts, func(cohort int, roots [][]byte, cursor []byte, _ backend.Snapshot) { f(cohort, roots, cursor) })
}

func (*shelf) CheckLive(context.Context, backend.LiveStatement, [][]byte) error { return nil }

func (*shelf) ExplainLive(context.Context, backend.LiveStatement, [][]byte) ([]string, error) {
	return nil, nil
}

func (s *shelf) ChangeLog(string) backend.Changes { return s }

func (s *shelf) Watch(context.Context, []catalog.Name) ([]string, error) { return []string{"1"}, nil }

func (s *shelf) WatchRows(_ context.Context, _ catalog.Name, columns backend.RowColumns) ([]string, []backend.ToldColumn, error) {
	s.pause(20 * time.Millisecond)
	var told []backend.ToldColumn
	for _, c := range columns.Told {
		column := backend.ToldColumn{Name: c, Type: "23", Collation: backend.CollationDeterministic}
		if c == "id" {
			column.Key = 1
		}
		told = append(told, column)
	}
	return []string{"1"}, told, nil
}

// Listen implements backend.Changes. What is reported without a listener is lost.
func (s *shelf) Listen(ctx context.Context, ready func(), changed func(backend.Change)) error {
	s.mu.Lock()
	s.log = nil
	s.mu.Unlock()
	ready()
	for {
		s.pause(10 * time.Millisecond)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.fail:
			return errors.New("a message is missing")
		case <-time.After(time.Millisecond):
		}
		s.mu.Lock()
		n := len(s.log)
		if s.slow && n > 0 {
			n = 1 + s.random.IntN(n)
			for n < len(s.log) && s.log[n].Transaction == s.log[n-1].Transaction {
				n++
			}
		}
		rows := slices.Clone(s.log[:n])
		s.log = s.log[n:]
		s.mu.Unlock()
		if n == 0 {
			continue
		}
		s.pause(30 * time.Millisecond)
		c := backend.Change{ID: "1", Rows: &backend.ChangedRows{Columns: []string{"id", "at", "owner"}, Rows: rows}}
		if s.doubt && s.chance(8) == 0 {
			c.Rows = nil
		}
		changed(c)
	}
}

// statement is that of the stream. Its values are the cursor and the owner.
type statement struct{}

func (statement) SQL() string                         { return "the stream" }
func (statement) Key() string                         { return "" }
func (statement) Columns() []backend.LiveColumn       { return nil }
func (statement) Bind(backend.Args) ([][]byte, error) { return nil, nil }

func shelfStream(s *shelf) *execute.Live {
	int4 := catalog.Type{Name: "int4", ID: "23"}
	column := func(name string) ir.Column { return ir.Column{Name: name, Type: int4} }
	compare := func(name string, op ir.Op, value int) ir.BoolExp {
		return ir.Compare{Left: column(name), Op: op, Args: []ir.Value{ir.Variable{Index: value, Type: int4}}}
	}
	stream := rowstream.New(rowstream.Config{
		Table: shelfName, Cursor: column("at"), Key: []ir.Column{column("id")},
		Where: ir.And{Exps: []ir.BoolExp{compare("owner", ir.OpEq, 1), compare("at", ir.OpGt, 0)}},
		Size:  func([][]byte) ([][]byte, bool) { return [][]byte{[]byte("1")}, true },
		Find: func(v ir.Value, _ bool) rowimage.Operand {
			return func(cohort [][]byte) ([][]byte, bool) {
				if owner, _ := strconv.Atoi(string(cohort[1])); int64(owner) == s.panicsInChange.Load() {
					panic("unforeseen")
				}
				return [][]byte{cohort[v.(ir.Variable).Index]}, true //nolint:forcetypeassert // fails the test
			}
		},
		Shape: func([]int) *answer.Shape { return &answer.Shape{Tail: "…"} },
	})
	return &execute.Live{Source: "default", Statement: statement{}, Streaming: true, Tables: []catalog.Name{shelfName}, Stream: stream}
}

// reader is a subscriber with the cursors that it got, in their order.
type reader struct {
	owner, start int
	joined       time.Time

	mu      sync.Mutex
	cursors []int
}

func (r *reader) all() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.cursors)
}

// library has a manager whose subscribers are readers.
type library struct {
	*shelf
	t       *testing.T
	manager *Manager
	live    *execute.Live
	readers map[uint64]*reader
	mu      sync.Mutex
}

func newLibrary(t *testing.T, s *shelf) *library {
	t.Helper()
	l := &library{shelf: s, t: t, live: shelfStream(s), readers: map[uint64]*reader{}}
	l.manager = New(Deps{
		Use:     func(string) (backend.LiveSource, func(), error) { return s, func() {}, nil },
		Streams: Options{Interval: time.Second, Batch: 3}, Version: func(any) int64 { return 0 },
		ChangeLog: s.ChangeLog, Metrics: NewMetrics(nil, false), Log: telemetry.Discard(), Tracer: noop.NewTracerProvider().Tracer(""),
	})
	return l
}

// link opens a link; its client takes what is sent after a pause.
func (l *library) link(name string, pause func()) {
	link, err := l.manager.Open(name)
	require.NoError(l.t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		_ = link.Serve(context.Background(), func(p []byte) error {
			pause()
			size, n := binary.Uvarint(p)
			m := &queryv1.LiveResult{}
			if err := proto.Unmarshal(p[n:n+int(size)], m); err != nil || m.GetCursor() == nil {
				return err
			}
			at, err := strconv.Atoi(string(m.GetCursor()))
			for _, id := range m.GetSubscribers() {
				l.mu.Lock()
				r := l.readers[id]
				l.mu.Unlock()
				r.mu.Lock()
				r.cursors = append(r.cursors, at)
				r.mu.Unlock()
			}
			return err
		}, func() error { return nil })
	})
	l.t.Cleanup(func() {
		l.manager.Close()
		serving.Wait()
	})
}

func (l *library) join(link string, id uint64, owner, cursor int) *reader {
	r := &reader{owner: owner, start: cursor, joined: time.Now()}
	l.mu.Lock()
	l.readers[id] = r
	l.mu.Unlock()
	require.NoError(l.t, l.manager.Join(link, id, Subscription{Live: l.live, Values: [][]byte{strconv.AppendInt(nil, int64(cursor), 10), strconv.AppendInt(nil, int64(owner), 10)}}))
	return r
}

func (l *library) count() int {
	l.shelf.mu.Lock()
	defer l.shelf.mu.Unlock()
	return l.statements
}

// TestStreamsFromChanges: once a statement has found nothing, changes give the rows, and no statement is run but once a
// minute.
func TestStreamsFromChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(1)
		l := newLibrary(t, s)
		l.link("g", func() {})
		put := func(id, at, owner int) {
			tx := s.begin()
			tx.put(id, book{at, owner})
			tx.commit()
		}
		put(1, 1, 7)
		put(2, 2, 7)
		mine, later, other := l.join("g", 1, 7, 0), l.join("g", 2, 7, 1), l.join("g", 3, 8, 0)
		time.Sleep(10 * time.Second)
		require.Equal(t, []int{1, 2}, mine.all())
		require.Equal(t, []int{2}, later.all())
		require.Equal(t, 2, l.manager.Dump(true)[0].FromLog)
		before := l.count()
		for i := 3; i < 40; i++ {
			put(i, i, 7+i%2)
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(time.Second)
		require.Equal(t, before, l.count(), "statements")
		another := l.join("g", 4, 7, 38)
		time.Sleep(time.Second)
		require.Equal(t, before+1, l.count(), "of who has come")
		require.Equal(t, []int{1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38}, mine.all())
		require.Equal(t, mine.all()[1:], later.all())
		require.Equal(t, []int{3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39}, other.all())
		time.Sleep(2 * refresh)
		require.Greater(t, l.count(), before, "once a minute")
		require.LessOrEqual(t, l.count(), before+8)
		put(50, 50, 7)
		time.Sleep(time.Second)
		require.Equal(t, []int{50}, another.all())
	})
}

// TestPanicOfACohort: a panic for one subscriber leaves the others of its statement what they would have, and it gets on when that is over.
func TestPanicOfACohort(t *testing.T) {
	t.Parallel()
	for name, panics := range map[string]func(*shelf) *atomic.Int64{
		"in a statement":     func(s *shelf) *atomic.Int64 { return &s.panics },
		"with a changed row": func(s *shelf) *atomic.Int64 { return &s.panicsInChange },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			panicOfACohort(t, panics)
		})
	}
}

func panicOfACohort(t *testing.T, panics func(*shelf) *atomic.Int64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(1)
		l := newLibrary(t, s)
		l.link("g", func() {})
		put := func(at, owner int) {
			tx := s.begin()
			tx.put(at, book{at, owner})
			tx.commit()
		}
		panics(s).Store(8)
		put(1, 7)
		put(2, 8)
		mine, faulty, other := l.join("g", 1, 7, 0), l.join("g", 2, 8, 0), l.join("g", 3, 9, 0)
		time.Sleep(10 * time.Second)
		put(3, 7)
		put(4, 9)
		time.Sleep(10 * time.Second)
		require.Equal(t, []int{1, 3}, mine.all())
		require.Equal(t, []int{4}, other.all())
		if panics(s) == &s.panics {
			require.Empty(t, faulty.all())
		}
		panics(s).Store(0)
		time.Sleep(2 * refresh)
		require.Equal(t, []int{2}, faulty.all())
	})
}

// TestStreamsMissNothing has transactions that overlap, statements and messages that are slow, clients that are, and feeds
// that are lost. Rows are committed in the order of the cursor, so nothing may be missing in the end. Nothing comes twice,
// and nothing that was hidden already when the subscriber came.
func TestStreamsMissNothing(t *testing.T) {
	t.Parallel()
	var fromChanges atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		t.Parallel()
		for seed := range uint64(40) {
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { fromChanges.Add(missNothing(t, seed)) })
			})
		}
	})
	t.Cleanup(func() { require.Greater(t, fromChanges.Load(), int64(1000), "rows are taken from changes") })
}

// showing is what a row was like in a time.
type showing struct {
	book
	from, to time.Time
}

// history has the rows as they were, in the order of their cursors, which is that of the commits.
type history struct {
	list []*showing
	now  map[int]*showing
}

func (h *history) put(id int, b book) {
	h.hide(id)
	h.now[id] = &showing{book: b, from: time.Now()}
	h.list = append(h.list, h.now[id])
}

func (h *history) hide(id int) {
	if before := h.now[id]; before != nil {
		before.to = time.Now()
		delete(h.now, id)
	}
}

// write commits or rolls back changes of some rows.
func (h *history) write(random *rand.Rand, tx *transaction) {
	if random.IntN(4) == 0 {
		tx.commit()
		return
	}
	for range 1 + random.IntN(3) {
		id, b := random.IntN(30), book{owner: 1 + random.IntN(2), at: len(h.list) + 1}
		tx.put(id, b)
		switch random.IntN(5) {
		case 0:
			tx.remove(id)
			h.hide(id)
			h.list = append(h.list, &showing{})
			continue
		case 1: // no subscriber sees it as it was at first
			b.owner = 3 - b.owner
			tx.put(id, b)
		}
		h.put(id, b)
	}
	tx.commit()
}

// missNothing returns how many batches came from changes.
func missNothing(t *testing.T, seed uint64) int64 {
	t.Helper()
	s := newShelf(seed)
	s.slow, s.doubt = true, seed%3 == 0
	l := newLibrary(t, s)
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
	for _, name := range []string{"fast", "slow"} {
		l.link(name, func() {
			if name == "slow" {
				s.pause(40 * time.Millisecond)
			}
		})
	}
	h := &history{now: map[int]*showing{}}
	var open []*transaction
	var joined []*reader
	for range 600 {
		time.Sleep(time.Duration(random.IntN(int(6 * time.Millisecond))))
		switch n := random.IntN(40); {
		case n < 10 && len(open) < 4:
			open = append(open, s.begin())
		case n < 12:
			start := max(len(h.list)-random.IntN(1+random.IntN(20)), 0)
			joined = append(joined, l.join([]string{"fast", "slow"}[random.IntN(2)], uint64(len(joined)+1), 1+random.IntN(2), start)) //nolint:gosec // few
		case n == 12 && seed%2 == 0 && random.IntN(6) == 0:
			select {
			case s.fail <- struct{}{}:
			default:
			}
		case n == 13 && random.IntN(10) == 0:
			time.Sleep(refresh)
		case len(open) > 0:
			i := random.IntN(len(open))
			h.write(random, open[i])
			open = slices.Delete(open, i, i+1)
		}
		l.requireBounds()
	}
	time.Sleep(20 * time.Second) // less than until everything is run anyway
	for _, r := range joined {
		got := r.all()
		require.True(t, slices.IsSorted(got), "%v", got)
		require.Len(t, slices.Compact(slices.Clone(got)), len(got), "twice: %v", got)
		for _, at := range got {
			was := h.list[at-1]
			require.Equal(t, was.owner, r.owner, "%d was never to be seen", at)
			require.True(t, was.to.IsZero() || !was.to.Before(r.joined), "%d was hidden before", at)
		}
		for id, is := range h.now {
			if is.owner == r.owner && is.at > r.start {
				require.Contains(t, got, is.at, "row %d of %d", id, is.owner)
			}
		}
	}
	return int64(testutil.ToFloat64(l.manager.deps.Metrics.batches.WithLabelValues(string(fromLog))))
}

// requireBounds holds that nothing is kept but for clients that are slow, and little for these.
func (l *library) requireBounds() {
	l.t.Helper()
	most, held, idle := 0, 0, 0
	l.manager.mu.Lock()
	for _, link := range l.manager.links {
		link.mu.Lock()
		for _, s := range link.dirty {
			n := 0
			for _, r := range s.pending {
				if r.Cursor != nil {
					n++
				}
			}
			most = max(most, n)
		}
		link.mu.Unlock()
	}
	for _, p := range l.manager.pollers {
		p.mu.Lock()
		if held = len(p.following.held); !p.following.running {
			idle = held
		}
		p.mu.Unlock()
	}
	l.manager.mu.Unlock()
	require.LessOrEqual(l.t, most, 2*maxBatches, "some may have been on their way")
	require.LessOrEqual(l.t, held, mostHeld)
	require.Zero(l.t, idle)
}
