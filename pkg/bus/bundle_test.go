package bus

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// sentMessage is what a bundler has sent.
type sentMessage struct {
	subject, reply string
	data           string
}

// recorder is a connection that records what is sent, or fails.
type recorder struct {
	sent []sentMessage
	err  error
}

func (r *recorder) send(subject, reply string, data []byte) error {
	if r.err == nil {
		r.sent = append(r.sent, sentMessage{subject, reply, string(data)})
	}
	return r.err
}

// testBundler has two calls under way.
func testBundler(r *recorder) *bundler {
	calls := &atomic.Int64{}
	calls.Store(2)
	return &bundler{
		send: r.send, calls: calls, suffix: ".all",
		reply: func(number uint64) string { return fmt.Sprint("reply ", number) },
	}
}

// parcels makes a bundle of names and data by turns.
func parcels(list ...string) string {
	var b []byte
	for i := 0; i < len(list); i += 2 {
		b = appendParcel(b, list[i], []byte(list[i+1]))
	}
	return string(b)
}

// While one goroutine is about to send, others add to what it sends.
func TestMessagesAreSentTogether(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	b := testBundler(r)
	b.led = true
	var first, second, third atomic.Uint64
	require.NoError(t, b.add("x", "1", []byte("one"), &first))
	require.NoError(t, b.add("y", "2", []byte("two"), &second))
	require.NoError(t, b.add("x", "3", nil, nil))
	require.Empty(t, r.sent)
	b.led = false
	require.NoError(t, b.add("x", "4", []byte("four"), &third))
	require.Equal(t, []sentMessage{
		{"x.all", "reply 1", parcels("1", "one", "3", "", "4", "four")},
		{"y.all", "reply 2", parcels("2", "two")},
	}, r.sent)
	require.Equal(t, []uint64{1, 2, 1}, []uint64{first.Load(), second.Load(), third.Load()})
	require.False(t, b.led)

	require.NoError(t, b.add("x", "5", []byte("five"), nil))
	require.Equal(t, sentMessage{"x.all", "reply 3", parcels("5", "five")}, r.sent[2])
}

func TestWhatIsSentAloneKeepsItsPlace(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	b := testBundler(r)
	b.led = true
	require.NoError(t, b.add("x", "1", []byte("one"), nil))
	require.NoError(t, b.publish("x.2", "there", []byte("two")))
	require.Equal(t, []sentMessage{{"x.all", "reply 1", parcels("1", "one")}, {"x.2", "there", "two"}}, r.sent)
}

func TestABundleHasABound(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	b := testBundler(r)
	require.True(t, b.useful(maxBundled))
	require.False(t, b.useful(maxBundled+1))
	b.led = true
	const n = 40
	for range n {
		require.NoError(t, b.add("x", "name", make([]byte, maxBundled), nil))
	}
	require.NoError(t, b.publish("end", "", nil))
	got := 0
	for _, m := range r.sent[:len(r.sent)-1] {
		require.LessOrEqual(t, len(m.data), maxBundle+maxBundled)
		eachParcel([]byte(m.data), func(string, []byte) { got++ })
	}
	require.Equal(t, n, got)

	// Buffers of many receivers are not kept.
	for i := range 3 * maxUnused {
		require.NoError(t, b.add(fmt.Sprint("to ", i), "name", []byte("x"), nil))
	}
	require.NoError(t, b.publish("end", "", nil))
	require.Len(t, b.unused, maxUnused)

	b.calls.Store(1)
	require.False(t, b.useful(1), "nothing would come with it")
	require.False(t, (*bundler)(nil).useful(1))
}

// All whose requests were to be sent learn that they were not: those that may not be repeated may be tried elsewhere.
func TestABundleThatCannotBeSent(t *testing.T) {
	t.Parallel()
	m := &member{}
	w := &wire{direct: true, inbox: "_INBOX_gateway.abc"}
	m.line.wire.Store(w)
	w.calls.Store(5)
	calls := map[string]*remoteCall{}
	for i := range 3 {
		c := &remoteCall{token: callToken(uint64(i), 1, 0), frames: make(chan frame, 2), wire: w}
		calls[c.token] = c
	}
	b := &Bus{calls: calls}
	requests := b.requestBundler(w, m)
	r := &recorder{err: nats.ErrConnectionClosed}
	requests.send = r.send
	for _, token := range []string{callToken(0, 1, 0), callToken(1, 1, 0)} {
		requests.led = token == callToken(0, 1, 0)
		err := requests.add("x", replySubject(w.inbox, token), []byte("request"), &calls[token].bundle)
		require.Equal(t, !requests.led, errors.Is(err, nats.ErrConnectionClosed))
	}
	for token, c := range calls {
		if token == callToken(2, 1, 0) {
			require.Empty(t, c.frames)
			continue
		}
		require.Equal(t, frame{kind: frameUnsent}, <-c.frames)
		done, err := (&answer{call: c}).take(frame{kind: frameUnsent})
		require.True(t, done)
		require.ErrorIs(t, err, errNotSent)
	}
	require.Nil(t, m.line.wire.Load(), "no more calls go there")
}

// The server reports that no responder was there for a bundle. That concerns the calls in it, and no others.
func TestABundleThatNobodyHears(t *testing.T) {
	t.Parallel()
	w, other := &wire{direct: true, inbox: "_INBOX_gateway.abc"}, &wire{direct: true, inbox: "_INBOX_gateway.def"}
	b := &Bus{calls: map[string]*remoteCall{}}
	add := func(w *wire, bundle uint64) *remoteCall {
		c := &remoteCall{token: callToken(uint64(len(b.calls)), 1, 0), frames: make(chan frame, 2), wire: w, member: &member{}}
		c.bundle.Store(bundle)
		b.calls[c.token] = c
		return c
	}
	lost, alone, earlier, elsewhere := add(w, 40), add(w, 0), add(w, 39), add(other, 40)
	nobody := &nats.Msg{Subject: b.requestBundler(w, lost.member).reply(40), Header: nats.Header{"Status": {"503"}}}
	b.onReply(w, nobody)
	require.Len(t, lost.frames, 1)
	done, err := (&answer{call: lost}).take(<-lost.frames)
	require.True(t, done)
	require.ErrorIs(t, err, errNotThere)
	for _, c := range []*remoteCall{alone, earlier, elsewhere} {
		require.Empty(t, c.frames)
	}

	nobody.Header = nil // nothing but the server's notice counts
	b.onReply(w, nobody)
	require.Empty(t, lost.frames)
}

func TestFramesOfSeveralCalls(t *testing.T) {
	t.Parallel()
	w := &wire{direct: true, inbox: "_INBOX_gateway.abc"}
	b := &Bus{calls: map[string]*remoteCall{}}
	var calls []*remoteCall
	for i := range 2 {
		c := &remoteCall{token: callToken(uint64(i), 1, 0), frames: make(chan frame, 2), wire: w}
		b.calls[c.token] = c
		calls = append(calls, c)
	}
	data := parcels(calls[0].token+".h0", "head", calls[1].token+".f0", "answer", "unknown.f0", "x", calls[0].token+".f1", "end")
	b.onReply(w, &nats.Msg{Subject: replySubject(w.inbox, bundleToken), Data: []byte(data)})
	require.Equal(t, frame{kind: frameHead, data: []byte("head")}, <-calls[0].frames)
	require.Equal(t, frame{kind: frameEnd, number: 1, data: []byte("end")}, <-calls[0].frames)
	require.Equal(t, frame{kind: frameEnd, data: []byte("answer")}, <-calls[1].frames)
}

// FuzzParcels: nothing that isn't a bundle may panic, or be more than what came.
func FuzzParcels(f *testing.F) {
	f.Add([]byte(parcels("name", "data", "", "", "x", strings.Repeat("y", 300))))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{3, 'a'})
	f.Fuzz(func(t *testing.T, b []byte) {
		var again []byte
		var read, readAgain bytes.Buffer
		eachParcel(b, func(name string, data []byte) {
			fmt.Fprintf(&read, "%q %q\n", name, data)
			again = appendParcel(again, name, data)
			require.Equal(t, len(data), cap(data), "what is appended to it must not change the next")
		})
		require.LessOrEqual(t, len(again), len(b), "lengths may be written longer than need be")
		eachParcel(again, func(name string, data []byte) { fmt.Fprintf(&readAgain, "%q %q\n", name, data) })
		require.Equal(t, read.String(), readAgain.String())
	})
}
