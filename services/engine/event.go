package engine

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"queryengine/pkg/extension"
)

// Event is a row that was changed.
type Event[Row any] struct {
	ID string
	// Trigger is the name of the event trigger.
	Trigger       string
	Schema, Table string
	// Operation is INSERT, UPDATE, DELETE or MANUAL.
	Operation string
	// Old and New are the row before and after the change; nil where there is none.
	Old, New  *Row
	CreatedAt time.Time
	// Attempt is the number of this delivery, 0 for the first one; MaxRetries is how many may follow the first.
	Attempt, MaxRetries int
}

// OnEvent has f handle the events of triggers whose webhook is go://name. An error has the event delivered again, as the
// trigger's retry_conf says; so f may be called more than once for an event.
func OnEvent[Row any](name string, f func(context.Context, Event[Row]) error, options ...HandlerOption) Option {
	return option(extension.Handler{
		Kind: extension.Event, Name: name,
		Serve: func(ctx context.Context, r *extension.Request) *extension.Response {
			var call struct {
				ID        string          `json:"id"`
				CreatedAt json.RawMessage `json:"created_at"`
				Trigger   struct {
					Name string `json:"name"`
				} `json:"trigger"`
				Table struct {
					Schema string `json:"schema"`
					Name   string `json:"name"`
				} `json:"table"`
				Delivery struct {
					Current int `json:"current_retry"`
					Max     int `json:"max_retries"`
				} `json:"delivery_info"`
				Event struct {
					Operation string            `json:"op"`
					Variables map[string]string `json:"session_variables"`
					Data      struct {
						Old *Row `json:"old"`
						New *Row `json:"new"`
					} `json:"data"`
				} `json:"event"`
			}
			if err := decode(r.Body, &call); err != nil {
				return done(err)
			}
			delivery := call.Delivery
			return done(f(within(ctx, "", call.Event.Variables), Event[Row]{
				ID: call.ID, Trigger: call.Trigger.Name, Schema: call.Table.Schema, Table: call.Table.Name, Operation: call.Event.Operation,
				Old: call.Event.Data.Old, New: call.Event.Data.New, CreatedAt: timestamp(call.CreatedAt),
				Attempt: delivery.Current, MaxRetries: delivery.Max,
			}))
		},
	}, options)
}

// Occasion is a time at which a schedule is due.
type Occasion[Payload any] struct {
	ID string
	// Name is that of the cron trigger; one-off events have none.
	Name      string
	Comment   string
	Scheduled time.Time
	Payload   Payload
}

// OnSchedule has f handle cron triggers and one-off events whose webhook is go://name. An error has the call repeated,
// as their retry_conf says.
func OnSchedule[Payload any](name string, f func(context.Context, Occasion[Payload]) error, options ...HandlerOption) Option {
	return option(extension.Handler{
		Kind: extension.Schedule, Name: name,
		Serve: func(ctx context.Context, r *extension.Request) *extension.Response {
			var call struct {
				ID        string          `json:"id"`
				Name      string          `json:"name"`
				Comment   string          `json:"comment"`
				Scheduled json.RawMessage `json:"scheduled_time"`
				Payload   json.RawMessage `json:"payload"`
			}
			o := Occasion[Payload]{}
			err := json.Unmarshal(r.Body, &call)
			if err == nil && len(call.Payload) > 0 {
				err = decode(call.Payload, &o.Payload)
			}
			if err != nil {
				return done(err)
			}
			o.ID, o.Name, o.Comment, o.Scheduled = call.ID, call.Name, call.Comment, timestamp(call.Scheduled)
			return done(f(within(ctx, "", nil), o))
		},
	}, options)
}

// done is the answer to a delivery.
func done(err error) *extension.Response {
	if err == nil {
		return &extension.Response{Status: http.StatusOK, Header: http.Header{}, Body: []byte("{}")}
	}
	response := failure(err)
	response.Status = http.StatusInternalServerError // the record of the delivery has the message, and it is repeated
	if shown, _ := json.Marshal(map[string]string{"message": err.Error()}); shown != nil {
		response.Body = shown
	}
	return response
}

// timestamp reads a time as deliveries have it, the zero time for none.
func timestamp(raw json.RawMessage) time.Time {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return time.Time{}
	}
	t, _ := parseTime(text)
	return t.UTC()
}
