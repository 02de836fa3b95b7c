package table

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
)

// TestDemandsAreFair holds that triggers whose events are taken all the time stand behind those
// that had none lately, and take turns among themselves.
func TestDemandsAreFair(t *testing.T) {
	t.Parallel()
	s := &source{served: map[string]int{}}
	triggers := map[string]*trigger{}
	for _, name := range []string{"busy", "crowded", "quiet"} {
		triggers[name] = &trigger{EventTrigger: &metadata.EventTrigger{}, pace: newPace(1)}
	}
	order := func() (names []string) {
		for _, d := range s.demands(triggers) {
			names = append(names, d.Trigger)
		}
		return names
	}
	events := func(name string, n int) []backend.Event {
		list := make([]backend.Event, n)
		for i := range list {
			list[i].Trigger = name
		}
		return list
	}
	require.Equal(t, []string{"busy", "crowded", "quiet"}, order())
	s.count(events("busy", 100))
	require.Equal(t, []string{"crowded", "quiet", "busy"}, order())
	s.count(events("crowded", 100))
	require.Equal(t, []string{"quiet", "busy", "crowded"}, order())
	for range 10 {
		s.count(nil)
	}
	require.Empty(t, s.served, "what was long ago doesn't count")
}
