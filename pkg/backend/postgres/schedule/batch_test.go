package schedule

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres/wire"
)

// TestAnswersOfEqualStatements holds that each of several equal statements has an answer of its own: the first
// one to be answered uses its memory for something else at once.
func TestAnswersOfEqualStatements(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const answer = `[{"id":1}]`
		waiting := make([]*shared, 3)
		for i := range waiting {
			waiting[i] = &shared{done: make(chan struct{})}
		}
		b := newBatch(&Batcher{}, waiting)
		defer b.cancel()
		for i := 1; i < len(waiting); i++ {
			b.steps[i].twin = &b.steps[0]
		}
		go b.finish(&wire.Conn{Pool: &wire.Pool{}}, 0, Answered, collected{answer: []byte(answer)})
		for range waiting {
			synctest.Wait() // until finish waits for a request to take its outcome
			for _, q := range waiting {
				select {
				case <-q.done:
					require.NoError(t, q.err)
					require.Equal(t, Answered, q.outcome)
					require.Equal(t, answer, string(q.answer))
					clear(q.answer)
				default:
				}
			}
		}
		require.Equal(t, len(waiting), b.answered)
	})
}
