package delivery

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/bus"
	deliveryv1 "queryengine/proto/delivery/v1"
	"queryengine/services/event-delivery/internal/pool"
)

// pause is how long a worker waits after a fault of the database.
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
	// Lacks reports whether an address names code that the build doesn't have; nil for never. Other workers may have it.
	Lacks func(address string) bool
	// Concurrency bounds the webhooks that are called at once.
	Concurrency int
	Logger      *slog.Logger
	// FailuresAreErrors is the level of lines about calls that fail.
	FailuresAreErrors bool
	Redacted          Redacted
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
	lacks    func(address string) bool
	logger   *slog.Logger
	tracer   trace.Tracer
	log      callLog
	now      func() time.Time
	await    func(ctx context.Context, version int64) error

	kinds map[deliveryv1.Kind]Kind
	// mu guards recorders.
	mu        sync.Mutex
	recorders map[lane]*recorder
	pool      *pool.Pool
	// queued shares the slots of the pool between flows, and calls the calls of webhooks.
	queued  *fairSemaphore
	calls   *fairSemaphore
	publish func(ctx context.Context, e bus.Event, replicas int) (json.RawMessage, error)
	// setUp reports whether the stream was found, or made, since deliveries were fetched last.
	setUp bool
}

// New returns a Worker; it does nothing before Start.
func New(c Config) *Worker {
	w := &Worker{
		queue: c.Queue, replicas: c.Replicas, client: c.Client, lacks: c.Lacks, logger: c.Logger, tracer: c.Tracer, now: c.Now, await: c.Await,
		log:   newCallLog(c.Logger, c.FailuresAreErrors, c.Redacted),
		kinds: c.Kinds, recorders: map[lane]*recorder{}, publish: c.Publish,
		queued: newFairSemaphore(queuePerCall * c.Concurrency), calls: newFairSemaphore(c.Concurrency),
	}
	w.pool = pool.New(pool.Config{
		Slots: queuePerCall * c.Concurrency, Take: w.fetch, Failing: "no deliveries can be taken at present", Logger: c.Logger,
	})
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
		w.pool.Beside(r.run)
	}
	return r
}

// Start begins to take deliveries.
func (w *Worker) Start() { w.pool.Start() }

// Stop begins nothing more, gives what waits back to the queue at once, and waits for the calls
// that were made, at most for patience; then it gives those back too.
func (w *Worker) Stop(patience time.Duration) { w.pool.Stop(patience) }

// fetch takes at most that many deliveries. A stream that is missing is made, once.
func (w *Worker) fetch(ctx context.Context, most int, run func(pool.Piece)) error {
	err := w.queue.Fetch(ctx, most, func(in *bus.Incoming) {
		run(func(taking, work context.Context) { w.process(taking, work, in) })
	})
	if err == nil {
		w.setUp = false
		return nil
	}
	if _, failed := w.queue.Ensure(ctx, w.replicas); failed == nil && !w.setUp {
		w.setUp = true
		return nil // there is something to fetch from now
	}
	return err
}
