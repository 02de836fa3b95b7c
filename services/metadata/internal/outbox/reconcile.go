package outbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"queryengine/pkg/bus"
	"queryengine/pkg/snapshot"
	"queryengine/services/metadata/internal/store"
)

// republished is how many changes of the history an emptied stream is given back.
const republished = 1000

// intact fails when NATS has lost the stream or the store of snapshots since they were made
// fit: a service that starts would find nothing to start from. So it does when the database has
// gone back behind the version that was sent.
func (p *Publisher) intact(ctx context.Context, streamID string, sent int64) error {
	v, err := p.c.Store.Version(ctx)
	if err != nil {
		return err
	}
	if v.Number < sent || v.StreamID != streamID {
		return errWentBack
	}
	p.ensureCache(ctx)
	info, err := p.info(ctx)
	if err != nil {
		return err
	}
	if info.StreamID != streamID {
		return errors.New("the metadata stream is gone")
	}
	return p.c.Snapshots.Check(ctx)
}

// info looks at the stream, and notes when it has to be rebuilt.
func (p *Publisher) info(ctx context.Context) (bus.ChangesInfo, error) {
	info, err := p.c.Changes.Info(ctx)
	p.stuck = p.stuck || errors.Is(err, bus.ErrStuck)
	return info, err
}

// ensureCache creates the bucket of cached answers. Changes go on without it.
func (p *Publisher) ensureCache(ctx context.Context) {
	if p.c.Cache == nil {
		return
	}
	if err := p.c.Cache(ctx); err != nil {
		p.c.Logger.WarnContext(ctx, "cannot create the cache of answers", "error", err)
	}
}

// reconcile makes stream and store of snapshots fit the metadata database, and returns its
// version, with the identity that they share.
func (p *Publisher) reconcile(ctx context.Context) (store.Version, error) {
	p.ensureCache(ctx)
	v, err := p.c.Store.Version(ctx)
	if err != nil {
		return v, err
	}
	err = p.c.Changes.Ensure(ctx, v.StreamID, p.c.Replicas)
	if errors.Is(err, bus.ErrForeignStream) {
		p.c.Logger.WarnContext(ctx, "metadata stream belongs to another metadata database; rebuilding it")
		err = p.rebuild(ctx, v)
	} else if err == nil && p.stuck {
		p.c.Logger.WarnContext(ctx, "metadata stream rejects messages or holds invalid ones; rebuilding it")
		err = p.rebuild(ctx, v)
	}
	if err != nil {
		return v, err
	}
	p.stuck = false
	info, err := p.info(ctx)
	if err != nil {
		return v, err
	}
	diverged, err := p.diverged(ctx, v, info)
	if err != nil {
		return v, err
	}
	switch {
	case diverged:
		p.c.Logger.WarnContext(ctx, "the metadata stream holds changes that the metadata database doesn't know, "+
			"as after the restore of a backup; it is rebuilt under a new identity", "stream", info.LastVersion, "database", v.Number)
		if v.StreamID, err = p.c.Store.Fork(ctx, v.StreamID); err != nil {
			return v, err
		}
		err = p.rebuild(ctx, v)
	default:
		err = p.fill(ctx, v, info)
	}
	if err != nil {
		return v, err
	}
	return v, p.ensureSnapshot(ctx, v)
}

// rebuild makes an empty stream. The snapshot that its followers go on from is stored
// before, so that none of them stays at an older one; only where there is no store of
// snapshots either it has to come after.
func (p *Publisher) rebuild(ctx context.Context, v store.Version) error {
	_, early := p.Snapshot(ctx)
	if err := p.c.Changes.Rebuild(ctx, v.StreamID, p.c.Replicas); err != nil {
		return err
	}
	if early != nil {
		if _, err := p.Snapshot(ctx); err != nil {
			return err
		}
	}
	return p.c.Store.Published(ctx, v.Number)
}

// diverged reports whether the end of the stream is another history than that of the database: it is
// ahead, or its last change isn't the one of that version.
func (p *Publisher) diverged(ctx context.Context, v store.Version, info bus.ChangesInfo) (bool, error) {
	if info.LastVersion == 0 {
		return false, nil
	}
	if info.LastVersion > v.Number {
		return true, nil
	}
	kept, ok, err := p.c.Store.History(ctx, info.LastVersion)
	if err != nil || !ok {
		return false, err
	}
	published, err := p.last(ctx, v, info)
	if err != nil {
		return false, err
	}
	return !sameChange(published, kept.Change), nil
}

// readTimeout bounds the wait for a message that the stream should hold.
const readTimeout = 10 * time.Second

var errSeen = errors.New("seen")

// last reads the last message of the stream.
func (p *Publisher) last(ctx context.Context, v store.Version, info bus.ChangesInfo) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	var message []byte
	err := p.c.Changes.FollowStream(ctx, v.StreamID, info.LastVersion-1, func(_ context.Context, _ int64, data []byte) error {
		message = bytes.Clone(data)
		return errSeen
	})
	if !errors.Is(err, errSeen) {
		return nil, fmt.Errorf("read the last metadata change: %w", err)
	}
	return message, nil
}

// sameChange compares a message with the change that it should be; of a reference only the time can be
// compared.
func sameChange(message, change []byte) bool {
	a, err := snapshot.DecodeChange(message)
	if err != nil {
		return false
	}
	b, err := snapshot.DecodeChange(change)
	if err != nil {
		return false
	}
	if a.Reference {
		b.Objects, b.Reference = []snapshot.Object{}, true
	}
	left, err := json.Marshal(a)
	if err != nil {
		return false
	}
	right, err := json.Marshal(b)
	return err == nil && bytes.Equal(left, right)
}

// fill puts back into the outbox what the stream lost, as far as the history has it.
func (p *Publisher) fill(ctx context.Context, v store.Version, info bus.ChangesInfo) error {
	after := info.LastVersion
	if after == 0 {
		after = max(0, v.Number-republished)
	}
	if after >= v.Number {
		return p.c.Store.Published(ctx, v.Number)
	}
	n, err := p.c.Store.Unpublish(ctx, after, v.Number)
	if err != nil || n == v.Number-after || info.LastVersion == 0 {
		return err
	}
	p.c.Logger.WarnContext(ctx, "metadata stream lost changes that are no longer kept; rebuilding it",
		"stream", info.LastVersion, "database", v.Number)
	return p.rebuild(ctx, v)
}

// ensureSnapshot stores a snapshot when there is none to start from. One that can't be read is replaced.
func (p *Publisher) ensureSnapshot(ctx context.Context, v store.Version) error {
	info, content, err := p.c.Snapshots.Latest(ctx)
	if err == nil {
		_ = content.Close()
		err = p.c.Snapshots.Check(ctx)
	}
	if err == nil {
		if info.StreamID == v.StreamID && info.Version <= v.Number && v.Number-info.Version < p.c.SnapshotEvery {
			p.setNewest(info.Version)
			return nil
		}
	}
	_, err = p.Snapshot(ctx)
	return err
}
