package live

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

// newFollowed is a subscription on a remote schema, and the answer that its results come in.
func newFollowed(t *testing.T) (*Client, *client, *Subscription, *fakeLink) {
	t.Helper()
	b, c := setup(t)
	r, s, l := follow(t, b, c)
	return c, r, s, l
}

func follow(t *testing.T, b *fakeBus, c *Client) (*client, *Subscription, *fakeLink) {
	t.Helper()
	b.remote = true
	b.executors(&queryv1.LiveExecutor{Instance: "one"})
	r := &client{told: make(chan string, 10)}
	operation := &queryv1.ExecuteRequest{Query: "subscription { a }"}
	s, err := c.Subscribe(t.Context(), operation, func() map[string]string { return map[string]string{"x-me": "1"} }, r)
	require.NoError(t, err)
	receive(t, b.subscribed)
	var l *fakeLink
	require.Eventually(t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		l = b.links[bus.LiveFollow("one").Subject]
		return l != nil
	}, 30*time.Second, time.Millisecond)
	return r, s, l
}

func data(text string) []byte { return frame(&queryv1.LiveResult{Data: []byte(text), Version: 7}) }

// TestFollowedResultOfOlderMetadata: it comes once, so the executor has to look at the operation
// again before it is shown.
func TestFollowedResultOfOlderMetadata(t *testing.T) {
	t.Parallel()
	b, c := setup(t)
	r, _, l := follow(t, b, c)
	b.version.Store(8)
	l.write(t, data("1"))
	require.EqualValues(t, 8, receive(t, b.subscribed).GetOperation().GetMinVersion())
	require.Equal(t, "1", receive(t, r.told))
	b.version.Store(9)
	b.refuse = apierror.New(apierror.ValidationFailed, "no such field")
	l.write(t, data("2"))
	require.Equal(t, "end: no such field", receive(t, r.told))
	require.Empty(t, r.told)
}

// TestFollow: results of remote schemas come one by one; while a client is full, the executor has to
// wait with the next piece.
func TestFollow(t *testing.T) {
	t.Parallel()
	c, r, s, l := newFollowed(t)
	l.write(t, data("1"))
	require.Equal(t, "1", receive(t, r.told))
	r.full = true
	l.frames <- append(data("2"), data("3")...)
	require.Equal(t, "full", receive(t, r.told))
	require.Empty(t, l.taken)
	s.Resume()
	require.NoError(t, receive(t, l.taken))
	require.Equal(t, []string{"2", "3"}, []string{receive(t, r.told), receive(t, r.told)})
	require.Equal(t, map[string]string{"x-me": "1"}, s.operation.GetClientHeaders())
	c.mu.Lock()
	require.Empty(t, c.subscriptions, "it doesn't move")
	c.mu.Unlock()
	l.write(t, frame(&queryv1.LiveResult{End: true, Error: &queryv1.LiveError{Message: "enough"}}))
	require.Equal(t, "end: enough", receive(t, r.told))
}

// TestFollowedExecutorGoes: results of the remote in the meantime are lost, so the subscription ends.
func TestFollowedExecutorGoes(t *testing.T) {
	t.Parallel()
	_, r, _, l := newFollowed(t)
	close(l.end)
	require.Contains(t, receive(t, r.told), "end: ")
}

func TestFollowedClientGoes(t *testing.T) {
	t.Parallel()
	c, r, s, l := newFollowed(t)
	r.full = true
	l.frames <- data("1")
	require.Equal(t, "full", receive(t, r.told))
	s.Close()
	require.ErrorContains(t, receive(t, l.taken), "canceled")
	c.Stop()
	require.Empty(t, r.told)
}
