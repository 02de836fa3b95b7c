package sqlite

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
)

// listen starts to listen and gives a function that waits for the next change.
func (f *fixture) listen(t *testing.T, relations ...string) (ids []string, next func() string) {
	t.Helper()
	var names []catalog.Name
	for _, r := range relations {
		names = append(names, table(r))
	}
	ids, err := f.source.Changes().Watch(t.Context(), names)
	require.NoError(t, err)
	ready, changed := make(chan struct{}), make(chan string, 100)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- f.source.Changes().Listen(ctx, func() { close(ready) }, func(c backend.Change) { changed <- c.ID })
	}()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	<-ready
	return ids, func() string { return <-changed }
}

func (f *fixture) write(t *testing.T, text string) {
	t.Helper()
	require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
		return tx.Exec(t.Context(), written(text), backend.Args{}, func([][]byte) error { return nil })
	}))
}

const changing = `CREATE TABLE parent (id INTEGER PRIMARY KEY);
	CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent ON DELETE CASCADE) ;
	CREATE TABLE log (n INTEGER) ; CREATE TABLE quiet (n INTEGER);
	CREATE TRIGGER t AFTER UPDATE ON parent BEGIN INSERT INTO log VALUES (new.id); END;
	CREATE VIEW both AS SELECT child.id, log.n FROM child LEFT JOIN log ON log.n = child.id;
	INSERT INTO parent VALUES (1), (2);
	INSERT INTO child VALUES (1, 1);`

// What the source writes itself is reported at once: also what triggers and foreign keys write.
func TestOwnChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t, changing, func(o *Options) { o.Poll = 1 << 40 })
	ids, next := f.listen(t, "both")
	require.ElementsMatch(t, []string{"child", "log"}, ids, "a view changes with its tables")
	f.write(t, "INSERT INTO quiet VALUES (1)")
	f.write(t, "DELETE FROM parent WHERE id = 1")
	require.Equal(t, "child", next(), "by a foreign key")
	f.write(t, "UPDATE parent SET id = 3")
	require.Equal(t, "log", next(), "by a trigger")
	f.write(t, "DELETE FROM log")
	require.Equal(t, "log", next(), "without a condition, where no row is looked at")
	_, err := f.run(t, backend.RawSQL{SQL: "INSERT INTO quiet VALUES (2)"})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"child", "log"}, []string{next(), next()}, "a text may have changed anything")
}

// What is rolled back isn't reported, and what another process commits is.
func TestChangesOfOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, changing, nil)
	_, next := f.listen(t, "quiet")
	require.Error(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
		if err := tx.Exec(t.Context(), written("INSERT INTO quiet VALUES (1)"), backend.Args{}, func([][]byte) error { return nil }); err != nil {
			return err
		}
		return context.Canceled
	}))
	f.exec(t, "INSERT INTO quiet VALUES (2)")
	require.Equal(t, "quiet", next())
	require.Equal(t, [][]string{{"2"}}, f.rows(t, "SELECT n FROM quiet"))
}

func TestUnwatchable(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE VIRTUAL TABLE words USING fts5(word)", nil)
	for _, name := range []string{"words", "missing"} {
		_, err := f.source.Changes().Watch(t.Context(), []catalog.Name{table(name)})
		require.ErrorIs(t, err, backend.ErrUnwatchable, name)
	}
}
