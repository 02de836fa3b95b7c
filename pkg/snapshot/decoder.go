package snapshot

import (
	"fmt"
	"io"
	"sync"
	"weak"

	"queryengine/pkg/bus"
)

// Decoder decodes snapshots for the followers of a process. As long as one of them has a
// snapshot, the others get the same one instead of a copy: on large schemas that is most of
// what a process of several services holds. It is safe for concurrent use.
type Decoder struct {
	mu   sync.Mutex
	last weak.Pointer[Snapshot]
}

// decode gives the snapshot that info names; content is only read when it is not in use yet.
func (d *Decoder) decode(info bus.SnapshotInfo, content io.Reader) (*Snapshot, error) {
	d.mu.Lock() // other decoders want the same one, and can wait for it
	defer d.mu.Unlock()
	if s := d.last.Value(); s != nil && s.StreamID == info.StreamID && s.Version == info.Version {
		return s, nil
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return nil, fmt.Errorf("read the snapshot: %w", err)
	}
	s, err := Decode(data)
	if err != nil {
		return nil, err
	}
	d.last = weak.Make(s)
	return s, nil
}
