package delivery

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/egress"
	deliveryv1 "queryengine/proto/delivery/v1"
)

// faulty is a kind whose triggers are named by their faults.
type faulty struct {
	memory
	client caller
	url    string
	// states are what became of the events of each trigger.
	states map[string][]State
}

func (k *faulty) Prepare(d *deliveryv1.Delivery) (*Attempt, *Outcome) {
	if d.GetTrigger() == "panics early" {
		panic("unforeseen")
	}
	return &Attempt{
		EventID: d.GetEventId(), Version: "1", Body: []byte("{}"), Paused: func() bool { return d.GetTrigger() == "is paused" },
		Target: &Target{URL: k.url + "/" + d.GetTrigger(), Timeout: patience},
	}, nil
}

func (k *faulty) Record(_ context.Context, outcomes []Outcome) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, o := range outcomes {
		k.states[o.Trigger] = append(k.states[o.Trigger], o.State)
	}
	return nil
}

// Do implements caller.
func (k *faulty) Do(ctx context.Context, r *egress.Request) (*egress.Response, error) {
	if r.URL == k.url+"/panics" {
		panic("unforeseen")
	}
	return k.client.Do(ctx, r)
}

// TestFaultsOfDeliveriesAreTheirOwn: triggers share the workers, their slots and the queue. Whatever the deliveries of one do, those of another come.
func TestFaultsOfDeliveriesAreTheirOwn(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/fails":
			w.WriteHeader(http.StatusInternalServerError)
		case "/hangs":
			<-r.Context().Done()
		case "/is slow":
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Millisecond)
			}
		case "/is cancelled", "/sends garbage":
			c, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(c, map[string]string{"/sends garbage": "\x00\xffHTTP/9"}[r.URL.Path])
				_ = c.Close()
			}
		}
	}))
	t.Cleanup(s.Close)
	client, err := egress.New(egress.DefaultConfig())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	k := &faulty{client: client, url: s.URL, states: map[string][]State{}}
	w := New(Config{
		Queue: b.Deliveries(), Replicas: 1, Kinds: map[deliveryv1.Kind]Kind{deliveryv1.Kind_KIND_CRON: k}, Client: k,
		Concurrency: 4, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Await: func(context.Context, int64) error { return nil },
	})
	w.Start()
	defer w.Stop(0)
	faults := []string{"panics early", "panics", "fails", "is cancelled", "sends garbage", "is paused", "hangs", "is slow"}
	for _, fault := range faults {
		publish(t, b, 20, fault)
	}
	publish(t, b, 20, "well")
	ended := func(trigger string) []State {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.states[trigger]
	}
	for trigger, state := range map[string]State{
		"well": Delivered, "panics early": Failed, "panics": Failed, "fails": Failed, "is cancelled": Failed, "sends garbage": Failed, "is paused": Waiting,
	} {
		require.Eventually(t, func() bool { return len(ended(trigger)) >= 20 }, patience, 5*time.Millisecond, trigger)
		for _, got := range ended(trigger) {
			require.Equal(t, state, got, trigger)
		}
	}
	require.NotContains(t, ended("hangs"), Delivered)
	require.NotContains(t, ended("is slow"), Delivered)
}
