package delivery

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"queryengine/pkg/bus"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	deliveryv1 "queryengine/proto/delivery/v1"
)

const (
	// queuePatience is how long a delivery waits for a place of its trigger, when the others
	// don't get on.
	queuePatience = time.Second
	// callPatience is how long a delivery waits for its call while no other one of its flow ends. Its
	// webhook hangs then, and it gives way to others.
	callPatience = 5 * time.Second
	// putOff is when such a delivery is tried again.
	putOff = 5 * time.Second
)

// process makes a delivery. It begins nothing more when taking has ended, and ends what it has
// begun when work does; then the delivery goes to another worker.
func (w *Worker) process(taking, work context.Context, in *bus.Incoming) {
	held, release := context.WithCancel(work)
	defer release()
	go hold(held, in)
	d := in.Delivery
	kind := w.kinds[d.GetKind()]
	if kind == nil { // of a newer version; another worker may know it
		lifecycle.Sleep(taking, pause)
		in.Release()
		return
	}
	if err := w.await(taking, d.GetMetadataVersion()); err != nil {
		in.Release()
		return
	}
	admitted, err := kind.Admit(taking, d, in.Stale())
	ended := false
	switch {
	case taking.Err() != nil:
		in.Release()
	case err != nil:
		w.logger.WarnContext(taking, "an event can't be looked up at present", "source", d.GetSource(), "error", err)
		lifecycle.Sleep(taking, pause)
		in.Release()
	case !admitted:
		_ = in.Done() // it comes again when this is lost, and isn't admitted again
	default:
		ended = w.deliver(taking, work, in, kind)
	}
	if admitted {
		kind.Leave(d, ended)
	}
}

// deliver makes the attempt and records its outcome. Not ended, the delivery went back to the queue.
func (w *Worker) deliver(taking, work context.Context, in *bus.Incoming, kind Kind) (ended bool) {
	d := in.Delivery
	var attempt *Attempt
	var outcome *Outcome
	if !guard.Run(w.logger, "panic in a delivery", func() { attempt, outcome = kind.Prepare(d) }) {
		outcome = &Outcome{EventID: d.GetEventId(), State: Failed}
	}
	if attempt != nil {
		attempt.Kind, attempt.Name = d.GetKind(), d.GetTrigger()
		made, err := w.attempt(taking, work, d, attempt)
		if err != nil {
			in.Release()
			return false
		}
		outcome = &made
	}
	outcome.Source, outcome.Trigger = d.GetSource(), d.GetTrigger()
	if outcome.Invocation != nil {
		outcome.Invocation.ID = uuid.Must(uuid.NewV7()).String() // in the order of time, for the index
	}
	if err := w.recorder(kind, d).record(work, *outcome); err != nil {
		in.Release()
		return false
	}
	if err := in.Done(); err != nil {
		w.logger.WarnContext(work, "a delivery that is done may come again", "event", d.GetEventId(), "error", err)
	}
	return true
}

// errPaused is why an attempt isn't made whose trigger was paused while it waited.
var errPaused = errors.New("the trigger is paused")

// attempt makes an attempt when there is a slot for it, and postpones it when there is none. An error
// means that the worker stops.
func (w *Worker) attempt(taking, work context.Context, d *deliveryv1.Delivery, a *Attempt) (Outcome, error) {
	if w.lacks != nil && w.lacks(a.Target.URL) {
		w.logger.WarnContext(taking, "a delivery waits for a build that has its handler", "event", a.EventID, "handler", a.Target.Template)
		return Outcome{EventID: a.EventID, State: Waiting, RetryAt: w.now().Add(putOff)}, nil
	}
	k := flow{d.GetKind(), d.GetSource(), cmp.Or(a.Flow, d.GetTrigger())}
	leave, err := w.enter(taking, k, a)
	switch {
	case err == nil:
	case taking.Err() != nil:
		return Outcome{}, err
	case errors.Is(err, errPaused):
		return *Withheld(a.EventID, w.now()), nil
	default:
		return Outcome{EventID: a.EventID, State: Waiting, RetryAt: w.now().Add(putOff)}, nil
	}
	traced, end := w.trace(work, a)
	outcome := Outcome{EventID: a.EventID, State: Failed}
	guard.Run(w.logger, "panic in a delivery", func() { outcome, err = w.do(traced, a) })
	end(outcome, err)
	leave(err == nil && outcome.State == Delivered)
	return outcome, err
}

// enter waits for a slot for a call, for a while. The call ends with leave.
func (w *Worker) enter(ctx context.Context, k flow, a *Attempt) (leave func(taken bool), err error) {
	if err := w.queued.acquire(ctx, k, queuePatience); err != nil {
		return nil, err
	}
	for {
		ended := w.queued.releases(k)
		if err = within(ctx, callPatience, func(ctx context.Context) error { return w.enterCall(ctx, k, a) }); err == nil {
			break
		}
		if ctx.Err() != nil || errors.Is(err, errPaused) || w.queued.releases(k) == ended {
			w.queued.cancel(k)
			return nil, err
		}
	}
	return func(taken bool) {
		w.calls.release(k)
		if a.Gate != nil {
			a.Gate.Leave(taken)
		}
		w.queued.release(k)
	}, nil
}

func (w *Worker) enterCall(ctx context.Context, k flow, a *Attempt) error {
	if a.Gate != nil {
		if err := a.Gate.Enter(ctx); err != nil {
			return err
		}
	}
	err := w.calls.acquire(ctx, k, callPatience)
	if err == nil && a.Paused != nil && a.Paused() {
		w.calls.cancel(k)
		err = errPaused
	}
	if err != nil && a.Gate != nil {
		a.Gate.Withdraw()
	}
	return err
}

// within calls f with a deadline.
func within(ctx context.Context, d time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return f(ctx)
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
