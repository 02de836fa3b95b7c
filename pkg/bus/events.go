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

// eventsAge is how long the stream of events keeps what nobody has taken.
const eventsAge = 7 * 24 * time.Hour

// PublishEvent sends an event to a subject that a user has chosen, and returns where the stream
// has put it, as JSON. A stream keeps one message for each id, as far as it remembers.
func (b *Bus) PublishEvent(ctx context.Context, subject, id string, header http.Header, body []byte) (json.RawMessage, error) {
	for _, prefix := range privatePrefixes {
		if strings.HasPrefix(subject, prefix) {
			return nil, fmt.Errorf("subjects that begin with %q are not for events", prefix)
		}
	}
	if subject == "" || strings.ContainsAny(subject, "*> \t\r\n") || strings.Contains(subject, "..") {
		return nil, errors.New("not a subject of NATS")
	}
	m := nats.NewMsg(subject)
	m.Data = body
	for name, values := range header {
		m.Header[name] = values
	}
	var place []byte
	err := b.connected(ctx, func(ctx context.Context) error {
		ack, err := b.js.PublishMsg(ctx, m, jetstream.WithMsgID(id))
		if errors.Is(err, jetstream.ErrNoStreamResponse) && strings.HasPrefix(subject, EventsPrefix) {
			if err := b.ensureEvents(ctx); err != nil {
				return err
			}
			ack, err = b.js.PublishMsg(ctx, m, jetstream.WithMsgID(id))
		}
		if err != nil {
			return err
		}
		place, err = json.Marshal(map[string]any{"stream": ack.Stream, "sequence": ack.Sequence, "duplicate": ack.Duplicate})
		return err
	})
	return place, err
}

func (b *Bus) ensureEvents(ctx context.Context) error {
	_, err := b.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: EventsStream, Description: "Events of tables for subscribers", Subjects: []string{eventsSubjects},
		Storage: jetstream.FileStorage, MaxAge: eventsAge, Duplicates: deliveriesDuplicates,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // somebody else was faster
		return nil
	}
	return err
}
