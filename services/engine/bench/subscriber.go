package bench

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// arrivals are the results that came since the last reset.
type arrivals struct {
	mu     sync.Mutex
	since  time.Time
	wanted int
	took   []time.Duration
	done   chan struct{}
	failed []byte // a message that is no result
}

// reset waits for a number of results from now on.
func (a *arrivals) reset(wanted int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since, a.wanted, a.took, a.done = time.Now(), wanted, nil, make(chan struct{})
}

func (a *arrivals) add(message []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !bytes.HasPrefix(message, []byte(`{"type":"next"`)) || bytes.Contains(message, []byte(`"errors"`)) {
		a.failed = bytes.Clone(message)
		return
	}
	if a.done == nil {
		return
	}
	a.took = append(a.took, time.Since(a.since))
	if len(a.took) == a.wanted {
		close(a.done)
	}
}

// await gives how long each result took, when all have come.
func (a *arrivals) await(ctx context.Context, limit time.Duration) ([]time.Duration, error) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case <-a.done:
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.took, nil
	case <-timeout.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return nil, fmt.Errorf("%d of %d results came within %s %s", len(a.took), a.wanted, limit, a.failed)
}

// quantiles describes durations.
func quantiles(list []time.Duration) string {
	slices.Sort(list)
	at := func(q float64) float64 { return list[int(q*float64(len(list)-1))].Seconds() * 1000 }
	return fmt.Sprintf("p50 %.0f ms, p99 %.0f ms, last %.0f ms", at(0.5), at(0.99), at(1))
}

// liveClient is a WebSocket with subscriptions.
type liveClient struct {
	socket *websocket.Conn
	done   chan struct{}
}

func dialLive(ctx context.Context, address, secret string, to interface{ add(message []byte) }) (*liveClient, error) {
	socket, _, err := websocket.Dial(ctx, "ws://"+address+"/v1/graphql", &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return nil, err
	}
	c := &liveClient{socket: socket, done: make(chan struct{})}
	hello := fmt.Sprintf(`{"type":"connection_init","payload":{"headers":{"X-Engine-Admin-Secret":%q}}}`, secret)
	if err := socket.Write(ctx, websocket.MessageText, []byte(hello)); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.done)
		for {
			_, message, err := socket.Read(ctx)
			if err != nil {
				return
			}
			if !bytes.HasPrefix(message, []byte(`{"type":"ping"`)) && !bytes.HasPrefix(message, []byte(`{"type":"connection_ack"`)) {
				to.add(message)
			}
		}
	}()
	return c, nil
}

func (c *liveClient) subscribe(ctx context.Context, id, document string, part int) error {
	message := fmt.Sprintf(`{"type":"subscribe","id":%q,"payload":{"query":%q,"variables":{"part":%d}}}`, id, document, part)
	return c.socket.Write(ctx, websocket.MessageText, []byte(message))
}

func (c *liveClient) close() {
	_ = c.socket.CloseNow() // it is not used any more
	<-c.done
}
