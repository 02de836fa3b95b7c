package bus

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// exchange is a request of another process that is being answered here.
type exchange struct {
	// nc is where the request came from.
	nc *nats.Conn
	// frames is what small frames may be sent by together; nil for none.
	frames  *bundler
	metrics *metrics
	// key is <inbox of the caller>.<call>.
	key string
	// reply is where frames go to, address where the caller writes to.
	reply, address string
	cancel         context.CancelCauseFunc
	credits        chan struct{}
	parts          chan []byte // nil when the request came whole
	// sent is when the caller last heard of us.
	sent atomic.Int64
}

// beat tells the caller that its request is still being processed. When the caller is gone, NATS
// reports that at the address.
func (e *exchange) beat(now time.Time) {
	e.sent.Store(now.UnixNano())
	_ = e.nc.PublishRequest(frameSubject(e.reply, frameAlive, 0), e.address, nil)
}

// take handles what came to the address of e.
func (e *exchange) take(verb string, m *nats.Msg) {
	switch verb {
	case verbCredit:
		select {
		case e.credits <- struct{}{}:
		default: // more credits than frames: not a caller of ours
		}
	case verbPart:
		select {
		case e.parts <- m.Data:
		default:
		}
	case verbStop:
		e.cancel(context.Canceled)
	case "":
		if isNobody(m) {
			e.cancel(errCallerGone)
		}
	}
}

// cancelledKeys is how many callers that gave up are remembered: a cancellation may be
// quicker than its request.
const cancelledKeys = 256

// exchanges holds the requests that are being answered.
type exchanges struct {
	mu     sync.Mutex
	open   map[string]*exchange
	early  map[string]struct{} // cancelled before they were opened
	oldest [cancelledKeys]string
	next   int
}

func newExchanges() exchanges {
	return exchanges{open: map[string]*exchange{}, early: map[string]struct{}{}}
}

// add opens e, and cancels it when its caller has given up already.
func (x *exchanges) add(e *exchange) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open[e.key] = e
	if _, gone := x.early[e.key]; gone {
		e.cancel(context.Canceled)
	}
}

func (x *exchanges) remove(e *exchange) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.open, e.key)
}

func (x *exchanges) get(key string) *exchange {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open[key]
}

// cancel ends the exchange with the key, now or when it is opened.
func (x *exchanges) cancel(key string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e, ok := x.open[key]; ok {
		e.cancel(context.Canceled)
		return
	}
	delete(x.early, x.oldest[x.next])
	x.early[key] = struct{}{}
	x.oldest[x.next] = key
	x.next = (x.next + 1) % cancelledKeys
}

// cancelAll ends what came over a connection.
func (x *exchanges) cancelAll(nc *nats.Conn, reason error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.open {
		if e.nc == nc {
			e.cancel(reason)
		}
	}
}

// silentSince gives the exchanges whose caller has heard nothing after t.
func (x *exchanges) silentSince(t time.Time) []*exchange {
	x.mu.Lock()
	defer x.mu.Unlock()
	var silent []*exchange
	for _, e := range x.open {
		if e.sent.Load() <= t.UnixNano() {
			silent = append(silent, e)
		}
	}
	return silent
}

// onCancel gets the keys of requests that their callers have given up.
func (b *Bus) onCancel(m *nats.Msg) { b.exchanges.cancel(string(m.Data)) }

// onAddress gets what callers, and NATS for them, tell the responders of this process.
func (b *Bus) onAddress(m *nats.Msg) {
	key := strings.TrimPrefix(m.Subject, addressSubject(b.inbox, ""))
	verb := ""
	// A key has two dots, a verb is the token behind it.
	if i := strings.LastIndexByte(key, '.'); strings.Count(key, ".") > 2 {
		key, verb = key[:i], key[i:]
	}
	if e := b.exchanges.get(key); e != nil {
		e.take(verb, m)
	}
}
