package mssql

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/mssql/tdstest"
	"queryengine/pkg/session"
)

// script is a server whose answers a test has written.
type script struct {
	*tdstest.Server
	// run answers requests.
	run func(ctx context.Context, r tdstest.Request, yield func(tdstest.Result) bool)
	// commit answers the end of a transaction; nil for success.
	commit func() error

	mu sync.Mutex
	// requests are the texts that came, with the requests of the transaction manager in words.
	requests []tdstest.Request
	resets   int
	logins   []tdstest.Login
}

func newScript(t testing.TB, run func(ctx context.Context, r tdstest.Request, yield func(tdstest.Result) bool)) *script {
	t.Helper()
	s := &script{run: run}
	s.Server = tdstest.New(t, func(l tdstest.Login) (tdstest.Session, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.logins = append(s.logins, l)
		return &scripted{s}, nil
	})
	return s
}

// source opens a source on the server. change may alter the endpoint.
func (s *script) source(t testing.TB, change func(*Endpoint)) *Source {
	t.Helper()
	info := ConnectionInfo{ConnectionString: quoted(s.ConnectionString()), IsolationLevel: "read-committed"}
	o, err := Configure(Configuration{ConnectionInfo: info}, environment(nil), "the test")
	require.NoError(t, err)
	o.Primary.PoolTimeout, o.Primary.IdleTimeout = time.Minute, time.Minute
	if change != nil {
		change(&o.Primary)
	}
	source := Open(o)
	t.Cleanup(source.Close)
	return source
}

func (s *script) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, tdstest.Request{SQL: text})
}

// texts are the texts of all requests so far.
func (s *script) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var texts []string
	for _, r := range s.requests {
		texts = append(texts, r.SQL)
	}
	return texts
}

// scripted is one connection.
type scripted struct{ *script }

func (s *scripted) Run(ctx context.Context, r tdstest.Request) iter.Seq[tdstest.Result] {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	return func(yield func(tdstest.Result) bool) { s.run(ctx, r, yield) }
}

var isolationNames = map[byte]string{0: "", 1: "read uncommitted", 2: "read committed", 3: "repeatable read", 4: "serializable", 5: "snapshot"}

func (s *scripted) Begin(_ context.Context, isolation byte) error {
	s.note("begin " + isolationNames[isolation])
	return nil
}

func (s *scripted) Commit(context.Context) error {
	s.note("commit")
	if s.commit != nil {
		return s.commit()
	}
	return nil
}

func (s *scripted) Rollback(context.Context) error {
	s.note("rollback")
	return nil
}

func (s *scripted) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resets++
}

func (s *scripted) Close() {}

// row is a result of one column with one row.
func row(typ, value string) tdstest.Result {
	return tdstest.Result{
		Columns: []tdstest.Column{{Name: "c", Type: typ}},
		Rows:    tdstest.Rows([]*string{tdstest.Text(value)}),
	}
}

// ofMutation makes a result the answer of a mutation.
func ofMutation(r tdstest.Result) tdstest.Result {
	r.Columns[0].Name = readColumn
	return r
}

// fault is the error of a statement.
func fault(number int, message string) tdstest.Result {
	return tdstest.Result{Err: &tdstest.Error{Number: number, Message: message}}
}

func quoted(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return raw
}

func role(name string) *session.Session { return session.New(name, nil) }

func isolation(level sql.IsolationLevel) func(*Endpoint) {
	return func(e *Endpoint) { e.Isolation = level }
}
