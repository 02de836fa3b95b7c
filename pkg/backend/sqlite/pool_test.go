package sqlite

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite/sqlitex"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
)

// Transactions that write come one after the other, and readers don't wait for them.
func TestOneWriter(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER); INSERT INTO a VALUES (0)", nil)
	var group sync.WaitGroup
	const writers = 20
	for range writers {
		group.Go(func() {
			require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
				return tx.Exec(t.Context(), written("UPDATE a SET n = n + 1"), backend.Args{}, func([][]byte) error { return nil })
			}))
		})
	}
	group.Wait()
	require.Equal(t, [][]string{{"20"}}, f.rows(t, "SELECT n FROM a"))
	require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
		if err := tx.Exec(t.Context(), written("UPDATE a SET n = 100"), backend.Args{}, func([][]byte) error { return nil }); err != nil {
			return err
		}
		require.Equal(t, [][]string{{"20"}}, f.rows(t, "SELECT n FROM a"), "what isn't committed is invisible")
		return nil
	}))
}

// busyCode is the code of an error of a source that is in use.
func busyCode(t *testing.T, err error) {
	t.Helper()
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, apierror.Busy, e.Code)
	require.Positive(t, e.RetryAfter)
}

// Waiting for a connection, and for another process that writes, has an end.
func TestWaitsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER)", func(o *Options) {
		o.PoolTimeout, o.BusyTimeout = time.Millisecond, time.Millisecond
	})
	nothing := func(backend.Tx) error { return nil }
	require.NoError(t, f.source.Mutate(t.Context(), nil, func(backend.Tx) error {
		busyCode(t, f.source.Mutate(t.Context(), nil, nothing))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, f.source.Mutate(ctx, nil, nothing), context.Canceled)
		return nil
	}))
	other := func(statement string) { require.NoError(t, sqlitex.ExecuteTransient(f.other, statement, nil)) }
	other("BEGIN IMMEDIATE")
	busyCode(t, f.source.Mutate(t.Context(), nil, nothing))
	other("ROLLBACK")
	require.NoError(t, f.source.Mutate(t.Context(), nil, nothing))
}

// A connection keeps a bounded number of statements prepared, and prepares the others again.
func TestPreparedStatementsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER)", nil)
	c, err := f.source.read.acquire(t.Context())
	require.NoError(t, err)
	defer f.source.read.release(c)
	for range 2 {
		for i := range maxPrepared + 10 {
			require.NoError(t, c.exec(t.Context(), "SELECT n FROM a LIMIT "+string(rune('0'+i%10))+" OFFSET "+time.Duration(i).String()[:1]+" -- "+time.Duration(i).String()))
		}
	}
	require.Len(t, c.prepared, maxPrepared)
	require.Len(t, c.order, maxPrepared)
}

// Connections come and go while others are at work: each keeps its guard, and no memory changes.
func TestConnectionsComeAndGo(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER)", nil)
	busy, stop := context.WithCancel(t.Context())
	defer stop()
	var coming, working sync.WaitGroup
	for range 8 {
		working.Go(func() {
			c, err := dial(t.Context(), &f.source.options, true)
			if !assert.NoError(t, err) {
				return
			}
			defer c.close()
			for busy.Err() == nil {
				_, err := c.rows(t.Context(), `SELECT engine_path('{"m": 0}', '["m"]')`, nil, func(row answer.Cells) error {
					assert.Equal(t, "0", string(row.Values[0]))
					return nil
				})
				assert.NoError(t, err)
			}
		})
		coming.Go(func() {
			for range 200 {
				c, err := dial(t.Context(), &f.source.options, true)
				if !assert.NoError(t, err) {
					return
				}
				_, err = c.rows(t.Context(), "ATTACH ':memory:' AS x", nil, nil)
				assert.ErrorAs(t, err, new(deniedError))
				c.close()
			}
		})
	}
	coming.Wait()
	stop()
	working.Wait()
}

// Close waits for what is running, and what comes after it fails.
func TestClose(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER)", nil)
	closed := make(chan struct{})
	require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
		go func() {
			f.source.Close()
			close(closed)
		}()
		return tx.Exec(t.Context(), written("INSERT INTO a VALUES (1)"), backend.Args{}, func([][]byte) error { return nil })
	}))
	<-closed
	require.Error(t, f.source.Ping(t.Context()))
	reopened := Open(f.source.options)
	defer reopened.Close()
	f.source = reopened
	require.Equal(t, [][]string{{"1"}}, f.rows(t, "SELECT n FROM a"))
}
