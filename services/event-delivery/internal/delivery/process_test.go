package delivery

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/egress"
	deliveryv1 "queryengine/proto/delivery/v1"
)

// timed is a client whose calls take so long, each webhook's its own.
type timed map[string]time.Duration

func (c timed) Do(ctx context.Context, r *egress.Request) (*egress.Response, error) {
	select {
	case <-time.After(c[r.URL]):
		return &egress.Response{Status: http.StatusOK, Header: http.Header{}}, nil
	case <-ctx.Done():
		return nil, &egress.Error{Kind: egress.Cancelled}
	}
}

// TestOnlyThoseThatHangArePutOff holds that events of a webhook that answers wait for their calls
// however many there are, also next to others that hang, and that events of a webhook that hangs give
// way.
func TestOnlyThoseThatHangArePutOff(t *testing.T) {
	t.Parallel()
	const hangs = time.Hour
	for name, c := range map[string]struct {
		calls timed
		// burst is how many events each has, and putOff how many of them don't wait.
		burst, putOff map[string]int
	}{
		"a burst": {
			calls: timed{"fast": 100 * time.Millisecond}, burst: map[string]int{"fast": 1000},
		},
		"bursts of several": {
			calls: timed{"a": 200 * time.Millisecond, "b": 200 * time.Millisecond, "c": 200 * time.Millisecond},
			burst: map[string]int{"a": 300, "b": 300, "c": 300},
		},
		"a slow one": {
			calls: timed{"slow": 4 * time.Second}, burst: map[string]int{"slow": 200},
		},
		"one that hangs": {
			calls: timed{"sick": hangs}, burst: map[string]int{"sick": 800}, putOff: map[string]int{"sick": 760},
		},
		"next to one that hangs": {
			calls: timed{"sick": hangs, "fast": 100 * time.Millisecond},
			burst: map[string]int{"sick": 200, "fast": 800}, putOff: map[string]int{"sick": 160},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := New(Config{Client: c.calls, Concurrency: 100, Logger: slog.New(slog.DiscardHandler), Now: time.Now})
				work, abandon := context.WithCancel(t.Context())
				var mu sync.Mutex
				putOff := map[string]int{}
				var attempts sync.WaitGroup
				// Those that hang come first.
				for _, webhook := range []string{"sick", "slow", "fast", "a", "b", "c"} {
					for range c.burst[webhook] {
						attempts.Go(func() {
							d := &deliveryv1.Delivery{Kind: deliveryv1.Kind_KIND_TABLE_EVENT, Trigger: webhook}
							outcome, err := w.attempt(t.Context(), work, d, &Attempt{Target: &Target{URL: webhook, Timeout: 2 * hangs}})
							mu.Lock()
							defer mu.Unlock()
							if err == nil && outcome.State == Waiting {
								putOff[webhook]++
							}
						})
					}
					synctest.Wait()
				}
				time.Sleep(hangs / 2)
				abandon()
				attempts.Wait()
				for webhook := range c.burst {
					require.Equal(t, c.putOff[webhook], putOff[webhook], webhook)
				}
			})
		})
	}
}
