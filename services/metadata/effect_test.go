package metadata

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/snapshot"
)

// TestChangeWithoutQuorum: a change that can't be published is answered with what holds, the ones
// after it are refused, and all of it passes with its cause.
func TestChangeWithoutQuorum(t *testing.T) {
	t.Parallel()
	nats := bustest.NewCluster(t)
	w := newWorld(t, shop)
	w.url, w.replicas, w.seenTimeout = nats.URL(), 3, 5*time.Second
	i := w.start(t)
	gateways := []*snapshot.Follower{w.follow(t, true), w.follow(t, true)}
	// A cluster that was just made may take long to let both follow: that is answered, too.
	_, _, late := call(t, i.bus, v1metadata, track)
	before := i.version()
	for _, g := range gateways {
		if late == nil {
			require.Equal(t, before, g.Current().Version, "the answer comes after every gateway knows")
		}
		waitFor(t, g, before)
	}
	if late != nil {
		require.Equal(t, apierror.NotInEffect, apierror.From(late).Code, "%v", late)
	}
	health := func() error {
		newEmpty := func() proto.Message { return &emptypb.Empty{} }
		_, _, err := i.bus.CallMessage(t.Context(), bus.MetadataHealth, newEmpty(), newEmpty, 0)
		return err
	}
	require.NoError(t, health())

	nats.Stop(0)
	nats.Stop(1)
	const untrack = `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`
	var refused error
	require.Eventually(t, func() bool { // the services connect to the server that is left
		_, _, refused = call(t, i.bus, v1metadata, untrack)
		return refused != nil && !strings.HasPrefix(apierror.From(refused).Message, "the message bus is not connected")
	}, 30*time.Second, 10*time.Millisecond)
	e := apierror.From(refused)
	require.Equal(t, apierror.NotInEffect, e.Code)
	require.Equal(t, http.StatusServiceUnavailable, e.Status)
	require.Contains(t, e.Message, "the change is saved as resource version")
	require.Contains(t, e.Message, "2 of 2 gateways do not know it")
	require.Zero(t, e.RetryAfter, "no client is to make the change twice")
	saved := i.version()
	require.Equal(t, before+1, saved)

	require.Eventually(t, func() bool { return health() != nil }, 30*time.Second, 10*time.Millisecond)
	require.Error(t, i.Status())
	_, _, refused = call(t, i.bus, v1metadata, `{"type":"pg_untrack_table","args":{"table":"kind","cascade":true}}`)
	e = apierror.From(refused)
	require.Equal(t, http.StatusServiceUnavailable, e.Status)
	require.Contains(t, e.Message, "nothing was changed")
	require.Equal(t, saved, i.version())
	for _, g := range gateways {
		require.Equal(t, before, g.Current().Version)
		require.NoError(t, g.Status(), "queries go on with what was published")
	}

	nats.Start(t, 0)
	nats.Start(t, 1)
	for _, g := range gateways {
		waitFor(t, g, saved)
	}
	require.Eventually(t, func() bool { return i.Status() == nil && health() == nil }, 30*time.Second, 10*time.Millisecond)
	// Until the servers that returned are up to date, a change may still take effect late.
	_, _, err := call(t, i.bus, v1metadata, `{"type":"pg_track_table","args":{"table":"stock"}}`)
	if err != nil {
		require.Equal(t, apierror.NotInEffect, apierror.From(err).Code, "%v", err)
	}
	for _, g := range gateways {
		waitFor(t, g, saved+1)
		require.Equal(t, i.export(t), exported(t, g.Current()))
	}
}
