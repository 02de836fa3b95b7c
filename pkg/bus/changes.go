package bus

import "context"

// Changes is the durable stream of metadata changes. A stream has the identity of the
// metadata database that its versions belong to.
type Changes struct{}

// ChangesInfo says what the stream holds; versions are 0 when it is empty.
type ChangesInfo struct {
	StreamID     string
	FirstVersion int64
	LastVersion  int64
}

// Changes gives access to the stream; the result is shared and safe for concurrent use.
func (b *Bus) Changes() *Changes { return nil }

// Ensure creates the stream, and the bucket of snapshots, where they are missing, and
// brings their configuration up to date. It fails with ErrForeignStream when the stream
// has another identity.
func (c *Changes) Ensure(ctx context.Context, streamID string, replicas int) error {
	return errUnbuilt
}

// Rebuild deletes the stream with all it holds and creates it anew. Followers of the old
// one end with ErrForeignStream.
func (c *Changes) Rebuild(ctx context.Context, streamID string, replicas int) error {
	return errUnbuilt
}

// Info says what the stream holds. A stream that does not exist gives the zero value.
func (c *Changes) Info(ctx context.Context) (ChangesInfo, error) { return ChangesInfo{}, errUnbuilt }

// Publish appends the change that made version, and returns once it is on disk. A version
// that the stream already holds is success. It needs Ensure or Rebuild before it.
func (c *Changes) Publish(ctx context.Context, version int64, data []byte) error { return errUnbuilt }

// Follow calls h for every change after version after, each once and in order, first those
// that the stream holds and then each as it comes. It waits for a stream that does not
// exist yet, and goes on after losses of the connection. It ends with ctx's error, with
// the error of h, or with ErrForeignStream when the stream is replaced.
func (c *Changes) Follow(ctx context.Context, after int64, h func(ctx context.Context, version int64, data []byte) error) error {
	return errUnbuilt
}

// FollowStream is Follow that ends with ErrForeignStream at once unless the stream has the
// identity streamID: nothing can come in between a check of Info and the start.
func (c *Changes) FollowStream(ctx context.Context, streamID string, after int64, h func(ctx context.Context, version int64, data []byte) error) error {
	return errUnbuilt
}
