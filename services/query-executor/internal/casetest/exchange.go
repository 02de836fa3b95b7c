package casetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/session"
)

// StatementsFile holds the statements of a case with what a database has answered.
const StatementsFile = "want.postgres.json"

// exchange is one statement with its parameters, and what came of it.
type exchange struct {
	Source     string      `json:"source"`
	SQL        string      `json:"sql"`
	Parameters []*string   `json:"parameters,omitempty"`
	Answer     string      `json:"answer,omitempty"`
	Rows       [][]*string `json:"rows,omitempty"`
	Error      *fault      `json:"error,omitempty"`
}

// fault is an error as a source gives it.
type fault struct {
	Code    apierror.Code `json:"code"`
	Message string        `json:"message"`
	Path    string        `json:"path,omitempty"`
	Status  int           `json:"status,omitempty"`
}

// endOf is the statement that a transaction ends with, when that fails.
const endOf = "COMMIT"

func faultOf(err error) *fault {
	if err == nil {
		return nil
	}
	known := apierror.From(err)
	return &fault{known.Code, known.Message, known.Path, known.Status}
}

func (f *fault) error() error {
	if f == nil {
		return nil
	}
	return &apierror.Error{Code: f.Code, Message: f.Message, Path: f.Path, Status: f.Status}
}

// comment is the comment of a statement that names its operation.
var comment = regexp.MustCompile(` /\*.*\*/$`)

// asked is the part of an exchange that is known before it.
func asked(source string, s backend.Statement, a backend.Args) (*exchange, error) {
	x := &exchange{Source: source, SQL: comment.ReplaceAllString(s.SQL(), "")}
	p, ok := s.(backend.Parameterized)
	if !ok {
		return x, nil
	}
	values, err := p.Parameters(a)
	x.Parameters = texts(values)
	return x, err
}

func texts(values [][]byte) []*string {
	var list []*string
	for _, v := range values {
		if v == nil {
			list = append(list, nil)
			continue
		}
		text := string(v)
		list = append(list, &text)
	}
	return list
}

func (x *exchange) key() string {
	key, _ := json.Marshal([]any{x.Source, x.SQL, x.Parameters}) // made of texts
	return string(key)
}

// Recorder records the statements of sources.
type Recorder struct {
	mu sync.Mutex
	// inOrder are exchanges of transactions, next to exchanges that may run at once.
	inOrder, beside []*exchange
}

func (r *Recorder) add(list *[]*exchange, x *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*list = append(*list, x)
}

// Take returns what was recorded since the last call, as JSON.
func (r *Recorder) Take(t testing.TB) []byte {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(r.beside, func(a, b *exchange) int { return strings.Compare(a.key(), b.key()) })
	list := append([]*exchange{}, append(r.inOrder, r.beside...)...)
	r.inOrder, r.beside = nil, nil
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	require.NoError(t, e.Encode(list))
	return bytes.TrimSpace(b.Bytes())
}

// Source is a source whose statements are noted.
func (r *Recorder) Source(name string, s backend.Source) backend.Source {
	return &recorded{s, r, name}
}

type recorded struct {
	backend.Source
	recorder *Recorder
	name     string
}

// Query notes the statement of a query.
func (s *recorded) Query(ctx context.Context, st backend.Statement, a backend.Args, out *backend.Answer) error {
	return s.recorder.query(&s.recorder.beside, s.name, st, a, out, func() error { return s.Source.Query(ctx, st, a, out) })
}

func (r *Recorder) query(list *[]*exchange, source string, st backend.Statement, a backend.Args, out *backend.Answer, run func() error) error {
	x, failed := asked(source, st, a)
	before := len(out.Buf)
	err := run()
	if failed == nil {
		x.Answer, x.Error = string(out.Buf[before:]), faultOf(err)
		r.add(list, x)
	}
	return err
}

// Mutate notes the statements of a transaction.
func (s *recorded) Mutate(ctx context.Context, as *session.Session, f func(backend.Tx) error) error {
	var inner error
	err := s.Source.Mutate(ctx, as, func(tx backend.Tx) error {
		inner = f(&recordedTx{tx, s})
		return inner
	})
	if err != nil && inner == nil {
		s.recorder.add(&s.recorder.inOrder, &exchange{Source: s.name, SQL: endOf, Error: faultOf(err)})
	}
	return err
}

type recordedTx struct {
	backend.Tx
	source *recorded
}

// Last passes on that one more statement comes.
func (t *recordedTx) Last() { backend.Last(t.Tx) }

// Query notes a statement.
func (t *recordedTx) Query(ctx context.Context, st backend.Statement, a backend.Args, out *backend.Answer) error {
	return t.source.recorder.query(&t.source.recorder.inOrder, t.source.name, st, a, out, func() error { return t.Tx.Query(ctx, st, a, out) })
}

// Exec notes a statement and its rows.
func (t *recordedTx) Exec(ctx context.Context, st backend.Statement, a backend.Args, f func([][]byte) error) error {
	x, failed := asked(t.source.name, st, a)
	err := t.Tx.Exec(ctx, st, a, func(row [][]byte) error {
		x.Rows = append(x.Rows, texts(row))
		return f(row)
	})
	if failed == nil {
		x.Error = faultOf(err)
		t.source.recorder.add(&t.source.recorder.inOrder, x)
	}
	return err
}

// Defer notes a statement and the rows that come of it later.
func (t *recordedTx) Defer(ctx context.Context, d backend.Deferred) error {
	x, failed := asked(t.source.name, d.Statement, d.Args)
	if failed == nil {
		t.source.recorder.add(&t.source.recorder.inOrder, x)
	}
	inner := d
	inner.Row = func(row [][]byte) error {
		x.Rows = append(x.Rows, texts(row))
		if d.Row == nil {
			return nil
		}
		return d.Row(row)
	}
	inner.Failed = func(err error) error {
		x.Error = faultOf(err)
		if d.Failed == nil {
			return err
		}
		return d.Failed(err)
	}
	return t.Tx.Defer(ctx, inner)
}

// Replay answers statements with recorded answers.
type Replay struct {
	mu     sync.Mutex
	left   map[string][]*exchange
	number int
}

// NewReplay reads the statements of a case.
func NewReplay(t testing.TB, raw []byte) *Replay {
	t.Helper()
	var list []*exchange
	require.NoError(t, json.Unmarshal(raw, &list))
	r := &Replay{left: map[string][]*exchange{}, number: len(list)}
	for _, x := range list {
		r.left[x.key()] = append(r.left[x.key()], x)
	}
	return r
}

// Left is how many statements were not asked.
func (r *Replay) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.number
}

func (r *Replay) take(x *exchange) *exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.left[x.key()]
	if len(list) == 0 {
		return nil
	}
	r.left[x.key()] = list[1:]
	r.number--
	return list[0]
}

func (r *Replay) find(source string, st backend.Statement, a backend.Args) (*exchange, error) {
	want, err := asked(source, st, a)
	if err != nil {
		return nil, err
	}
	x := r.take(want)
	if x == nil {
		return nil, fmt.Errorf("no recorded answer to %s", want.key())
	}
	return x, nil
}

// Source is a source that answers with what was recorded.
func (r *Replay) Source(name string) backend.Source { return &replayed{replay: r, name: name} }

// replayed is a source, or a transaction of it. What isn't asked by requests is nil.
type replayed struct {
	backend.Source
	replay *Replay
	name   string
}

// Query answers a query.
func (s *replayed) Query(_ context.Context, st backend.Statement, a backend.Args, out *backend.Answer) error {
	x, err := s.replay.find(s.name, st, a)
	if err != nil {
		return err
	}
	out.Buf = append(out.Buf, x.Answer...)
	return x.Error.error()
}

// Mutate runs f in no transaction at all.
func (s *replayed) Mutate(_ context.Context, _ *session.Session, f func(backend.Tx) error) error {
	if err := f(&replayedTx{s}); err != nil {
		return err
	}
	if x := s.replay.take(&exchange{Source: s.name, SQL: endOf}); x != nil {
		return x.Error.error()
	}
	return nil
}

// Close has nothing to close.
func (s *replayed) Close() {}

type replayedTx struct{ *replayed }

// Exec gives the rows of a statement.
func (t *replayedTx) Exec(_ context.Context, st backend.Statement, a backend.Args, f func([][]byte) error) error {
	x, err := t.replay.find(t.name, st, a)
	if err != nil {
		return err
	}
	for _, row := range x.Rows {
		values := make([][]byte, len(row))
		for i, v := range row {
			if v != nil {
				values[i] = []byte(*v)
			}
		}
		if err := f(values); err != nil {
			return err
		}
	}
	return x.Error.error()
}

// Defer runs the statement at once.
func (t *replayedTx) Defer(ctx context.Context, d backend.Deferred) error {
	row := d.Row
	if row == nil {
		row = func([][]byte) error { return nil }
	}
	err := t.Exec(ctx, d.Statement, d.Args, row)
	if err != nil && d.Failed != nil {
		return d.Failed(err)
	}
	return err
}

// Flush has nothing to send.
func (t *replayedTx) Flush(context.Context) error { return nil }
