package bus

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// snapshotsKept is how many snapshots are stored at most.
	snapshotsKept = 3
	snapshotChunk = 512 << 10
)

// Snapshots is the store of metadata snapshots, from which a service starts while
// metadata is down.
//
// There is a fixed number of places for them, of which the one that is worth least is
// written over: a name per version would leave a mark in the store for each that is
// deleted.
type Snapshots struct {
	bus   *Bus
	stuck stuckWatch

	mu sync.Mutex
	// checked is the last sequence of the store when Check last found it intact.
	checked uint64
}

// SnapshotInfo names a snapshot.
type SnapshotInfo struct {
	StreamID string
	Version  int64
}

// Snapshots gives access to the store; the result is shared and safe for concurrent use.
func (b *Bus) Snapshots() *Snapshots { return b.snapshots }

// Put stores a snapshot, keeps the newest three of streamID, and deletes all others. It needs
// Changes.Ensure before it, in this process or another one. A store that is stuck is recreated, so that
// the next Put succeeds.
func (s *Snapshots) Put(ctx context.Context, streamID string, version int64, data io.Reader) error {
	err := s.bus.connected(ctx, func(ctx context.Context) error {
		return s.put(ctx, streamID, version, data)
	})
	if s.stuck.after(err) {
		err = errors.Join(err, ErrStuck, s.renew(ctx))
	}
	if err != nil {
		return fmt.Errorf("store the metadata snapshot of version %d: %w", version, err)
	}
	return nil
}

// renew makes an empty store.
func (s *Snapshots) renew(ctx context.Context) error {
	s.bus.log.Warn("metadata snapshot store rejects writes; recreating it")
	if err := s.bus.deleteStuck(ctx, objectStream); err != nil {
		return err
	}
	s.bus.changes.mu.Lock()
	replicas := max(1, s.bus.changes.replicas)
	s.bus.changes.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
	defer cancel()
	return s.ensure(ctx, replicas)
}

func (s *Snapshots) put(ctx context.Context, streamID string, version int64, data io.Reader) error {
	store, err := s.bus.js.ObjectStore(ctx, SnapshotsBucket)
	if err != nil {
		return err
	}
	stored, damaged, err := listSnapshots(ctx, store)
	if err != nil {
		return err
	}
	place := choosePlace(stored, streamID, version)
	if place < 0 {
		return nil // all that are stored are newer
	}
	if damaged[place] { // Put would fail over what it replaces
		stream, err := s.bus.js.Stream(ctx, objectStream)
		if err != nil {
			return err
		}
		if err := stream.Purge(ctx, jetstream.WithPurgeSubject(placeSubject(place))); err != nil {
			return err
		}
	}
	_, err = store.Put(ctx, jetstream.ObjectMeta{
		Name:     placeName(place),
		Metadata: map[string]string{streamIDKey: streamID, versionKey: strconv.FormatInt(version, 10)},
		Opts:     &jetstream.ObjectMetaOptions{ChunkSize: snapshotChunk},
	}, data)
	if err != nil {
		return err
	}
	for i, other := range stored {
		if i == place || other == nil || other.StreamID == streamID {
			continue
		}
		if err := store.Delete(ctx, placeName(i)); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
			return fmt.Errorf("delete a snapshot of another metadata database: %w", err)
		}
	}
	return nil
}

// choosePlace gives the place of the same snapshot, else an empty place, else one of
// another stream, else that of the oldest when it is older than version, else -1.
func choosePlace(stored []*storedSnapshot, streamID string, version int64) int {
	worth := func(i int) int64 {
		switch o := stored[i]; {
		case o == nil:
			return -2
		case o.StreamID != streamID:
			return -1
		default:
			return o.Version
		}
	}
	least := 0
	for i, o := range stored {
		if o != nil && o.StreamID == streamID && o.Version == version {
			return i
		}
		if worth(i) < worth(least) {
			least = i
		}
	}
	if worth(least) > version {
		return -1
	}
	return least
}

// Latest opens the newest snapshot, which the caller closes; ctx bounds reading it too. It
// fails with ErrNoSnapshot when there is none. A read fails at the end when the content is
// damaged.
func (s *Snapshots) Latest(ctx context.Context) (SnapshotInfo, io.ReadCloser, error) {
	inner, cancel := s.bus.until(ctx, nats.RECONNECTING, nats.CLOSED)
	info, r, err := s.latest(inner)
	if err != nil {
		cancel()
		if errors.Is(err, ErrNoSnapshot) {
			return SnapshotInfo{}, nil, err
		}
		return SnapshotInfo{}, nil, fmt.Errorf("read the latest metadata snapshot: %w", err)
	}
	return info, &snapshotReader{ReadCloser: r, cancel: cancel}, nil
}

// snapshotReader ends what watches over the reading.
type snapshotReader struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (r *snapshotReader) Close() error {
	defer r.cancel()
	return r.ReadCloser.Close()
}

func (s *Snapshots) latest(ctx context.Context) (SnapshotInfo, io.ReadCloser, error) {
	store, err := s.bus.js.ObjectStore(ctx, SnapshotsBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return SnapshotInfo{}, nil, ErrNoSnapshot
	}
	if err != nil {
		return SnapshotInfo{}, nil, err
	}
	stored, _, err := listSnapshots(ctx, store)
	if err != nil {
		return SnapshotInfo{}, nil, err
	}
	newest := newestOf(stored)
	if newest < 0 {
		return SnapshotInfo{}, nil, ErrNoSnapshot
	}
	r, err := store.Get(ctx, placeName(newest))
	if err != nil {
		return SnapshotInfo{}, nil, err
	}
	// It may have been written over since it was listed: what it is now counts.
	object, err := r.Info()
	if err != nil {
		return SnapshotInfo{}, nil, errors.Join(err, r.Close())
	}
	info, err := parseSnapshot(object)
	if err != nil {
		return SnapshotInfo{}, nil, errors.Join(err, r.Close())
	}
	return info.SnapshotInfo, r, nil
}

// newestOf gives the place of the highest version of the stream that was stored last, -1
// for none.
func newestOf(stored []*storedSnapshot) int {
	last, newest := -1, -1
	for i, o := range stored {
		if o != nil && (last < 0 || o.stored.After(stored[last].stored)) {
			last = i
		}
	}
	for i, o := range stored {
		if o != nil && o.StreamID == stored[last].StreamID && (newest < 0 || o.Version > stored[newest].Version) {
			newest = i
		}
	}
	return newest
}

// immutableConfig is the error of NATS for a stream whose configuration can't become the one asked for.
const immutableConfig = 10052

func (s *Snapshots) ensure(ctx context.Context, replicas int) error {
	config := jetstream.ObjectStoreConfig{
		Bucket:      SnapshotsBucket,
		Description: "Snapshots of the metadata and of what the sources contain",
		Storage:     jetstream.FileStorage,
		Compression: true,
		Replicas:    replicas,
	}
	_, err := s.bus.js.CreateOrUpdateObjectStore(ctx, config)
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == immutableConfig { // of another program
		s.bus.log.Warn("metadata snapshot store is a foreign one; recreating it", "error", err)
		if err = s.bus.deleteStuck(ctx, objectStream); err == nil {
			_, err = s.bus.js.CreateOrUpdateObjectStore(ctx, config)
		}
	}
	if err != nil {
		return fmt.Errorf("set up the bucket %s: %w", SnapshotsBucket, err)
	}
	return nil
}

func placeName(i int) string { return "snapshot-" + strconv.Itoa(i) }

// placeSubject is where the description of the snapshot in a place is stored.
func placeSubject(i int) string {
	return "$O." + SnapshotsBucket + ".M." + base64.URLEncoding.EncodeToString([]byte(placeName(i)))
}

type storedSnapshot struct {
	SnapshotInfo
	stored time.Time
}

// listSnapshots returns the snapshot in each place, nil for an empty one. A place whose last message describes no snapshot is damaged, and
// counts as empty: users of NATS can have answers of JetStream stored there.
func listSnapshots(ctx context.Context, store jetstream.ObjectStore) (stored []*storedSnapshot, damaged []bool, err error) {
	stored, damaged = make([]*storedSnapshot, snapshotsKept), make([]bool, snapshotsKept)
	for i := range stored {
		o, err := store.GetInfo(ctx, placeName(i))
		switch {
		case errors.Is(err, jetstream.ErrObjectNotFound):
			continue
		case errors.Is(err, jetstream.ErrBadObjectMeta):
			damaged[i] = true
			continue
		case err != nil:
			return nil, nil, err
		}
		if stored[i], err = parseSnapshot(o); err != nil || o.Name != placeName(i) {
			stored[i], damaged[i] = nil, true
		}
	}
	return stored, damaged, nil
}

// Check fails when the store has no latest snapshot, or one that can't be read to its end. It reads only what has changed since it last
// succeeded.
func (s *Snapshots) Check(ctx context.Context) error {
	stream, err := s.bus.js.Stream(ctx, objectStream)
	if err != nil {
		return fmt.Errorf("check the metadata snapshots: %w", err)
	}
	last := stream.CachedInfo().State.LastSeq
	s.mu.Lock()
	known := s.checked == last && last > 0
	s.mu.Unlock()
	if known {
		return nil
	}
	_, content, err := s.Latest(ctx)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, content)
	if err = errors.Join(err, content.Close()); err != nil {
		return fmt.Errorf("check the metadata snapshots: %w", err)
	}
	s.mu.Lock()
	s.checked = last
	s.mu.Unlock()
	return nil
}

func parseSnapshot(o *jetstream.ObjectInfo) (*storedSnapshot, error) {
	version, err := strconv.ParseInt(o.Metadata[versionKey], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the object %s has no version", o.Name)
	}
	return &storedSnapshot{
		SnapshotInfo: SnapshotInfo{StreamID: o.Metadata[streamIDKey], Version: version},
		stored:       o.ModTime,
	}, nil
}
