package delivery

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/bus"
	"queryengine/pkg/lifecycle"
	deliveryv1 "queryengine/proto/delivery/v1"
)

// pause is how long a worker waits after a fault of the queue or of the database.
const pause = time.Second

// queue is where deliveries come from; a *bus.Deliveries.
type queue interface {
	Ensure(ctx context.Context, replicas int) (string, error)
	Fetch(ctx context.Context, n int, take func(*bus.Incoming)) error
}

// Config is what a Worker works with.
type Config struct {
	Queue    queue
	Replicas int // of the queue's stream
	Kinds    map[deliveryv1.Kind]Kind
	Client   caller
	// Concurrency bounds the webhooks that are called at once.
	Concurrency int
	Logger      *slog.Logger
	// FailuresAreErrors is the level of lines about calls that fail.
	FailuresAreErrors bool
	// Tracer makes the spans of attempts, nil for none.
	Tracer trace.Tracer
	Now    func() time.Time
	// Publish sends to a NATS subject instead of a webhook, and returns the stream's acknowledgement.
	Publish func(ctx context.Context, e bus.Event, replicas int) (json.RawMessage, error)
	// Await returns when the kinds have applied that version of the metadata.
	Await func(ctx context.Context, version int64) error
}

// Worker delivers until it is stopped.
type Worker struct {
	queue    queue
	replicas int
	client   caller
	logger   *slog.Logger
	tracer   trace.Tracer
	log      callLog
	now      func() time.Time
	await    func(ctx context.Context, version int64) error

	kinds map[deliveryv1.Kind]Kind
	// mu guards recorders; work is what they run with.
	mu        sync.Mutex
	recorders map[lane]*recorder
	work      context.Context //nolint:containedctx // that of Start, until Stop
	// slots holds a token for each delivery in progress. queued shares those between flows, and calls
	// the calls of webhooks.
	slots    chan struct{}
	queued   *fairSemaphore
	calls    *fairSemaphore
	publish  func(ctx context.Context, e bus.Event, replicas int) (json.RawMessage, error)
	inHand   sync.WaitGroup
	fetching sync.WaitGroup
	// stopFetch stops fetching deliveries, abandon cancels those in progress.
	stopFetch, abandon context.CancelFunc
}

// New returns a Worker; it does nothing before Start.
func New(c Config) *Worker {
	w := &Worker{
		queue: c.Queue, replicas: c.Replicas, client: c.Client, logger: c.Logger, tracer: c.Tracer, now: c.Now, await: c.Await,
		log:   newCallLog(c.Logger, c.FailuresAreErrors),
		kinds: c.Kinds, recorders: map[lane]*recorder{}, publish: c.Publish,
		slots: make(chan struct{}, queuePerCall*c.Concurrency), queued: newFairSemaphore(queuePerCall * c.Concurrency), calls: newFairSemaphore(c.Concurrency),
	}
	return w
}

// queuePerCall is how many deliveries a worker has in progress for each webhook that it may call at
// once: those of a trigger whose webhook is slow wait there, and the others pass.
const queuePerCall = 10

// lane is what outcomes are written together for.
type lane struct {
	kind   deliveryv1.Kind
	source string
}

// recorder returns the recorder of the lane of a delivery.
func (w *Worker) recorder(kind Kind, d *deliveryv1.Delivery) *recorder {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := lane{d.GetKind(), d.GetSource()}
	r := w.recorders[l]
	if r == nil {
		r = newRecorder(kind, w.calls.most, w.logger)
		w.recorders[l] = r
		w.fetching.Go(func() { r.run(w.work) })
	}
	return r
}

// Start begins to take deliveries.
func (w *Worker) Start() {
	fetch, stopFetch := context.WithCancel(context.Background())
	work, abandon := context.WithCancel(context.Background())
	w.stopFetch, w.abandon, w.work = stopFetch, abandon, work
	w.inHand.Go(func() { w.fetch(fetch, work) })
}

// Stop begins nothing more, gives what waits back to the queue at once, and waits for the calls
// that were made, at most for patience; then it gives those back too.
func (w *Worker) Stop(patience time.Duration) {
	w.stopFetch()
	finished := make(chan struct{})
	go func() {
		w.inHand.Wait()
		close(finished)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-finished:
	case <-timer.C:
	}
	w.abandon()
	<-finished
	w.fetching.Wait()
}

// fetch takes as many deliveries as there are free slots, again and again.
func (w *Worker) fetch(ctx, work context.Context) {
	ill := false
	for {
		free := w.acquire(ctx)
		if free == 0 {
			return
		}
		err := w.queue.Fetch(ctx, free, func(in *bus.Incoming) {
			free--
			w.inHand.Go(func() {
				defer func() { <-w.slots }()
				w.process(ctx, work, in)
			})
		})
		for range free {
			<-w.slots
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			if _, setUp := w.queue.Ensure(ctx, w.replicas); setUp == nil && !ill {
				ill = true
				continue // the stream was missing
			}
			if !ill {
				w.logger.WarnContext(ctx, "no deliveries can be taken at present", "error", err)
			}
			lifecycle.Sleep(ctx, pause)
		}
		ill = err != nil
	}
}

// acquire waits for a free slot and takes all that are free; 0 when ctx has ended.
func (w *Worker) acquire(ctx context.Context) int {
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for n := 1; ; n++ {
		select {
		case w.slots <- struct{}{}:
		default:
			return n
		}
	}
}
