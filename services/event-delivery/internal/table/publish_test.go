package table

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
)

// flaky is a queue that fails some times.
type flaky struct {
	failures int
	ids      []string
}

func (q *flaky) Publish(_ context.Context, list []bus.Outgoing) error {
	q.ids = append(q.ids, list[0].ID)
	if len(q.ids) <= q.failures {
		return errors.New("the server has gone")
	}
	return nil
}

// TestPublishingGoesOn holds that a batch is published under the same ids until the queue has it, its
// lease is nearly over, or nothing more is to be taken.
func TestPublishingGoesOn(t *testing.T) {
	t.Parallel()
	batch := []bus.Outgoing{{ID: "one"}}
	for name, c := range map[string]struct {
		failures int
		quiet    bool
		tries    int
		fails    bool
	}{
		"at once":          {tries: 1},
		"after a while":    {failures: 3, tries: 4},
		"never":            {failures: 1000, tries: int(takePatience / pause), fails: true},
		"when it is ended": {failures: 1000, quiet: true, tries: 1, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := &flaky{failures: c.failures}
				s := &source{Config: &Config{Queue: q}}
				s.quiet.Store(c.quiet)
				ctx, cancel := context.WithTimeout(t.Context(), takePatience-pause/2)
				defer cancel()
				require.Equal(t, c.fails, s.publish(ctx, batch) != nil)
				require.Len(t, q.ids, c.tries)
				for _, id := range q.ids {
					require.Equal(t, "one", id)
				}
			})
		})
	}
}
