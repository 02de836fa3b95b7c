package share

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

// fill takes all places that one of a name gets.
func fill(t *testing.T, p *Places, kind Kind, name string) (taken []Place) {
	t.Helper()
	for {
		place, err := p.Take(kind, name)
		if err != nil {
			e := apierror.From(err)
			require.Equal(t, apierror.Busy, e.Code)
			require.Equal(t, http.StatusServiceUnavailable, e.Status)
			require.Equal(t, 1, e.RetryAfter)
			return taken
		}
		taken = append(taken, place)
	}
}

func TestNobodyTakesAll(t *testing.T) {
	t.Parallel()
	p := New(256)
	first := fill(t, p, Source, "a")
	require.Len(t, first, 128)
	second := fill(t, p, Source, "b")
	require.Len(t, second, 64)
	third := fill(t, p, Remote, "a")
	require.Len(t, third, 32, "a remote schema is not the source of its name")
	require.NotEmpty(t, fill(t, p, Action, "a"))
}

func TestPlacesThatAreLeftAreFree(t *testing.T) {
	t.Parallel()
	p := New(10)
	for _, name := range []string{"a", "b", "c"} {
		taken := fill(t, p, Source, name)
		require.Len(t, taken, 5)
		for _, place := range taken {
			place.Leave()
		}
	}
	require.Len(t, p.taken, 1, "names that nothing asks for any more are forgotten")
	require.Zero(t, p.total)
}

func TestTheOnlyPlaceCanBeTaken(t *testing.T) {
	t.Parallel()
	require.Len(t, fill(t, New(1), Source, "a"), 1)
}

func TestNoBound(t *testing.T) {
	t.Parallel()
	p := New(0)
	for range 10_000 {
		place, err := p.Take(Source, "a")
		require.NoError(t, err)
		defer place.Leave()
	}
}
