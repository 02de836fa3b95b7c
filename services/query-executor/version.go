package queryexecutor

import (
	"context"
	"time"
)

// versionPatience bounds the wait for a version of the metadata.
const versionPatience = 10 * time.Second

// stateAt is the state at a version or later. It waits for one that has not arrived yet.
func (e *Executor) stateAt(ctx context.Context, version int64) (*state, error) {
	if s := e.state.Load(); s != nil && s.snapshot.Version >= version {
		return s, nil
	}
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	if _, err := e.follower.WaitFor(ctx, version); err != nil {
		return nil, err
	}
	return e.state.Load(), nil
}
