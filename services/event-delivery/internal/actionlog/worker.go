package actionlog

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/action"
	"queryengine/pkg/apierror"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/services/event-delivery/internal/pool"
)

const (
	// pause is how long a worker waits until it writes the end of a call again.
	pause = time.Second
	// later is when a call that this process doesn't understand may be taken again.
	later = 5 * time.Second
)

// Config is what a Worker works with.
type Config struct {
	Log    *Log
	Client *action.Client
	Logger *slog.Logger
	// Interval is how often calls are looked for, and Batch how many are taken at once; with 0
	// for one of them none are made.
	Interval time.Duration
	Batch    int
	// Concurrency bounds the handlers that are called at once.
	Concurrency int
	// Await returns when the actions of that version of the metadata are known.
	Await func(ctx context.Context, version int64) error
	// Lacks reports whether the build lacks an action's code, which another process may have; nil for never.
	Lacks func(a *metadata.Action) bool
	// Tracer makes the spans of calls, nil for none.
	Tracer trace.Tracer
	// Ended learns of calls that have ended.
	Ended func(ids ...string)
}

// Worker makes calls until it is stopped.
type Worker struct {
	Config
	actions atomic.Pointer[definitions]
	wake    chan struct{}
	pool    *pool.Pool

	mu     sync.Mutex
	inHand map[string]string // the calls in progress, with their actions
	// held reports whether an action was left out because it has its share.
	held bool
}

// New returns a Worker; it does nothing before Start.
func New(c Config) *Worker {
	w := &Worker{Config: c, wake: make(chan struct{}, 1), inHand: map[string]string{}}
	w.actions.Store(&definitions{})
	w.pool = pool.New(pool.Config{
		Slots: c.Concurrency, Batch: c.Batch, Take: w.take, Idle: w.rest,
		Failing: "no calls of asynchronous actions can be taken at present", Logger: c.Logger,
	})
	return w
}

// Follow applies a version of the metadata.
func (w *Worker) Follow(current *snapshot.Snapshot) {
	w.actions.Store(define(current.Document, w.actions.Load(), w.Lacks))
	w.Wake()
}

// Wake has the worker look for calls now.
func (w *Worker) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Start begins to make calls.
func (w *Worker) Start() {
	if w.Interval > 0 && w.Batch > 0 {
		w.pool.Start()
		w.pool.Beside(w.renew)
	}
}

// Stop takes no more calls, waits for those in progress at most that long, and gives the rest back.
func (w *Worker) Stop(most time.Duration) {
	w.pool.Stop(most)
	if ids := w.inProgress(); len(ids) > 0 {
		if err := w.Log.giveBack(context.Background(), ids); err != nil {
			w.Logger.Warn("calls of asynchronous actions are delayed", "error", err)
		}
	}
}

// take takes at most that many calls, of actions that have less than their share.
func (w *Worker) take(ctx context.Context, most int, run func(pool.Piece)) error {
	known := w.actions.Load()
	if len(known.names) == 0 {
		return nil
	}
	served, most := w.served(most)
	calls, err := w.Log.take(ctx, most, known.names, served)
	for _, c := range calls {
		w.hold(c.ID, c.Action)
	}
	for _, c := range calls {
		run(func(_, work context.Context) {
			processed := false
			defer func() {
				if !processed { // it has panicked; the lease runs out
					w.letGo(c.ID)
				}
			}()
			w.process(work, c)
			processed = true
		})
	}
	return err
}

// rest waits until there may be calls.
func (w *Worker) rest(ctx context.Context) {
	timer := time.NewTimer(w.Interval)
	defer timer.Stop()
	select {
	case <-w.wake:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// served are the actions that have their share, and how many calls of others may be taken at once. An action has no more calls in progress
// than there are places left, so that one whose handler hangs leaves some to the others.
func (w *Worker) served(most int) (names []string, next int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := map[string]int{}
	for _, name := range w.inHand {
		calls[name]++
	}
	free := w.Concurrency - len(w.inHand)
	names = []string{}
	for name, n := range calls {
		if n >= free {
			names = append(names, name)
		}
	}
	w.held = len(names) > 0
	return names, max(1, min(most, free-free/2))
}

func (w *Worker) hold(id, action string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inHand[id] = action
}

func (w *Worker) letGo(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.inHand, id)
	if w.held {
		w.Wake() // there may be more for its action
	}
}

// inProgress are the calls in progress.
func (w *Worker) inProgress() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.inHand))
}

// renew renews the leases of the calls in progress.
func (w *Worker) renew(ctx context.Context) {
	for lifecycle.Sleep(ctx, renewal) {
		if ids := w.inProgress(); len(ids) > 0 {
			if err := w.Log.keep(ctx, lease, ids...); err != nil && ctx.Err() == nil {
				w.Logger.WarnContext(ctx, "calls of asynchronous actions may be repeated by another process", "error", err)
			}
		}
	}
}

// process makes a call and writes its outcome. A call that it can't finish is given back when the
// worker stops, otherwise its lease runs out.
func (w *Worker) process(ctx context.Context, c *Call) {
	err := w.Await(ctx, c.Version)
	handler := w.actions.Load().handlers[c.Action]
	if ctx.Err() != nil {
		return
	}
	if err != nil || handler == nil {
		_ = w.Log.keep(ctx, later, c.ID) // the lease that it has is not much longer
		w.letGo(c.ID)
		return
	}
	traced, end := w.trace(ctx, c)
	caller := action.Caller{Client: w.Client, Session: sessionOf(c), Headers: c.Headers}
	var result action.Result
	err = guard.Do(w.Logger, "panic in a call of an action", func() (err error) {
		result, err = caller.Call(traced, handler, c.Input)
		return err
	})
	end(err)
	if ctx.Err() != nil {
		return
	}
	if w.record(ctx, c.ID, result.Value, err) {
		w.letGo(c.ID)
		w.Ended(c.ID)
	}
}

// record writes the end of a call, however often it takes: the handler was called already. It
// is false when the worker stops.
func (w *Worker) record(ctx context.Context, id string, value []byte, failed error) bool {
	for said := false; ; said = true {
		var err error
		if failed == nil {
			err = w.Log.complete(ctx, id, value)
		} else {
			err = w.Log.fail(ctx, id, reason(failed))
		}
		var unstorable *unstorableError
		switch {
		case err == nil:
			return true
		case errors.As(err, &unstorable):
			failed = apierror.New(apierror.Unexpected, "the answer of the handler can't be stored: "+unstorable.reason)
			continue
		case !said:
			w.Logger.WarnContext(ctx, "result of an asynchronous action call can't be stored; retrying", "error", err)
		}
		if !lifecycle.Sleep(ctx, pause) {
			return false
		}
	}
}

// reason is an error as it is stored: with its internal part, which only some may read.
func reason(err error) json.RawMessage {
	e := apierror.From(err)
	raw, encodeErr := metadata.Encode(struct {
		Path     string          `json:"path"`
		Error    string          `json:"error"`
		Code     apierror.Code   `json:"code"`
		Internal json.RawMessage `json:"internal,omitempty"`
	}{e.Path, e.Message, e.Code, e.InternalJSON()})
	if encodeErr != nil {
		return json.RawMessage(`{"path":"$","error":"internal error","code":"unexpected"}`)
	}
	return raw
}

// sessionOf is the session that a call was made in.
func sessionOf(c *Call) *session.Session {
	return &session.Session{Role: c.Session[session.RoleHeader], Variables: c.Session}
}
