package logtest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/logtest"
)

func TestBufferIsReadWhileItIsWritten(t *testing.T) {
	t.Parallel()
	const writers, lines = 4, 200
	var b logtest.Buffer
	var writing sync.WaitGroup
	for range writers {
		writing.Go(func() {
			for range lines {
				fmt.Fprintln(&b, "a line of some bytes")
				assert.True(t, strings.HasSuffix(b.String(), "bytes\n"), "a line was cut")
			}
		})
	}
	writing.Wait()
	require.Equal(t, writers*lines, strings.Count(b.String(), "\n"))
	require.Len(t, b.Tail(), 8<<10)
	require.True(t, strings.HasSuffix(b.String(), b.Tail()))
}

func TestTailOfLittleIsAllOfIt(t *testing.T) {
	t.Parallel()
	var b logtest.Buffer
	require.Empty(t, b.Tail())
	fmt.Fprint(&b, "ready")
	require.Equal(t, "ready", b.Tail())
}
