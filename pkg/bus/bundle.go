package bus

import (
	"encoding/binary"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"
)

// Most of what a message costs on a direct connection doesn't depend on its size: a server parses and routes it, it
// passes through several goroutines, and a process wakes up. So small messages that are ready to be sent at the
// same time are one message there, a bundle. Each of them is still a request, or a frame of an answer.

const (
	// maxBundled is the size of the largest message, in bytes, that is put into a bundle: a larger one costs more to
	// copy than it saves.
	maxBundled = 8 << 10
	// maxBundle is the size at which a bundle is sent without waiting for more.
	maxBundle = 64 << 10
	// maxUnused is how many buffers are kept for other bundles.
	maxUnused = 4
	// bundleToken is instead of a call's token in the subject of a bundle of frames, and, with the number of the
	// bundle behind it, in the reply subject of one of requests. No call's token begins with it.
	bundleToken = "="
)

// bundler sends small messages of a connection together. It needs no goroutine: the one that adds the first message
// yields to those that are ready to run, and sends then what they have added, too.
type bundler struct {
	// send publishes a message; the reply subject may be empty. The data is not kept.
	send func(subject, reply string, data []byte) error
	// calls is how many are under way.
	calls *atomic.Int64
	// suffix ends the subject of a bundle.
	suffix string
	// reply makes the reply subject of a bundle from its number; nil for bundles without one.
	reply func(number uint64) string
	// unsent gets the messages of a bundle that could not be sent, with the lock held; nil when no caller needs them.
	unsent func(parcels []byte)

	mu sync.Mutex
	// led reports whether a goroutine is about to send the open bundles.
	led    bool
	number uint64
	open   []*bundle
	unused []*bundle
}

// bundle is what goes to one receiver.
type bundle struct {
	to      string // its subject, without the suffix
	number  uint64
	parcels []byte // see appendParcel
}

// useful reports whether a message of that size is to be added. While only one call is under way, nothing would come
// with it.
func (b *bundler) useful(size int) bool {
	return b != nil && size <= maxBundled && b.calls.Load() > 1
}

// add puts a message into a bundle, which is sent soon. name is what the receiver knows the message by; number, unless
// it is nil, gets the number of the bundle before that is sent. What goes wrong after the return goes to unsent.
func (b *bundler) add(to, name string, data []byte, number *atomic.Uint64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	into := b.bundle(to)
	if len(into.parcels)+len(name)+len(data) > maxBundle {
		if err := b.sendAll(); err != nil {
			return err
		}
		into = b.bundle(to)
	}
	into.parcels = appendParcel(into.parcels, name, data)
	if number != nil {
		number.Store(into.number)
	}
	if b.led {
		return nil
	}
	b.led = true
	b.mu.Unlock()
	runtime.Gosched()
	b.mu.Lock()
	b.led = false
	return b.sendAll()
}

// publish sends a message by itself, after those that were added before.
func (b *bundler) publish(subject, reply string, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.sendAll(); err != nil {
		return err
	}
	return b.send(subject, reply, data)
}

// bundle is the open bundle to a receiver. The lock is held.
func (b *bundler) bundle(to string) *bundle {
	for _, o := range b.open {
		if o.to == to {
			return o
		}
	}
	o := &bundle{}
	if last := len(b.unused) - 1; last >= 0 {
		o, b.unused = b.unused[last], b.unused[:last]
	}
	b.number++
	o.to, o.number = to, b.number
	b.open = append(b.open, o)
	return o
}

// sendAll sends the open bundles. The lock is held.
func (b *bundler) sendAll() error {
	var failed error
	for i, o := range b.open {
		reply := ""
		if b.reply != nil {
			reply = b.reply(o.number)
		}
		if err := b.send(o.to+b.suffix, reply, o.parcels); err != nil {
			failed = err
			if b.unsent != nil {
				b.unsent(o.parcels)
			}
		}
		b.open[i] = nil
		if len(b.unused) < maxUnused {
			o.to, o.parcels = "", o.parcels[:0]
			b.unused = append(b.unused, o)
		}
	}
	b.open = b.open[:0]
	return failed
}

// appendParcel appends a message to those of a bundle: its name and its data, each behind its length.
func appendParcel(b []byte, name string, data []byte) []byte {
	b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}

// eachParcel calls f with each message of a bundle, up to one that is broken off.
func eachParcel(b []byte, f func(name string, data []byte)) {
	for len(b) > 0 {
		name, rest, ok := cutField(b)
		if !ok {
			return
		}
		data, rest, ok := cutField(rest)
		if !ok {
			return
		}
		f(string(name), data)
		b = rest
	}
}

// cutField cuts off bytes that are behind their length.
func cutField(b []byte) (field, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	end := size + int(n) //nolint:gosec // at most len(b)
	return b[size:end:end], b[end:], true
}

// requestBundler is for the requests to a replica.
func (b *Bus) requestBundler(w *wire, m *member) *bundler {
	return &bundler{
		send: publisher(w.nc), calls: &w.calls, suffix: bundleSuffix,
		reply: func(number uint64) string { return replySubject(w.inbox, bundleToken+strconv.FormatUint(number, 36)) },
		unsent: func(parcels []byte) {
			m.line.disuse(w)
			b.callsMu.Lock()
			defer b.callsMu.Unlock()
			eachParcel(parcels, func(reply string, _ []byte) {
				if c := b.calls[strings.TrimPrefix(reply, replySubject(w.inbox, ""))]; c != nil {
					c.unreached(frameUnsent)
				}
			})
		},
	}
}

// onBundle gets what comes about bundles: one of frames, or the server's notice that no responder was there for the
// requests of the one with that number.
func (b *Bus) onBundle(w *wire, number string, m *nats.Msg) {
	if number == "" {
		var one nats.Msg
		eachParcel(m.Data, func(tail string, data []byte) {
			one.Data = data
			b.onFrame(w, tail, &one)
		})
		return
	}
	n, err := strconv.ParseUint(number, 36, 64)
	if err != nil || !isNobody(m) {
		return
	}
	b.callsMu.Lock()
	defer b.callsMu.Unlock()
	for _, c := range b.calls {
		if c.wire == w && c.bundle.Load() == n {
			c.unreached(frameUnheard)
		}
	}
}

// unreached ends a call whose request has reached no responder.
func (c *remoteCall) unreached(kind frameKind) {
	select {
	case c.frames <- frame{kind: kind}:
	default: // there are frames, so that something has reached a responder
	}
}

// sendInOrder sends a frame, behind those of the exchange that were sent before it.
func (e *exchange) sendInOrder(kind frameKind, number uint32, address string, data []byte) error {
	subject := frameSubject(e.reply, kind, number)
	if address != "" || !e.frames.useful(len(data)) {
		return e.frames.publish(subject, address, data)
	}
	tail := strings.LastIndexByte(e.reply, '.') + 1
	return e.frames.add(subject[:tail], subject[tail:], data, nil)
}
