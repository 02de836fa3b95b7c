package wire

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFaults holds that a fault is remembered for some time, for its statement and kind, and that there is a bound to all of them.
func TestFaults(t *testing.T) {
	t.Parallel()
	var f faults
	now := time.Unix(0, 0)
	one := fault{"SELECT 1", "42804"}
	require.False(t, f.has(one, now))
	f.add(one, now)
	require.True(t, f.has(one, now.Add(faultFor-1)))
	require.False(t, f.has(fault{"SELECT 1", "42703"}, now))
	require.False(t, f.has(fault{"SELECT 2", "42804"}, now))
	require.False(t, f.has(one, now.Add(faultFor)))

	for i := range maxFaults {
		f.add(fault{strconv.Itoa(i), "42804"}, now.Add(faultFor))
	}
	require.True(t, f.has(fault{"SELECT 2", "42804"}, now.Add(faultFor+1)), "more than that aren't examined")
	require.False(t, f.has(fault{"SELECT 2", "42804"}, now.Add(2*faultFor+1)))
	require.Empty(t, f.until)
}

// TestQualifiedAt holds which relation can't be there for another search path.
func TestQualifiedAt(t *testing.T) {
	t.Parallel()
	const sql = `SELECT 'ü' FROM "a""b."."c", "d" JOIN e."f"`
	for position, want := range map[int]bool{0: false, 1: false, 17: true, 29: false, 38: false, 100: false} {
		require.Equal(t, want, qualifiedAt(sql, position), "%d: %s", position, sql)
	}
	require.True(t, qualifiedAt(sql[len("SELECT 'ü' FROM "):], 1))
}
