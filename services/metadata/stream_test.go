package metadata

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
)

// versions are the versions that the stream holds, in its order.
func versions(t *testing.T, b *bus.Bus) []int64 {
	t.Helper()
	info, err := b.Changes().Info(t.Context())
	require.NoError(t, err)
	var found []int64
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_ = b.Changes().FollowStream(ctx, info.StreamID, 0, func(_ context.Context, version int64, _ []byte) error {
		found = append(found, version)
		if version == info.LastVersion {
			cancel()
		}
		return nil
	})
	return found
}

// replay rebuilds the document from the stream alone.
func replay(t *testing.T, b *bus.Bus) string {
	t.Helper()
	info, err := b.Changes().Info(t.Context())
	require.NoError(t, err)
	s := &snapshot.Snapshot{StreamID: info.StreamID, Version: 1, Document: metadata.Empty()}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_ = b.Changes().FollowStream(ctx, info.StreamID, 0, func(_ context.Context, version int64, data []byte) error {
		change, err := snapshot.DecodeChange(data)
		if err != nil {
			return err
		}
		if s, err = s.Apply(change); err != nil {
			return err
		}
		if version == info.LastVersion {
			cancel()
		}
		return nil
	})
	require.Equal(t, info.LastVersion, s.Version)
	return exported(t, s)
}

func consecutive(t *testing.T, list []int64, last int64) {
	t.Helper()
	require.NotEmpty(t, list)
	for k := 1; k < len(list); k++ {
		require.Equal(t, list[k-1]+1, list[k])
	}
	require.Equal(t, last, list[len(list)-1])
}

// published waits until the stream holds the current version.
func (i *instance) published(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		info, err := i.bus.Changes().Info(t.Context())
		return err == nil && info.LastVersion == i.version()
	}, 30*time.Second, 10*time.Millisecond)
}

func TestReplicasShareTheWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var sql strings.Builder
	const tables = 12
	for k := range tables {
		fmt.Fprintf(&sql, "CREATE TABLE t%d (id int PRIMARY KEY);", k)
	}
	w.sql(t, w.source, sql.String())
	replicas := make([]*instance, 2)
	var wg sync.WaitGroup
	for k := range replicas {
		wg.Go(func() { replicas[k] = w.start(t) })
	}
	wg.Wait()
	require.NotNil(t, replicas[0])
	require.NotNil(t, replicas[1])
	f := w.follow(t, true)

	// Each request is processed by the replica whose engine it is handed to; a conflict of the two is
	// not an error.
	for k := range tables {
		wg.Go(func() {
			replicas[k%2].ok(t, fmt.Sprintf(`{"type":"pg_track_table","args":{"table":"t%d"}}`, k))
		})
	}
	wg.Wait()
	export := replicas[0].export(t)
	require.Equal(t, export, replicas[1].export(t))
	require.Len(t, replicas[0].engine.State().Document.Sources[0].Tables, tables)
	require.Equal(t, export, exported(t, waitFor(t, f, replicas[0].version())))
	consecutive(t, versions(t, replicas[0].bus), replicas[0].version())
	require.Equal(t, export, replay(t, replicas[0].bus))
}

func TestPublisherThatDiedIsFollowedWithoutLossOrRepetition(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	i := w.start(t)
	i.ok(t, track)
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`)
	i.published(t)
	i.Stop()
	// It died before it could mark what it had published, ...
	w.sql(t, w.metadataURL, `UPDATE engine_catalog.metadata_change SET published = false`)
	// ... and after a commit that it could not publish any more.
	i = w.start(t)
	i.publisher.Stop()
	i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
	last := i.version()
	i.Stop()

	f := w.follow(t, false)
	i = w.start(t)
	s := waitFor(t, f, last)
	require.Equal(t, i.export(t), exported(t, s))
	i.published(t)
	consecutive(t, versions(t, i.bus), i.version())
	require.Equal(t, i.export(t), replay(t, i.bus))
	var pending int
	conn, err := pgx.Connect(t.Context(), w.metadataURL)
	require.NoError(t, err)
	defer conn.Close(context.Background()) //nolint:errcheck // the test is over then
	require.Eventually(t, func() bool {
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM engine_catalog.metadata_change WHERE NOT published`).Scan(&pending)
		return err == nil && pending == 0
	}, 30*time.Second, 10*time.Millisecond)
}

func TestStreamOfAnotherDatabaseIsRebuilt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	i := w.start(t)
	i.ok(t, track)
	f := w.follow(t, false)
	waitFor(t, f, i.version())
	i.published(t)
	i.Stop()

	other := newWorldOn(t, w)
	other.sql(t, other.source, shop)
	i = other.start(t)
	require.NotEqual(t, f.Current().StreamID, i.engine.State().StreamID)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"kind"}}`)
	require.Eventually(t, func() bool {
		s := f.Current()
		return s.StreamID == i.engine.State().StreamID && s.Version == i.version()
	}, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, i.export(t), exported(t, f.Current()))
}

// newWorldOn is another metadata database and source on the NATS server of w.
func newWorldOn(t *testing.T, w *world) *world {
	t.Helper()
	other := newWorld(t)
	other.nats = w.nats
	return other
}

func TestLostStreamIsFilledFromTheHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	i := w.start(t)
	i.ok(t, track)
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`)
	i.published(t)
	streamID := i.engine.State().StreamID
	i.Stop()
	w.nats.Stop()
	w.natsDir = t.TempDir()
	w.startNATS(t)

	i = w.start(t)
	require.Equal(t, streamID, i.engine.State().StreamID)
	i.published(t)
	consecutive(t, versions(t, i.bus), i.version())
	require.Equal(t, i.export(t), replay(t, i.bus))
	require.Equal(t, i.version(), latest(t, i.bus).Version)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
	require.Equal(t, i.export(t), exported(t, waitFor(t, w.follow(t, false), i.version())))
}

// TestForeignMessagesInTheStream: who may ask JetStream something can have its answer stored in the stream, by naming the stream's subject as where
// the answer goes to. Changes go on, followers miss none, and what starts afterwards serves.
func TestForeignMessagesInTheStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	i := w.start(t)
	i.ok(t, track)
	i.published(t)
	f := w.follow(t, false)
	conn, err := nats.Connect("", nats.InProcessServer(w.nats))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	for n, command := range []string{
		`{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`, `{"type":"pg_track_table","args":{"table":"stock"}}`,
	} {
		for range n + 1 {
			require.NoError(t, conn.PublishRequest("$JS.API.STREAM.INFO."+bus.ChangesStream, bus.ChangesSubject, nil))
			require.NoError(t, conn.Flush())
		}
		i.ok(t, command)
		i.published(t)
		require.Equal(t, i.export(t), exported(t, waitFor(t, f, i.version())))
	}
	require.NoError(t, conn.PublishRequest("$JS.API.STREAM.INFO."+bus.ChangesStream, bus.ChangesSubject, nil))
	require.NoError(t, conn.Flush())
	require.Equal(t, i.export(t), exported(t, waitFor(t, w.follow(t, false), i.version())))
	i.Stop()
	i = w.start(t)
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`)
	require.Equal(t, i.export(t), exported(t, waitFor(t, w.follow(t, false), i.version())))
}

func TestLostStreamWithoutHistoryStartsFromASnapshot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	i := w.start(t)
	i.ok(t, track)
	i.published(t)
	i.Stop()
	// The history is gone, and the stream has lost its end.
	w.sql(t, w.metadataURL, `DELETE FROM engine_catalog.metadata_change`)
	w.sql(t, w.metadataURL, `UPDATE engine_catalog.metadata_version SET resource_version = resource_version + 5`)
	i = w.start(t)
	f := w.follow(t, false)
	require.Equal(t, i.export(t), exported(t, waitFor(t, f, i.version())))
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`)
	require.Equal(t, i.export(t), exported(t, waitFor(t, f, i.version())))
}

// backup copies the metadata database, which must have no connections.
func (w *world) backup(t *testing.T) (address string) {
	t.Helper()
	u, err := url.Parse(w.metadataURL)
	require.NoError(t, err)
	name := path.Base(u.Path)
	copied := name[:min(len(name), 50)] + "_backup"
	w.sql(t, w.source, fmt.Sprintf(`CREATE DATABASE %q TEMPLATE %q`, copied, name))
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), w.source)
		if err != nil {
			return
		}
		defer conn.Close(context.Background()) //nolint:errcheck // nothing is left to do
		_, _ = conn.Exec(context.Background(), fmt.Sprintf(`DROP DATABASE IF EXISTS %q WITH (FORCE)`, copied))
	})
	u.Path = "/" + copied
	return u.String()
}

func TestRestoredBackupStartsAnotherHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	i := w.start(t)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"kind"}}`)
	i.published(t)
	i.Stop()
	backup := w.backup(t)

	i = w.start(t)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"kind"}}`)
	i.published(t)
	f := w.follow(t, false)
	waitFor(t, f, i.version())
	before := i.engine.State()
	i.Stop()

	// The stream is ahead of the restored database.
	w.metadataURL = backup
	i = w.start(t)
	require.Less(t, i.version(), before.Version)
	i.ok(t, `{"type":"pg_create_select_permission","args":{"table":"kind","role":"clerk","permission":{"columns":"*","filter":{}}}}`)
	require.Eventually(t, func() bool { return i.engine.State().StreamID != before.StreamID }, 30*time.Second, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		s := f.Current()
		return s.StreamID == i.engine.State().StreamID && s.Version == i.version()
	}, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, i.export(t), exported(t, f.Current()))
}

func TestRestoredBackupThatCaughtUpIsNoticed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	i := w.start(t)
	i.published(t)
	i.Stop()
	backup := w.backup(t)
	i = w.start(t)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"kind"}}`)
	i.published(t)
	before := i.engine.State()
	f := w.follow(t, false)
	waitFor(t, f, before.Version)
	i.Stop()

	// Elsewhere, the backup came to the same version by another change.
	elsewhere := newWorldOn(t, newWorld(t))
	elsewhere.metadataURL, elsewhere.source = backup, w.source
	i = elsewhere.start(t)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
	require.Equal(t, before.Version, i.version())
	i.Stop()

	w.metadataURL = backup
	i = w.start(t)
	require.Eventually(t, func() bool {
		s := f.Current()
		return s.StreamID != before.StreamID && s.Version == i.version()
	}, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, i.export(t), exported(t, f.Current()))
}

// TestBackupRestoredUnderARunningService: the next change has the number of one that was sent before.
func TestBackupRestoredUnderARunningService(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	i := w.start(t)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"kind"}}`)
	i.published(t)
	const save = `CREATE SCHEMA saved; CREATE TABLE saved.o AS SELECT * FROM engine_catalog.metadata_object;
		CREATE TABLE saved.c AS SELECT * FROM engine_catalog.metadata_change; CREATE TABLE saved.v AS SELECT * FROM engine_catalog.metadata_version`
	const restore = `BEGIN; DELETE FROM engine_catalog.metadata_object; DELETE FROM engine_catalog.metadata_change; DELETE FROM engine_catalog.metadata_version;
		INSERT INTO engine_catalog.metadata_object SELECT * FROM saved.o; INSERT INTO engine_catalog.metadata_change SELECT * FROM saved.c;
		INSERT INTO engine_catalog.metadata_version SELECT * FROM saved.v; COMMIT`
	w.sql(t, w.metadataURL, save)
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"kind"}}`)
	i.published(t)
	before := i.engine.State()
	f := w.follow(t, false)
	waitFor(t, f, before.Version)

	w.sql(t, w.metadataURL, restore)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
	require.Equal(t, before.Version, i.version())
	require.Eventually(t, func() bool {
		s := f.Current()
		return s.StreamID != before.StreamID && s.Version == i.version()
	}, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, i.export(t), exported(t, f.Current()))
}

func TestLargeChangeTravelsAsASnapshot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.start(t)
	f := w.follow(t, true)
	waitFor(t, f, i.version())
	var collections []string
	for k := range 3000 {
		collections = append(collections, fmt.Sprintf(`{"name":"c%04d","definition":{"queries":[{"name":"q","query":"{ %s }"}]}}`, k, strings.Repeat("x", 100)))
	}
	i.ok(t, `{"type":"replace_metadata","args":{"version":3,"sources":[],"query_collections":[`+strings.Join(collections, ",")+`]}}`)
	require.Equal(t, i.export(t), exported(t, waitFor(t, f, i.version())))
	_, ok, err := i.store.History(t.Context(), i.version())
	require.NoError(t, err)
	require.True(t, ok)
	i.ok(t, `{"type":"clear_metadata","args":{}}`)
	require.Equal(t, i.export(t), exported(t, waitFor(t, f, i.version())))
}
