package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// eventsAge is how long the stream of events keeps what has not been consumed.
const eventsAge = 7 * 24 * time.Hour

// Event is a message to a subject that a user has chosen.
type Event struct {
	Subject string
	// ID is of the event. A stream keeps one message for each, as far as it remembers.
	ID     string
	Header http.Header
	Body   []byte
}

// PublishEvent sends an event and returns where the stream has put it, as JSON. The stream of
// events has so many replicas when it is made.
func (b *Bus) PublishEvent(ctx context.Context, e Event, replicas int) (json.RawMessage, error) {
	subject := e.Subject
	for _, prefix := range privatePrefixes {
		if strings.HasPrefix(subject, prefix) {
			return nil, fmt.Errorf("subjects that begin with %q are not for events", prefix)
		}
	}
	if subject == "" || strings.ContainsAny(subject, "*> \t\r\n") || strings.Contains(subject, "..") {
		return nil, errors.New("not a subject of NATS")
	}
	m := nats.NewMsg(subject)
	m.Data = e.Body
	for name, values := range e.Header {
		m.Header[name] = values
	}
	var place []byte
	err := b.connected(ctx, func(ctx context.Context) error {
		ack, err := b.js.PublishMsg(ctx, m, jetstream.WithMsgID(e.ID))
		if errors.Is(err, jetstream.ErrNoStreamResponse) && strings.HasPrefix(subject, EventsPrefix) {
			if err := b.ensureEvents(ctx, replicas); err != nil {
				return err
			}
			ack, err = b.js.PublishMsg(ctx, m, jetstream.WithMsgID(e.ID))
		}
		if err != nil {
			return err
		}
		place, err = json.Marshal(map[string]any{"stream": ack.Stream, "sequence": ack.Sequence, "duplicate": ack.Duplicate})
		return err
	})
	return place, err
}

func (b *Bus) ensureEvents(ctx context.Context, replicas int) error {
	_, err := b.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: EventsStream, Description: "Events of tables for subscribers", Subjects: []string{eventsSubjects},
		Storage: jetstream.FileStorage, Replicas: replicas, MaxAge: eventsAge, Duplicates: deliveriesDuplicates,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was faster
		return nil
	}
	return err
}
