package delivery

import (
	"context"
	"encoding/json"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/metadata"
	"queryengine/pkg/transform"
	deliveryv1 "queryengine/proto/delivery/v1"
)

// Kind is one kind of events. Its methods are called concurrently.
type Kind interface {
	// Admit reports whether a delivery is still to be made, and may change its content. stale
	// deliveries may have been made by another worker. An admitted delivery is in progress until Leave,
	// which reports whether it has ended or goes back to the queue.
	Admit(ctx context.Context, d *deliveryv1.Delivery, stale bool) (bool, error)
	Leave(d *deliveryv1.Delivery, ended bool)
	// Prepare makes the attempt that a delivery asks for, or gives the outcome of the event without
	// one.
	Prepare(d *deliveryv1.Delivery) (*Attempt, *Outcome)
	// Record writes outcomes, all of one source and all or none of them. It is called again
	// after an error.
	Record(ctx context.Context, outcomes []Outcome) error
}

// Gate bounds the attempts of one trigger that are made at once.
type Gate interface {
	Enter(ctx context.Context) error
	// Leave ends an attempt, which got an answer that takes the event, or not.
	Leave(taken bool)
	// Withdraw ends an attempt that wasn't made.
	Withdraw()
}

// Attempt is one call of a webhook.
type Attempt struct {
	EventID string
	// Kind of the event, and the name of its trigger, if that has one.
	Kind deliveryv1.Kind
	Name string
	// Tries that were made before.
	Tries int
	// Taken is how often the event was taken before it was requested again.
	Taken int
	// Described names the event in texts, as in: Cron Scheduled event "x".
	Described string
	// Version of the invocation record.
	Version string
	Target  *Target
	// Flow is the unit of fair queueing that the attempt belongs to, "" for the trigger.
	Flow string
	// Body is the JSON before the transform.
	Body []byte
	// Gate is passed before the webhook is called, nil for none.
	Gate Gate
	// Paused reports whether the trigger has been paused since the attempt was prepared; it may be nil.
	Paused func() bool
	// Sent is called with the call of the webhook; it may be nil.
	Sent func(Call)
	// Span is the name of the span of the attempt, and Trace what it belongs to, when that is
	// known.
	Span  string
	Trace trace.SpanContext
	// Session are the session variables that transforms see, nil for none.
	Session map[string]string
}

// Call is what a call of a webhook came to.
type Call struct {
	Began     time.Time
	Took      time.Duration
	Sent, Got int // bytes of the bodies
	Taken     bool
	Status    int // 0 for no answer
}

// Target is where, how and how often an event is delivered. It is immutable.
type Target struct {
	// Template is the address as the user wrote it, which may be shown; URL is the address.
	Template, URL string
	Headers       []Header
	Request       *transform.Request
	Response      *transform.Response
	Timeout       time.Duration
	Retries       int
	Interval      time.Duration
}

// Header is a configured header. Its value is never shown when it comes from a variable,
// FromEnv, or from several that Template names.
type Header struct{ Name, Value, FromEnv, Template string }

// NewHeader makes a header of its definition, and of its value.
func NewHeader(h metadata.Header, value string) Header {
	out := Header{Name: h.Name, Value: value, FromEnv: h.ValueFromEnv}
	if h.Value != nil && *h.Value != value {
		out.Template = *h.Value
	}
	return out
}

// State is what became of an event.
type State int

// The states.
const (
	// Delivered: the webhook has taken the event.
	Delivered State = iota
	// Waiting: the event is tried again, at RetryAt.
	Waiting
	// Failed: it isn't tried again.
	Failed
	// Dead: it came too late to be tried.
	Dead
)

// Outcome is what became of an event.
type Outcome struct {
	EventID string
	// Source that the event lies in, for events of tables, and the trigger.
	Source, Trigger string
	State           State
	RetryAt         time.Time
	// Invocation counts as a try; nil when the webhook wasn't called.
	Invocation *Invocation
}

// Withheld is the outcome of an event whose trigger is paused: it waits in its log, is due from now on, and has
// lost none of its tries.
func Withheld(id string, now time.Time) *Outcome {
	return &Outcome{EventID: id, State: Waiting, RetryAt: now}
}

// Invocation is the record of one attempt.
type Invocation struct {
	// ID identifies the record: an outcome that is recorded again leaves one.
	ID string
	// Status of the answer, nil when there was none.
	Status            *int
	Request, Response json.RawMessage
}
