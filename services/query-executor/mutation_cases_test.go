package queryexecutor

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
)

// restore brings the data of a feature whose cases write back to where it was. It does nothing
// for one that has no reset.sql.
func restore(t testing.TB, e *Executor, feature string) {
	t.Helper()
	if reset := readFile(t, filepath.Join(feature, "reset.sql")); reset != nil {
		runSQL(t, e, string(reset))
	}
}

// requireState compares what a case leaves behind with want.state.json, where there is one.
func requireState(t testing.TB, e *Executor, dir string) {
	t.Helper()
	name := filepath.Join(dir, "want.state.json")
	if readFile(t, name) == nil {
		return
	}
	state := runSQL(t, e, string(readFile(t, filepath.Join(filepath.Dir(dir), "state.sql"))))
	require.Len(t, state.Rows, 2)
	requireFile(t, name, []byte(state.Rows[1][0]))
}

// databaseSession is a connection to the first database of a fixture, from its first use on: one for each statement costs more than most
// statements.
type databaseSession struct {
	url  string
	conn *pgx.Conn
}

// sessions are those of fixtures, by executor.
var sessions sync.Map

func newSession(t testing.TB, e *Executor, url string) {
	t.Helper()
	s := &databaseSession{url: url}
	sessions.Store(e, s)
	t.Cleanup(func() {
		sessions.Delete(e)
		if s.conn != nil {
			_ = s.conn.Close(context.Background())
		}
	})
}

// runSQL runs statements in the first database of a fixture. The result is that of the last one.
func runSQL(t testing.TB, e *Executor, text string) *backend.RawResult {
	t.Helper()
	known, ok := sessions.Load(e)
	require.True(t, ok, "no executor of newFixture")
	s := known.(*databaseSession)
	if s.conn == nil {
		var err error
		s.conn, err = pgx.Connect(t.Context(), s.url)
		require.NoError(t, err)
	}
	results, err := s.conn.PgConn().Exec(t.Context(), text).ReadAll()
	require.NoError(t, err)
	last := results[len(results)-1]
	if len(last.FieldDescriptions) == 0 {
		return &backend.RawResult{}
	}
	names := make([]string, len(last.FieldDescriptions))
	for i, f := range last.FieldDescriptions {
		names[i] = f.Name
	}
	rows := [][]string{names}
	for _, r := range last.Rows {
		row := make([]string, len(r))
		for i, value := range r {
			if row[i] = string(value); value == nil {
				row[i] = "NULL"
			}
		}
		rows = append(rows, row)
	}
	return &backend.RawResult{Rows: rows}
}
