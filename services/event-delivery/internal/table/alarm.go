package table

import (
	"context"
	"log/slog"
	"time"

	"queryengine/pkg/backend"
)

const (
	// linger is how long a source is polled closely after an event, before the database is left to
	// send notifications: those cost writers more than polling does.
	linger = 25 * time.Millisecond
	// soon and later bound how often a source is looked at that is watched closely.
	soon  = 5 * time.Millisecond
	later = 25 * time.Millisecond
)

// alarm decides when to look for events. It belongs to one goroutine.
type alarm struct {
	open     func(context.Context) (backend.EventBell, error)
	wake     <-chan struct{}
	interval time.Duration
	logger   *slog.Logger

	// bell is nil while there is none; it is made again after retry.
	bell  backend.EventBell
	retry time.Time
	said  bool
	armed bool
	// found is when there were events last.
	found time.Time
}

// took notes that events were taken.
func (a *alarm) took(ctx context.Context, n int) {
	if n == 0 {
		return
	}
	a.found = time.Now()
	a.disarm(ctx)
}

// rest returns when events are to be looked for.
func (a *alarm) rest(ctx context.Context) {
	a.connect(ctx)
	if a.bell == nil {
		a.wait(ctx, a.interval)
		return
	}
	quiet := time.Since(a.found)
	if quiet < linger {
		a.wait(ctx, soon)
		return
	}
	armed, before := false, a.armed
	var err error
	armed, err = a.bell.Arm(ctx)
	a.armed = armed
	switch {
	case err != nil:
		a.lost(ctx, err)
	case !armed:
		a.wait(ctx, min(max(quiet/10, soon), later))
	case before:
		a.listen(ctx)
	}
}

// listen waits for a notification, for a request in this process, or for the interval.
func (a *alarm) listen(ctx context.Context) {
	bounded, cancel := context.WithTimeout(ctx, a.interval)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-a.wake:
			cancel()
		case <-bounded.Done():
		}
	}()
	rung, err := a.bell.Wait(bounded)
	cancel()
	<-watched // or it could take the signal that is for the next wait
	if err != nil {
		a.lost(ctx, err)
	} else if rung {
		a.found = time.Now()
		a.disarm(ctx)
	}
}

func (a *alarm) disarm(ctx context.Context) {
	if !a.armed {
		return
	}
	a.armed = false
	if err := a.bell.Disarm(ctx); err != nil {
		a.lost(ctx, err)
	}
}

func (a *alarm) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-a.wake:
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (a *alarm) connect(ctx context.Context) {
	if a.bell != nil || time.Now().Before(a.retry) {
		return
	}
	bell, err := a.open(ctx)
	if err != nil {
		a.lost(ctx, err)
		return
	}
	a.bell, a.said = bell, false
}

// lost gives the bell up for a while.
func (a *alarm) lost(ctx context.Context, err error) {
	a.close()
	a.retry = time.Now().Add(pause)
	if !a.said && ctx.Err() == nil {
		a.logger.WarnContext(ctx, "source sends no event notifications; polling for events", "error", err)
		a.said = true
	}
}

// close lets other processes have the bell.
func (a *alarm) close() {
	if a.bell != nil {
		a.bell.Close()
	}
	a.bell, a.armed = nil, false
}
