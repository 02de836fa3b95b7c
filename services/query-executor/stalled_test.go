package queryexecutor

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

// stalledReader takes nothing before it is instructed to go on.
type stalledReader struct {
	goOn chan struct{}
	bytes.Buffer
}

func (r *stalledReader) SetHead(proto.Message) {}

func (r *stalledReader) Write(p []byte) (int, error) {
	<-r.goOn
	return r.Buffer.Write(p)
}

const allPages = `{ page(order_by: {id: asc}) { id body } }`

// Readers that stall, more than there are connections, don't block others from the database, and get
// their whole answers when they go on.
func TestReadersThatStallHoldNoConnection(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/stalled", Config{SpoolSize: 1 << 30, ReaderPatience: 50 * time.Millisecond, Concurrency: 256})
	doors := map[string]func(context.Context, bus.ResponseWriter) error{
		"GraphQL": func(ctx context.Context, w bus.ResponseWriter) error {
			return e.execute(ctx, &queryv1.ExecuteRequest{Session: asAdmin(), Query: allPages}, w)
		},
		"data operation": func(ctx context.Context, w bus.ResponseWriter) error {
			return e.data(ctx, &queryv1.DataRequest{
				Session: asAdmin(),
				Body:    []byte(`{"type": "select", "args": {"table": "page", "columns": ["id", "body"], "order_by": ["id"]}}`),
			}, w)
		},
	}
	for name, ask := range doors {
		var want stalledReader
		want.goOn = make(chan struct{})
		close(want.goOn)
		require.NoError(t, ask(t.Context(), &want), name)

		goOn := make(chan struct{})
		readers := make([]stalledReader, 6)
		var all sync.WaitGroup
		for i := range readers {
			readers[i].goOn = goOn
			all.Go(func() { assert.NoError(t, ask(t.Context(), &readers[i]), name) })
		}
		// Each of these needs one of the two connections.
		require.Eventually(t, func() bool {
			memory, disk := e.spool.Kept()
			return memory+disk > int64(len(readers)-2)*int64(want.Len())
		}, 60*time.Second, 10*time.Millisecond, "%s: the readers are all waited for", name)
		var small reply
		require.NoError(t, e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: `{ page_by_pk(id: 1) { id } }`}, &small))
		require.JSONEq(t, `{"data":{"page_by_pk":{"id":1}}}`, small.String())

		close(goOn)
		all.Wait()
		for i := range readers {
			require.True(t, bytes.Equal(want.Bytes(), readers[i].Bytes()), name)
		}
		memory, disk := e.spool.Kept()
		require.Zero(t, memory+disk, name)
	}
}

// A reader that has gone ends the statement and frees its buffers.
func TestReadersThatLeaveAreForgotten(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/stalled", Config{SpoolSize: 1 << 30, ReaderPatience: 50 * time.Millisecond, Concurrency: 256})
	gone := errors.New("gone")
	err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: allPages}, readerError{gone})
	require.ErrorIs(t, err, gone)
	memory, disk := e.spool.Kept()
	require.Zero(t, memory+disk)
}

type readerError struct{ error }

func (readerError) SetHead(proto.Message)         {}
func (r readerError) Write(p []byte) (int, error) { return 0, r.error }
