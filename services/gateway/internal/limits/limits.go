// Package limits holds requests to the API limits of the metadata: how many operations a
// batch has, how many requests a client sends, how long an operation takes. What an
// operation asks for is looked at by the executor that knows it.
//
// A gateway counts the requests that it gets itself: with n of them behind a balancer that
// deals evenly, a client gets through up to n times the rate.
package limits

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// TimerSlack is how much earlier than in this process a deadline may pass elsewhere.
const TimerSlack = 100 * time.Millisecond

// Keeper keeps the limits of the newest metadata, and the counts of clients. It is safe for
// concurrent use.
type Keeper struct {
	current atomic.Pointer[current]
	now     func() time.Time

	mu      sync.Mutex
	windows map[string]*window
}

// current are the limits of a document.
type current struct {
	document *metadata.Document
	limits   *metadata.APILimits // nil for none
}

// NewKeeper returns a Keeper that has counted nothing.
func NewKeeper() *Keeper { return &Keeper{now: time.Now, windows: map[string]*window{}} }

// Of are the limits that a document sets for a session, nil for none.
func (k *Keeper) Of(doc *metadata.Document, s *session.Session) *Limits {
	if doc == nil || s.IsAdmin() {
		return nil
	}
	c := k.current.Load()
	if c == nil || c.document != doc {
		next := &current{document: doc}
		if c != nil && string(c.document.APILimits) == string(doc.APILimits) {
			next.limits = c.limits
		} else {
			next.limits = doc.Limits()
		}
		c = next
		k.current.Store(c)
	}
	if c.limits == nil {
		return nil
	}
	return &Limits{keeper: k, limits: c.limits, session: s}
}

// Limits are the limits of one session. A nil Limits allows everything.
type Limits struct {
	keeper  *Keeper
	limits  *metadata.APILimits
	session *session.Session
}

// Batch refuses batches with too many operations.
func (l *Limits) Batch(size int) error {
	if l == nil {
		return nil
	}
	if limit, ok := l.limits.BatchLimit.Of(l.session.Role); ok && size > limit {
		return BatchExceeded(size, limit)
	}
	return nil
}

// BatchExceeded refuses a batch.
func BatchExceeded(size, limit int) error {
	return apierror.Newf(apierror.BatchLimitExceeded,
		"batch limit exceeded: the batch has %d operations, the limit is %d", size, limit)
}

// Rate counts a request, and refuses it when the client has sent too many in the last
// minute. Those that are refused don't count. address is the client's.
func (l *Limits) Rate(address string) error {
	if l == nil {
		return nil
	}
	rate, ok := l.limits.RateLimit.Of(l.session.Role)
	if !ok || l.keeper.take(l.client(rate, address), rate.MaxPerMinute) {
		return nil
	}
	return apierror.Newf(apierror.RateLimitExceeded,
		"rate limit exceeded: at most %d requests per minute are allowed", rate.MaxPerMinute)
}

// client is the key that identifies a client.
func (l *Limits) client(rate metadata.Rate, address string) string {
	var b strings.Builder
	b.WriteString(l.session.Role)
	switch u := rate.UniqueParams; {
	case u == nil:
	case u.IP:
		b.WriteString("\x00" + address)
	default:
		names := slices.Clone(u.Variables)
		slices.Sort(names)
		for _, name := range names {
			b.WriteString("\x00" + l.session.Variables[strings.ToLower(name)])
		}
	}
	return b.String()
}

// Time bounds the time of an operation. finish gives its error another text when it took
// too long, and frees what belongs to the bound.
func (l *Limits) Time(ctx context.Context) (limited context.Context, finish func(error) error) {
	untouched := func(err error) error { return err }
	if l == nil {
		return ctx, untouched
	}
	limit, ok := l.limits.TimeLimit.Of(l.session.Role)
	if !ok {
		return ctx, untouched
	}
	tooLong := apierror.Newf(apierror.TimeLimitExceeded,
		"time limit exceeded: the operation took longer than %v seconds", float64(limit))
	limited, cancel := context.WithTimeoutCause(ctx, limit.Duration(), tooLong)
	deadline, _ := limited.Deadline()
	outer, bounded := ctx.Deadline()
	return limited, func(err error) error {
		defer cancel()
		// The deadline travels with the request: the service that works on it may exceed it first.
		var late *apierror.Error
		if errors.As(err, &late) && late.Code == apierror.Timeout && time.Until(deadline) < TimerSlack && (!bounded || !outer.Before(deadline)) {
			return tooLong
		}
		// ctx may have a limit of its own, as the members of a batch have.
		var over *apierror.Error
		if err != nil && errors.As(context.Cause(limited), &over) && over.Code == apierror.TimeLimitExceeded {
			return over
		}
		return err
	}
}
