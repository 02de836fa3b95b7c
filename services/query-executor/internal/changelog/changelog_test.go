package changelog

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/catalog"
	changev1 "queryengine/proto/change/v1"
)

const patience = 20 * time.Second

// fixture has the ends of a bus: that of the log, and that of a process that reads.
type fixture struct {
	t       *testing.T
	log     *Log
	reader  *bus.Bus
	wanted  chan string
	ready   chan struct{}
	changed chan string
	ended   chan error
	stop    context.CancelFunc
}

func setup(t *testing.T) *fixture {
	t.Helper()
	s := bustest.Server(t)
	f := &fixture{
		t: t, log: New(bustest.Connect(t, s), "shop"), reader: bustest.Connect(t, s), wanted: make(chan string, 100),
		ready: make(chan struct{}), changed: make(chan string, 100), ended: make(chan error, 1),
	}
	stop, err := f.reader.Subscribe(bus.ChangesWanted, func() proto.Message { return &changev1.Wanted{} }, func(m proto.Message) {
		f.wanted <- m.(*changev1.Wanted).GetSource() //nolint:forcetypeassert // fails the test
	})
	require.NoError(t, err)
	t.Cleanup(stop)
	ctx, cancel := context.WithCancel(t.Context())
	f.stop = cancel
	go func() {
		f.ended <- f.log.Listen(ctx, func() { close(f.ready) }, func(c backend.Change) { f.changed <- c.ID })
	}()
	require.Equal(t, "shop", receive(t, f.wanted))
	return f
}

func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(patience):
		require.Fail(t, "nothing has come")
		panic("not reached")
	}
}

// tell publishes a message of a reading.
func (f *fixture) tell(reading string, number uint64, tables ...string) {
	f.t.Helper()
	told := &changev1.Told{Source: "shop", Reading: reading, Instance: f.reader.Instance(), Number: number}
	for _, table := range tables {
		told.Changes = append(told.Changes, &changev1.Change{Table: table})
	}
	require.NoError(f.t, f.reader.Publish(bus.ChangesTold, told))
}

func TestListen(t *testing.T) {
	t.Parallel()
	f := setup(t)
	_, err := f.log.Watch(t.Context(), nil)
	require.ErrorIs(t, err, errEnded, "no client reads")
	require.NoError(t, f.reader.Publish(bus.ChangesTold, &changev1.Told{Source: "shop", Reading: "before", Ended: true}))
	require.NoError(t, f.reader.Publish(bus.ChangesTold, &changev1.Told{Source: "other", Reading: "x"}))
	f.tell("a", 41)
	receive(t, f.ready)
	f.tell("a", 42, "t", "u")
	f.tell("a", 42)
	f.tell("a", 43, "t")
	for _, want := range []string{"t", "u", "t"} {
		require.Equal(t, want, receive(t, f.changed))
	}
	f.stop()
	require.ErrorIs(t, receive(t, f.ended), context.Canceled)
	require.Empty(t, f.changed)
}

// TestListenNoticesWhatItMisses has each way in which something can be missed.
func TestListenNoticesWhatItMisses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		miss func(f *fixture)
		want error
	}{
		"a message":                  {func(f *fixture) { f.tell("a", 3, "t") }, errMissing},
		"the last message":           {func(f *fixture) { f.tell("a", 2) }, errMissing},
		"the end, and another began": {func(f *fixture) { f.tell("b", 1) }, errEnded},
		"all":                        {func(*fixture) {}, errSilent},
		"the end": {func(f *fixture) {
			_ = f.reader.Publish(bus.ChangesTold, &changev1.Told{Source: "shop", Reading: "a", Ended: true, Number: 1})
		}, errEnded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.tell("a", 1)
			receive(t, f.ready)
			c.miss(f)
			require.ErrorIs(t, receive(t, f.ended), c.want)
			_, err := f.log.Watch(t.Context(), nil)
			require.ErrorIs(t, err, errEnded)
		})
	}
}

// TestInboxIsBounded by the number of messages and by their bytes.
func TestInboxIsBounded(t *testing.T) {
	t.Parallel()
	small := &changev1.Told{Source: "shop", Changes: []*changev1.Change{{Table: "t"}}}
	large := &changev1.Told{Source: "shop", Changes: []*changev1.Change{{Table: strings.Repeat("t", 512<<10)}}}
	for name, c := range map[string]struct {
		message *changev1.Told
		fit     int
	}{
		"messages": {small, backlog},
		"bytes":    {large, backlogBytes / proto.Size(large)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := newInbox()
			for range c.fit {
				in.put(c.message)
			}
			require.Empty(t, in.overflow)
			require.Len(t, in.messages, c.fit)
			in.took(<-in.messages)
			in.put(c.message)
			require.Empty(t, in.overflow, "what was taken makes room")
			for range 3 {
				in.put(c.message)
			}
			require.Len(t, in.messages, c.fit)
			require.Len(t, in.overflow, 1)
		})
	}
}

// TestFullInboxEndsListening although no message that was kept is wrong.
func TestFullInboxEndsListening(t *testing.T) {
	t.Parallel()
	in, s := newInbox(), bustest.Server(t)
	for n := range uint64(backlog + 1) {
		in.put(&changev1.Told{Source: "shop", Reading: "a", Number: n, Changes: []*changev1.Change{{Table: "t"}}})
	}
	err := New(bustest.Connect(t, s), "shop").read(t.Context(), in, func() {}, func(backend.Change) {})
	require.ErrorIs(t, err, errMissing)
}

func TestWatch(t *testing.T) {
	t.Parallel()
	f := setup(t)
	service, err := f.reader.Register(t.Context(), bus.ServiceInfo{Name: bus.ServiceEventDelivery, Version: "0.0.1"})
	require.NoError(t, err)
	err = service.Handle(bus.ChangesWatch(f.reader.Instance()), func() proto.Message { return &changev1.WatchRequest{} },
		func(_ context.Context, m proto.Message, w bus.ResponseWriter) error {
			in := m.(*changev1.WatchRequest) //nolint:forcetypeassert // fails the test
			switch in.GetRelations()[0].GetName() {
			case "view":
				w.SetHead(&changev1.WatchHead{Unwatchable: true})
			case "fault":
				return apierror.New(apierror.PostgresError, "no right")
			default:
				w.SetHead(&changev1.WatchHead{Tables: []string{in.GetSource(), in.GetReading(), in.GetRelations()[0].GetSchema()}})
			}
			return nil
		})
	require.NoError(t, err)
	f.tell("a", 1)
	receive(t, f.ready)
	watch := func(name string) ([]string, error) {
		return f.log.Watch(t.Context(), []catalog.Name{{Schema: "public", Name: name}})
	}
	ids, err := watch("album")
	require.NoError(t, err)
	require.Equal(t, []string{"shop", "a", "public"}, ids)
	_, err = watch("view")
	require.ErrorIs(t, err, backend.ErrUnwatchable)
	_, err = watch("fault")
	require.ErrorContains(t, err, "no right")
}
