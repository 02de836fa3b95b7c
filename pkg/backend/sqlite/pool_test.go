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

// TestFaultsOfRequestsAreTheirOwn: requests share the connections of a file. Whatever some do on theirs, others read and write meanwhile and afterwards.
func TestFaultsOfRequestsAreTheirOwn(t *testing.T) {
	t.Parallel()
	const forever = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r"
	f := newFixture(t, "CREATE TABLE a (n INTEGER); INSERT INTO a VALUES (0)", func(o *Options) { o.Readers = 4 })
	read := func(ctx context.Context, text string, take func(answer.Cells) error) error {
		c, err := f.source.read.acquire(ctx)
		if err != nil {
			return err
		}
		defer f.source.read.release(c)
		_, err = c.rows(ctx, text, nil, take)
		return err
	}
	write := func(ctx context.Context, text string, then func()) error {
		return f.source.Mutate(ctx, nil, func(tx backend.Tx) error {
			err := tx.Exec(ctx, written(text), backend.Args{}, func([][]byte) error { return nil })
			then()
			return err
		})
	}
	nothing := func(answer.Cells) error { return nil }
	for fault, do := range map[string]func(ctx context.Context, begun func()){
		"fails":         func(ctx context.Context, begun func()) { _ = read(ctx, "SELECT json('{')", nothing); begun() },
		"sends garbage": func(ctx context.Context, begun func()) { _ = read(ctx, "\xff(('\x00", nothing); begun() },
		"hangs": func(ctx context.Context, begun func()) {
			_ = read(ctx, "SELECT max(n) FROM ("+forever+")", nothing)
			begun()
		},
		"is slow": func(ctx context.Context, begun func()) {
			_ = read(ctx, forever, func(answer.Cells) error { begun(); <-ctx.Done(); return ctx.Err() })
		},
		"is cancelled": func(ctx context.Context, begun func()) {
			ctx, cancel := context.WithCancel(ctx)
			_ = read(ctx, forever, func(answer.Cells) error { cancel(); return nil })
			begun()
		},
		"panics": func(ctx context.Context, begun func()) {
			defer func() { _ = recover(); begun() }()
			_ = read(ctx, forever, func(answer.Cells) error { panic("unforeseen") })
		},
		"panics in a transaction": func(ctx context.Context, begun func()) {
			defer func() { _ = recover(); begun() }()
			_ = write(ctx, "UPDATE a SET n = -1", func() { panic("unforeseen") })
		},
		"fails in a transaction": func(ctx context.Context, begun func()) {
			_ = write(ctx, "UPDATE a SET n = -1 WHERE json('{')", func() {})
			begun()
		},
		"loses its permission": func(ctx context.Context, begun func()) { _ = read(ctx, "ATTACH ':memory:' AS x", nothing); begun() },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var faulty, begun, healthy sync.WaitGroup
		for range 2 {
			once := sync.OnceFunc(begun.Done)
			begun.Add(1)
			if fault == "hangs" {
				once() // it says nothing while it does
			}
			faulty.Go(func() { do(ctx, once) })
		}
		begun.Wait()
		for range 8 {
			healthy.Go(func() {
				n := ""
				assert.NoError(t, read(t.Context(), "SELECT n >= 0 FROM a", func(row answer.Cells) error { n = string(row.Values[0]); return nil }), fault)
				assert.Equal(t, "1", n, fault)
				assert.NoError(t, write(t.Context(), "UPDATE a SET n = n + 1", func() {}), fault)
			})
		}
		healthy.Wait()
		cancel()
		faulty.Wait()
	}
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
