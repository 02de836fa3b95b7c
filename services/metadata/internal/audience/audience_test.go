package audience

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	metadatav1 "queryengine/proto/metadata/v1"
)

// fakeTopics hands Acks to the subscriber, and answers a roll call with some.
type fakeTopics struct {
	hear    func(proto.Message)
	present []*metadatav1.Ack
}

func (f *fakeTopics) Publish(t bus.Topic, _ proto.Message) error {
	if t == bus.MetadataRollCall {
		for _, ack := range f.present {
			f.hear(ack)
		}
	}
	return nil
}

func (f *fakeTopics) Subscribe(_ bus.Topic, _ func() proto.Message, h func(proto.Message)) (func(), error) {
	f.hear = h
	return func() {}, nil
}

func ack(instance string, version int64) *metadatav1.Ack {
	return &metadatav1.Ack{Service: bus.ServiceGateway, Instance: instance, StreamId: "s", Version: version}
}

// waited is how long a Wait for version 5 took.
func waited(t *testing.T, a *Audience) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	began := time.Now()
	a.Wait(ctx, "s", 5)
	return time.Since(began)
}

func start(t *testing.T, present ...*metadatav1.Ack) (*Audience, *fakeTopics) {
	t.Helper()
	f := &fakeTopics{present: present}
	a := New(f)
	_, err := a.Start(true)
	require.NoError(t, err)
	return a, f
}

func TestWaitEndsWithTheLastGateway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, f := start(t, ack("one", 4), ack("two", 5))
		go func() {
			time.Sleep(time.Second)
			f.hear(ack("one", 5))
		}()
		require.Equal(t, time.Second, waited(t, a))
	})
}

func TestNobodyToWaitFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		executor := ack("x", 1)
		executor.Service = bus.ServiceQueryExecutor
		a, _ := start(t, executor)
		require.Equal(t, firstTime, waited(t, a))
		require.Zero(t, waited(t, a))
	})
}

// TestSlowGatewaysAfterARestart: a gateway that serves what there was before this process is
// waited for, though it is in no hurry to answer.
func TestSlowGatewaysAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeTopics{}
		a := New(f)
		_, err := a.Start(false)
		require.NoError(t, err)
		go func() {
			time.Sleep(silence - time.Millisecond)
			f.hear(ack("slow", 4))
			time.Sleep(time.Second)
			f.hear(ack("slow", 5))
		}()
		require.Equal(t, silence-time.Millisecond+time.Second, waited(t, a))
	})
}

func TestLeavingAndSilentGatewaysDoNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leaving := ack("one", 4)
		leaving.Leaving = true
		a, f := start(t, ack("one", 4), ack("two", 4))
		f.hear(leaving)
		f.present = nil
		require.InDelta(t, silence+answerTime, waited(t, a), float64(silence/3))
	})
}

func TestWaitTellsWhoIsBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, _ := start(t, ack("one", 4), ack("two", 5), ack("three", 0))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		behind, live := a.Wait(ctx, "s", 5)
		require.Equal(t, [2]int{2, 3}, [2]int{behind, live})
	})
}

// TestOwnSilence: a process that was frozen has received no announcements in the meantime, which means
// nothing for the gateways.
func TestOwnSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, f := start(t, ack("one", 4))
		time.Sleep(time.Minute)
		go func() {
			time.Sleep(answerTime / 2)
			f.hear(ack("one", 4))
			time.Sleep(time.Second)
			f.hear(ack("one", 5))
		}()
		f.present = nil
		require.Equal(t, time.Second+answerTime/2, waited(t, a))
	})
}

func TestAnotherStreamIsBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		foreign := ack("one", 90)
		foreign.StreamId = "other"
		a, f := start(t, foreign)
		go func() {
			time.Sleep(500 * time.Millisecond)
			f.hear(ack("one", 6))
		}()
		require.Equal(t, 500*time.Millisecond, waited(t, a))
	})
}
