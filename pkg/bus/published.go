package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"queryengine/pkg/backend"
)

const (
	// publishedTogether is how many messages are stored as one; the server takes 1,000 at most.
	publishedTogether = 500
	// Where the configuration of a stream names its publication.
	publishedSourceKey = "engine_source"
	publishedNameKey   = "engine_publication"
)

// PublishedChanges is the stream of a publication of changes. It is a backend.ChangeSink for one goroutine.
//
// A message is a JSON object, with its operation, table and place in the log as header fields. The last one has
// the place where publishing goes on. Each batch expects the last sequence that this process knows: a process that
// has been replaced and doesn't know it stores nothing.
type PublishedChanges struct {
	bus *Bus
	PublishedStreamConfig
	last uint64 // sequence
}

// PublishedStreamConfig is what the stream of a publication is like.
type PublishedStreamConfig struct {
	Source, Name string
	// MaxBytes is the size at which the oldest messages leave.
	MaxBytes int64
	Replicas int
}

// PublishedName is a publication that there is a stream of.
type PublishedName struct{ Source, Name string }

// PublishedChanges gives access to the stream of a publication, which is made when it is first used.
func (b *Bus) PublishedChanges(c PublishedStreamConfig) *PublishedChanges {
	return &PublishedChanges{bus: b, PublishedStreamConfig: c}
}

// Published lists the publications that there are streams of.
func (b *Bus) Published(ctx context.Context) ([]PublishedName, error) {
	var names []PublishedName
	err := b.connected(ctx, func(ctx context.Context) error {
		streams := b.js.ListStreams(ctx, jetstream.WithStreamListSubject(publishedPrefix+">"))
		for s := range streams.Info() {
			n := PublishedName{s.Config.Metadata[publishedSourceKey], s.Config.Metadata[publishedNameKey]}
			if s.Config.Name == PublishedStream(n.Source, n.Name) { // one of the user's may have such subjects
				names = append(names, n)
			}
		}
		return streams.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list the streams of published changes: %w", err)
	}
	return names, nil
}

// Delete removes the stream with all messages. One that isn't there is no error.
func (p *PublishedChanges) Delete(ctx context.Context) error {
	err := p.bus.connected(ctx, func(ctx context.Context) error {
		return p.bus.js.DeleteStream(ctx, PublishedStream(p.Source, p.Name))
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

// Place implements backend.ChangeSink. It makes the stream, or changes its configuration.
func (p *PublishedChanges) Place(ctx context.Context) (place backend.ChangePlace, err error) {
	err = p.bus.connected(ctx, func(ctx context.Context) error {
		s, err := p.bus.js.CreateOrUpdateStream(ctx, p.config())
		if err != nil {
			return err
		}
		state := s.CachedInfo().State
		if p.last = state.LastSeq; state.Msgs == 0 {
			return nil
		}
		m, err := s.GetMsg(ctx, state.LastSeq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil // another process has removed it: what was published last isn't known
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(m.Header.Get(headerPlace)), &place); err != nil {
			place = backend.ChangePlace{} // a message of another user
		}
		return nil
	})
	if err != nil {
		return place, fmt.Errorf("the stream %s: %w", PublishedStream(p.Source, p.Name), err)
	}
	return place, nil
}

func (p *PublishedChanges) config() jetstream.StreamConfig {
	subject := PublishedSubject(p.Source, p.Name)
	return jetstream.StreamConfig{
		Name:               PublishedStream(p.Source, p.Name),
		Description:        "Changes of tables",
		Subjects:           []string{subject, subject + ".>"},
		Storage:            jetstream.FileStorage,
		Compression:        jetstream.S2Compression,
		Replicas:           max(1, p.Replicas),
		MaxBytes:           p.MaxBytes,
		Discard:            jetstream.DiscardOld,
		Duplicates:         duplicateWindow,
		AllowAtomicPublish: true,
		AllowDirect:        true,
		Metadata:           map[string]string{publishedSourceKey: p.Source, publishedNameKey: p.Name},
	}
}

// Store implements backend.ChangeSink. What comes before a message that begins is removed.
func (p *PublishedChanges) Store(ctx context.Context, messages []backend.ChangeMessage) error {
	for batch := range slices.Chunk(messages, publishedTogether) {
		err := p.bus.connected(ctx, func(ctx context.Context) error { return p.store(ctx, batch) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *PublishedChanges) store(ctx context.Context, batch []backend.ChangeMessage) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	id := nuid.Next()
	var begun uint64
	for i := range batch {
		m, err := p.message(&batch[i])
		if err != nil {
			return err
		}
		if i == 0 {
			m.Header.Set(jetstream.ExpectedLastSeqHeader, strconv.FormatUint(p.last, 10))
		}
		if len(batch) > 1 {
			m.Header.Set(headerBatchID, id)
			m.Header.Set(headerBatchSequence, strconv.Itoa(i+1))
		}
		if batch[i].Op == backend.ChangeBegin {
			begun = p.last + uint64(i) + 1
		}
		if i < len(batch)-1 {
			if err := p.bus.nc.PublishMsg(m); err != nil {
				return err
			}
			continue
		}
		if len(batch) > 1 {
			m.Header.Set(headerBatchCommit, "1")
		}
		ack, err := p.bus.js.PublishMsg(ctx, m)
		if err != nil {
			return err
		}
		p.last = ack.Sequence
	}
	if begun > 1 {
		s, err := p.bus.js.Stream(ctx, PublishedStream(p.Source, p.Name))
		if err != nil {
			return err
		}
		return s.Purge(ctx, jetstream.WithPurgeSequence(begun))
	}
	return nil
}

// publishedChange is a message of the stream.
type publishedChange struct {
	Op    backend.ChangeOp `json:"op"`
	Epoch string           `json:"epoch"`
	Table *publishedTable  `json:"table,omitempty"`
	Key   json.RawMessage  `json:"key,omitempty"`
	Old   json.RawMessage  `json:"old,omitempty"`
	New   json.RawMessage  `json:"new,omitempty"`
	// Omitted names what would make the message too large for NATS.
	Omitted []string         `json:"omitted,omitempty"`
	Commit  *publishedCommit `json:"commit,omitempty"`
}

type publishedTable struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
}

type publishedCommit struct {
	LSN  string    `json:"lsn"`
	Time time.Time `json:"time"`
	XID  uint32    `json:"xid"`
}

func (p *PublishedChanges) message(c *backend.ChangeMessage) (*nats.Msg, error) {
	subject := PublishedSubject(p.Source, p.Name)
	body := publishedChange{Op: c.Op, Epoch: c.Place.Epoch, Key: c.Key, Old: c.Old, New: c.New}
	lsn := ""
	if c.Table.Name != "" {
		subject = publishedTableSubject(p.Source, p.Name, c.Table.Schema, c.Table.Name)
		body.Table = &publishedTable{c.Table.Schema, c.Table.Name}
	}
	if !c.Commit.IsZero() {
		lsn = fmt.Sprintf("%X/%X", c.Place.LSN>>32, uint32(c.Place.LSN)) //nolint:gosec // the lower half
		body.Commit = &publishedCommit{lsn, c.Commit.UTC(), c.XID}
	}
	place, err := json.Marshal(c.Place)
	if err != nil {
		return nil, err
	}
	m := nats.NewMsg(subject)
	m.Header.Set(headerPlace, string(place))
	m.Header.Set(headerOp, string(c.Op))
	if body.Table != nil {
		m.Header.Set(headerTable, c.Table.Schema+"."+c.Table.Name)
	}
	if lsn != "" {
		m.Header.Set(jetstream.MsgIDHeader, fmt.Sprintf("%s:%s:%d", c.Place.Epoch, lsn, c.Place.Index))
		m.Header.Set(headerLSN, lsn)
	}
	m.Data, err = body.fitting(int(p.bus.nc.MaxPayload()) - payloadMargin)
	return m, err
}

// fitting is the text of at most limit bytes, without parts where they are too large.
func (c *publishedChange) fitting(limit int) ([]byte, error) {
	for _, part := range []struct {
		name  string
		value *json.RawMessage
	}{{"old", &c.Old}, {"new", &c.New}} {
		text, err := json.Marshal(c)
		if err != nil || len(text) <= limit {
			return text, err
		}
		if len(*part.value) > 0 {
			*part.value = nil
			c.Omitted = append(c.Omitted, part.name)
		}
	}
	return json.Marshal(c)
}
