package snapshot

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/metadata"
)

func encodedAt(t *testing.T, version int64) (bus.SnapshotInfo, []byte) {
	t.Helper()
	data, err := Encode(&Snapshot{StreamID: "stream", Version: version, Document: &metadata.Document{Version: 3}})
	require.NoError(t, err)
	return bus.SnapshotInfo{StreamID: "stream", Version: version}, data
}

func TestFollowersOfAProcessShareSnapshots(t *testing.T) {
	t.Parallel()
	d := &Decoder{}
	info, data := encodedAt(t, 7)
	const followers = 8
	got := make([]*Snapshot, followers)
	var group sync.WaitGroup
	for i := range followers {
		group.Go(func() { got[i], _ = d.decode(t.Context(), info, bytes.NewReader(data)) })
	}
	group.Wait()
	require.NotNil(t, got[0])
	for _, s := range got {
		require.Same(t, got[0], s)
	}

	newer, data := encodedAt(t, 8)
	s, err := d.decode(t.Context(), newer, bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, int64(8), s.Version)

	foreign := bus.SnapshotInfo{StreamID: "another", Version: 8}
	_, err = d.decode(t.Context(), foreign, iotest.ErrReader(iotest.ErrTimeout))
	require.ErrorIs(t, err, iotest.ErrTimeout, "the same version of another stream is another snapshot")
	runtime.KeepAlive(s)
}

func TestDecoderKeepsNoSnapshotAlive(t *testing.T) {
	t.Parallel()
	d := &Decoder{}
	info, data := encodedAt(t, 7)
	_, err := d.decode(t.Context(), info, bytes.NewReader(data))
	require.NoError(t, err)
	runtime.GC()
	require.Nil(t, d.last.Value())
}

// TestFaultsOfFollowersAreTheirOwn: followers of a process wait for the one that reads a snapshot. Whatever becomes of that, the others have it.
func TestFaultsOfFollowersAreTheirOwn(t *testing.T) {
	t.Parallel()
	info, data := encodedAt(t, 7)
	for name, content := range map[string]func(ctx context.Context) io.Reader{
		"fails":         func(context.Context) io.Reader { return iotest.ErrReader(iotest.ErrTimeout) },
		"hangs":         func(ctx context.Context) io.Reader { return reader(func() { <-ctx.Done() }) },
		"is slow":       func(context.Context) io.Reader { return reader(func() { time.Sleep(time.Minute) }) },
		"panics":        func(context.Context) io.Reader { return reader(func() { panic("unforeseen") }) },
		"sends garbage": func(context.Context) io.Reader { return bytes.NewReader([]byte("\x00garbage")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &Decoder{}
				ctx, cancel := context.WithCancel(t.Context())
				var first, others sync.WaitGroup
				first.Go(func() {
					defer func() { _ = recover() }()
					_, err := d.decode(ctx, info, content(ctx))
					require.Error(t, err)
				})
				time.Sleep(time.Millisecond)
				left, leave := context.WithCancel(t.Context())
				leave()
				if _, err := d.decode(left, info, bytes.NewReader(data)); err != nil {
					require.ErrorIs(t, err, context.Canceled, "one that is cancelled doesn't wait")
				}
				for range 3 {
					others.Go(func() {
						s, err := d.decode(t.Context(), info, bytes.NewReader(data))
						require.NoError(t, err)
						require.EqualValues(t, 7, s.Version)
					})
				}
				others.Wait()
				cancel()
				first.Wait()
			})
		})
	}
}

// reader does something instead of reading.
type reader func()

func (r reader) Read([]byte) (int, error) {
	r()
	return 0, iotest.ErrTimeout
}
