package changestream_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres/changestream"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/localpg"
)

// pair is a primary server, whose table is published, and a standby server that has the slot, as servers of PostgreSQL 17 keep
// it there. Before that version its files are copied.
type pair struct {
	*fixture
	primary, standby *localpg.Server
	dirs             [2]string
	stop             func()
}

var logical = map[string]string{"wal_level": "logical"}

func setupPair(t *testing.T) *pair {
	t.Helper()
	require.NoError(t, localpg.Ensure(t.Context(), func(string) {}))
	p := &pair{fixture: newFixture(), dirs: [2]string{t.TempDir(), t.TempDir()}}
	var err error
	p.primary, err = localpg.Start(t.Context(), localpg.Config{Dir: p.dirs[0], Template: dbtest.Cluster(), Settings: logical})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.primary.Stop(context.Background()) })
	p.use(t, p.primary.URL("postgres"))
	p.exec(t, itemTable+barrierTable)
	p.standby, err = p.primary.Standby(t.Context(), localpg.Config{Dir: p.dirs[1], Settings: logical})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.standby.Stop(context.Background()) })
	p.stop = p.publish(t, definition(items))
	p.exec(t, `INSERT INTO item SELECT i, 'me', 'first', 's', 1 FROM generate_series(1, 20) i`)
	p.caughtUp(t)
	p.stop()
	p.inactive(t)
	p.copySlot(t)
	return p
}

// copySlot gives the standby server the slot as it is, and restarts it.
func (p *pair) copySlot(t *testing.T) {
	t.Helper()
	p.exec(t, `CHECKPOINT`)
	require.NoError(t, p.standby.Stop(t.Context()))
	slots := filepath.Join("data", "pg_replslot")
	to, err := os.Stat(filepath.Join(p.dirs[1], slots))
	require.NoError(t, err)
	owner, ok := to.Sys().(*syscall.Stat_t)
	require.True(t, ok)
	require.NoError(t, os.CopyFS(filepath.Join(p.dirs[1], slots), os.DirFS(filepath.Join(p.dirs[0], slots))))
	require.NoError(t, filepath.WalkDir(filepath.Join(p.dirs[1], slots), func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chown(path, int(owner.Uid), int(owner.Gid))
		}
		return err
	}))
	p.standby, err = localpg.Start(t.Context(), localpg.Config{Dir: p.dirs[1], Settings: logical})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.standby.Stop(context.Background()) })
	p.awaitStandby(t)
}

// awaitStandby waits until the standby server has what the primary has committed.
func (p *pair) awaitStandby(t *testing.T) {
	t.Helper()
	var end string
	require.NoError(t, p.db.QueryRow(t.Context(), `SELECT pg_current_wal_lsn()::text`).Scan(&end))
	standby := connect(t, p.standby.URL("postgres"))
	require.Eventually(t, func() bool {
		there := false
		err := standby.QueryRow(t.Context(), `SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn`, end).Scan(&there)
		return err == nil && there
	}, patience, tick)
}

// part has the standby server follow no more.
func (p *pair) part(t *testing.T) {
	t.Helper()
	standby := connect(t, p.standby.URL("postgres"))
	for _, sql := range []string{`ALTER SYSTEM SET primary_conninfo = ''`, `SELECT pg_reload_conf()`} {
		_, err := standby.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool {
		gone := false
		err := p.db.QueryRow(t.Context(), `SELECT NOT EXISTS (SELECT FROM pg_stat_replication)`).Scan(&gone)
		return err == nil && gone
	}, patience, tick)
}

// promote has the standby server take over.
func (p *pair) promote(t *testing.T) {
	t.Helper()
	require.NoError(t, p.primary.Stop(t.Context()))
	p.use(t, p.standby.URL("postgres"))
	p.exec(t, `SELECT pg_promote()`)
}

// TestServerThatTookOverWithTheSlot has a standby server take over that has the slot and all changes that were published: nothing starts again.
func TestServerThatTookOverWithTheSlot(t *testing.T) {
	t.Parallel()
	p := setupPair(t)
	p.promote(t)
	p.exec(t, `UPDATE item SET note = 'second' WHERE id = 7; DELETE FROM item WHERE id = 8`)
	p.publish(t, definition(items))
	p.caughtUp(t)
	require.Equal(t, p.rows(t), p.sink.state()["item"])
	require.Equal(t, 1, p.sink.count(changestream.OpBegin))
	last := p.sink.all()[len(p.sink.all())-1]
	require.EqualValues(t, 2, last.Place.Timeline)
}

// TestServerThatTookOverWithoutChanges has a standby server take over that has the slot, but not the last changes that were published. Its own
// ones have places in the log that are before those: they aren't skipped, and what it doesn't have is undone.
func TestServerThatTookOverWithoutChanges(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]func(*testing.T, *pair){
		"changes": func(t *testing.T, p *pair) {
			t.Helper()
			stop := p.publish(t, definition(items))
			p.exec(t, `INSERT INTO item SELECT i, 'me', repeat('lost', 100), 's', 1 FROM generate_series(101, 600) i; DELETE FROM item WHERE id = 3`)
			p.caughtUp(t)
			stop()
		},
		"rows, of which the reading was interrupted": func(t *testing.T, p *pair) {
			t.Helper()
			p.sink.dropBehind(12) // the beginning, and some of the 20 rows
			p.exec(t, `UPDATE item SET note = 'lost'`)
			p.sink.failOnceAt(18)
			require.ErrorIs(t, changestream.Publish(t.Context(), p.pool, definition(items), p.sink, p.on), errStore)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := setupPair(t)
			p.part(t)
			lost(t, p)
			p.promote(t)
			p.exec(t, `UPDATE item SET note = 'second' WHERE id = 7; DELETE FROM item WHERE id = 8`)
			p.publish(t, definition(items))
			require.Eventually(t, func() bool { return p.sink.count(changestream.OpBegin) == 2 }, patience, tick)
			p.caughtUp(t)
			require.Equal(t, p.rows(t), p.sink.state()["item"])
			require.Equal(t, 1, p.slots(t))
		})
	}
}
