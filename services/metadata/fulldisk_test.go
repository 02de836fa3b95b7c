package metadata

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus/bustest"
)

// TestFullDisk: NATS can't write for a while. The change that met that takes effect when it can
// again, without a restart of anything.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	nats := bustest.NewProcess(t)
	w := newWorld(t, shop)
	w.url, w.seenTimeout = nats.URL(), 5*time.Second
	i := w.start(t)
	gateway := w.follow(t, true)
	i.ok(t, track)
	before := i.version()
	waitFor(t, gateway, before)

	nats.FillDisk()
	_, _, err := call(t, i.bus, v1metadata, `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`)
	require.Equal(t, apierror.NotInEffect, apierror.From(err).Code)
	require.Equal(t, before, gateway.Current().Version)
	require.Eventually(t, func() bool { return i.Status() != nil }, 30*time.Second, 10*time.Millisecond)
	nats.MakeRoom()

	require.Eventually(t, func() bool { return gateway.Current().Version == before+1 }, 2*time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool { return i.Status() == nil }, 30*time.Second, 10*time.Millisecond)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
	require.Equal(t, i.export(t), exported(t, gateway.Current()))
	require.Equal(t, i.export(t), exported(t, waitFor(t, w.follow(t, false), i.version())), "a process that starts finds it all")
}
