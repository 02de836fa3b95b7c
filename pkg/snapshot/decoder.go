package snapshot

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
	"weak"

	"queryengine/pkg/bus"
)

// readPatience is how long a follower waits for another one that reads a snapshot.
const readPatience = 10 * time.Second

// Decoder decodes snapshots for the followers of a process. As long as one of them has a
// snapshot, the others get the same one instead of a copy: on large schemas that is most of
// what a process of several services holds. It is safe for concurrent use.
type Decoder struct {
	mu   sync.Mutex
	last weak.Pointer[Snapshot]
	// reading is closed when the follower that reads has done so; nil while none reads.
	reading chan struct{}
}

// decode gives the snapshot that info names; content is only read when it is not in use yet. Followers want the same one, so
// they wait for the one that reads, but not for ever.
func (d *Decoder) decode(ctx context.Context, info bus.SnapshotInfo, content io.Reader) (*Snapshot, error) {
	patience := time.NewTimer(readPatience)
	defer patience.Stop()
	for waits := true; waits; {
		s, other, done := d.begin(info)
		if s != nil {
			return s, nil
		}
		if other == nil {
			defer done()
			break
		}
		select {
		case <-other:
		case <-patience.C:
			waits = false
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return nil, fmt.Errorf("read the snapshot: %w", err)
	}
	s, err := Decode(data)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = weak.Make(s)
	return s, nil
}

// begin returns the snapshot if it is in use, or what is closed when another follower has read; else the caller reads until done.
func (d *Decoder) begin(info bus.SnapshotInfo) (s *Snapshot, other <-chan struct{}, done func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.last.Value(); s != nil && s.StreamID == info.StreamID && s.Version == info.Version {
		return s, nil, nil
	}
	if d.reading != nil {
		return nil, d.reading, nil
	}
	own := make(chan struct{})
	d.reading = own
	return nil, nil, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.reading = nil
		close(own)
	}
}
