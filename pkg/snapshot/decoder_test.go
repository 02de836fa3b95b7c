package snapshot

import (
	"bytes"
	"runtime"
	"sync"
	"testing"
	"testing/iotest"

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
		group.Go(func() { got[i], _ = d.decode(info, bytes.NewReader(data)) })
	}
	group.Wait()
	require.NotNil(t, got[0])
	for _, s := range got {
		require.Same(t, got[0], s)
	}

	newer, data := encodedAt(t, 8)
	s, err := d.decode(newer, bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, int64(8), s.Version)

	foreign := bus.SnapshotInfo{StreamID: "another", Version: 8}
	_, err = d.decode(foreign, iotest.ErrReader(iotest.ErrTimeout))
	require.ErrorIs(t, err, iotest.ErrTimeout, "the same version of another stream is another snapshot")
	runtime.KeepAlive(s)
}

func TestDecoderKeepsNoSnapshotAlive(t *testing.T) {
	t.Parallel()
	d := &Decoder{}
	info, data := encodedAt(t, 7)
	_, err := d.decode(info, bytes.NewReader(data))
	require.NoError(t, err)
	runtime.GC()
	require.Nil(t, d.last.Value())
}
