package delivery

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"queryengine/pkg/bus"
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
	Now         func() time.Time
	// Await returns when the kinds know what that version of the metadata says.
	Await func(ctx context.Context, version int64) error
}

// Worker delivers until it is stopped.
type Worker struct {
	queue    queue
	replicas int
	client   caller
	logger   *slog.Logger
	now      func() time.Time
	await    func(ctx context.Context, version int64) error

	recorders map[deliveryv1.Kind]*recorder
	// slots holds a token for each delivery in hand.
	slots    chan struct{}
	inHand   sync.WaitGroup
	fetching sync.WaitGroup
	// stopFetch ends the taking of deliveries, abandon those in hand.
	stopFetch, abandon context.CancelFunc
}

// New returns a Worker; it does nothing before Start.
func New(c Config) *Worker {
	w := &Worker{
		queue: c.Queue, replicas: c.Replicas, client: c.Client, logger: c.Logger, now: c.Now, await: c.Await,
		recorders: map[deliveryv1.Kind]*recorder{}, slots: make(chan struct{}, c.Concurrency),
	}
	for kind, k := range c.Kinds {
		w.recorders[kind] = newRecorder(k, c.Concurrency, c.Logger)
	}
	return w
}

// Start begins to take deliveries.
func (w *Worker) Start() {
	fetch, stopFetch := context.WithCancel(context.Background())
	work, abandon := context.WithCancel(context.Background())
	w.stopFetch, w.abandon = stopFetch, abandon
	for _, r := range w.recorders {
		w.fetching.Go(func() { r.run(work) })
	}
	w.inHand.Go(func() { w.fetch(fetch, work) })
}

// Stop takes no more deliveries, waits for those in hand at most for patience, and gives
// the rest back to the queue.
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
				w.process(work, in)
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
			wait(ctx, pause)
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

func (w *Worker) process(ctx context.Context, in *bus.Incoming) {
	held, release := context.WithCancel(ctx)
	defer release()
	go hold(held, in)
	r := w.recorders[in.Delivery.GetKind()]
	if r == nil { // of a newer version; another worker may know it
		wait(ctx, pause)
		in.Release()
		return
	}
	if err := w.await(ctx, in.Delivery.GetMetadataVersion()); err != nil {
		in.Release()
		return
	}
	attempt, outcome := r.kind.Prepare(in.Delivery)
	if attempt != nil {
		made, err := w.do(ctx, attempt)
		if err != nil {
			in.Release()
			return
		}
		outcome = &made
	}
	if err := r.record(ctx, *outcome); err != nil {
		in.Release()
		return
	}
	if err := in.Done(); err != nil {
		w.logger.WarnContext(ctx, "a delivery that is done may come again", "event", in.Delivery.GetEventId(), "error", err)
	}
}

// hold tells the queue that the delivery is being worked on.
func hold(ctx context.Context, in *bus.Incoming) {
	ticker := time.NewTicker(bus.LeaseRenewal)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			in.Working()
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
