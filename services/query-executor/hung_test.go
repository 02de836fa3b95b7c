package queryexecutor

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	queryv1 "queryengine/proto/query/v1"
)

// A source whose statements don't end takes its share of the places, and the other source goes
// on being queried.
func TestASourceThatHangsLeavesPlacesToOthers(t *testing.T) {
	t.Parallel()
	env := newDatabase(t, "testdata/hung")
	h := startBusFixture(t, "testdata/hung", env, Config{Concurrency: 8})
	url, _ := env("SLOW")
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { _ = db.Close(context.Background()) }()
	lock, err := db.Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), "LOCK TABLE slow IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)

	const requests = 40
	outcomes := make(chan error, requests)
	var all sync.WaitGroup
	for range requests {
		all.Go(func() {
			_, err := h.execute(t.Context(), &queryv1.ExecuteRequest{Query: `{ slow { id } }`})
			outcomes <- err
		})
	}
	// All but the share of the source, which is half of the places, get the error busy.
	for range requests - 4 {
		select {
		case err := <-outcomes:
			require.Equal(t, apierror.Busy, apierror.From(err).Code)
		case <-time.After(60 * time.Second):
			t.Fatal("requests to a source that hangs are waited for")
		}
	}
	for range 20 {
		body, err := h.execute(t.Context(), &queryv1.ExecuteRequest{Query: `{ fast { id } }`})
		require.NoError(t, err)
		require.JSONEq(t, `{"data":{"fast":[{"id":1}]}}`, body)
	}
	require.Empty(t, outcomes)

	require.NoError(t, lock.Rollback(t.Context()))
	all.Wait()
	for range 4 {
		require.NoError(t, <-outcomes)
	}
}
