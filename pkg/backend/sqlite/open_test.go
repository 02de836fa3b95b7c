package sqlite

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
)

// fixture is a new file with a source on it, and a connection of the test's own: another process, as far
// as the source can see.
type fixture struct {
	source *Source
	path   string
	other  *sqlite.Conn
}

// newFixture makes the file with the given tables. change may alter the options.
func newFixture(t testing.TB, schema string, change func(*Options)) *fixture {
	t.Helper()
	f := &fixture{path: filepath.Join(t.TempDir(), "test.db")}
	var err error
	f.other, err = openDriver(f.path, sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenWAL)
	require.NoError(t, err)
	t.Cleanup(func() { closeDriver(f.other) })
	f.exec(t, schema)
	o := Options{Path: f.path, Readers: 4, PoolTimeout: time.Minute, BusyTimeout: time.Minute, Poll: 10 * time.Millisecond}
	if change != nil {
		change(&o)
	}
	f.source = Open(o)
	t.Cleanup(f.source.Close)
	return f
}

func (f *fixture) exec(t testing.TB, statements string) {
	t.Helper()
	require.NoError(t, sqlitex.ExecuteScript(f.other, statements, nil))
}

// run runs a text as run_sql does.
func (f *fixture) run(t testing.TB, r backend.RawSQL) ([][]string, error) {
	t.Helper()
	result, err := f.source.RunSQL(t.Context(), r)
	if err != nil {
		return nil, err
	}
	return result.Rows, nil
}

// rows are the rows of a text that only reads, without the names of the columns.
func (f *fixture) rows(t testing.TB, sql string) [][]string {
	t.Helper()
	rows, err := f.run(t, backend.RawSQL{SQL: sql, ReadOnly: true})
	require.NoError(t, err)
	return rows[1:]
}

func table(name string) catalog.Name { return catalog.Name{Name: name} }

// statement is a statement that writes, with values as they are.
func written(text string) *statement {
	return &statement{text: text, reply: reply{kind: replyMutation, check: -1}}
}

func TestPing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	require.NoError(t, f.source.Ping(t.Context()))
	f.source.Close()
	require.ErrorContains(t, f.source.Ping(t.Context()), "connection error")
}

// A file is made when the configuration says so, and never because of a wrong path.
func TestCreate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new.db")
	s := Open(Options{Path: path, Readers: 1, PoolTimeout: time.Minute})
	defer s.Close()
	require.ErrorContains(t, s.Ping(t.Context()), "connection error")
	require.NoFileExists(t, path)
	made := Open(Options{Path: path, Readers: 1, PoolTimeout: time.Minute, Create: true})
	defer made.Close()
	require.NoError(t, made.Ping(t.Context()))
	require.FileExists(t, path)
	require.NoError(t, s.Ping(t.Context()))
}

func TestNoDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(path, []byte("no database, but a text that is long enough to be looked at as one"), 0o600))
	s := Open(Options{Path: path, Readers: 1, PoolTimeout: time.Minute})
	defer s.Close()
	require.Error(t, s.Ping(t.Context()))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(content), "no database")
}
