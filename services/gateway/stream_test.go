package gateway_test

import (
	"context"
	"io"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
)

// TestLongAnswer sends 50 MB through NATS and the gateway to a client that is slower than
// the executor. All of them, and the NATS server, live in this process: its heap bounds
// that of each. The test runs alone, so that the heap is its own.
func TestLongAnswer(t *testing.T) { //nolint:paralleltest // it measures memory
	const frames, frameSize = 100, 512 << 10
	h := setup(t, nil)
	frame := make([]byte, frameSize)
	for i := range frame {
		frame[i] = byte('a' + i%26)
	}
	h.execute(t, h.others, func(_ context.Context, _ proto.Message, w bus.ResponseWriter) error {
		for range frames {
			if _, err := w.Write(frame); err != nil {
				return err
			}
		}
		return nil
	})
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that the measured state is in use
	runtime.GC()
	before := heap()
	peak := before
	resp := h.post(t.Context(), t, `{"query":"{ a }"}`)
	buf := make([]byte, frameSize)
	total := 0
	for {
		n, err := io.ReadFull(resp.Body, buf)
		total += n
		require.Equal(t, string(frame[:n]), string(buf[:n]), "at byte %d", total)
		peak = max(peak, heap())
		if err == io.EOF || err == io.ErrUnexpectedEOF { //nolint:errorlint // as io.ReadFull has it
			break
		}
		require.NoError(t, err)
		time.Sleep(2 * time.Millisecond)
	}
	require.Equal(t, frames*frameSize, total)
	require.EqualValues(t, -1, resp.ContentLength)
	t.Logf("the heap grew from %d to %d KB", before>>10, peak>>10)
	require.Less(t, peak-before, uint64(20<<20))
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
