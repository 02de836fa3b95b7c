package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestValidatorsAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	v := newValidators()
	v.now = func() time.Time { return now }
	var last validatorKey
	for i := range 3 * mostValidators {
		last = validatorKey{byte(i), byte(i >> 8), byte(i >> 16)}
		v.put(last, validator{tag: "t"})
		require.LessOrEqual(t, len(v.byKey), mostValidators)
	}
	_, found := v.get(last)
	require.True(t, found)
	now = now.Add(rememberFor)
	_, found = v.get(last)
	require.False(t, found)
}
