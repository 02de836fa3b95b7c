package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// historyLimit is how many messages the stream keeps.
	historyLimit = 100_000
	// duplicateWindow is how long NATS itself refuses a message id that it has seen.
	// Publish does not rely on it alone.
	duplicateWindow = 10 * time.Minute
	publishAttempts = 5
)

// Changes is the durable stream of metadata changes. A stream has the identity of the
// metadata database that its versions belong to.
//
// A change is one message, with the id "<stream id>:<version>" and the header fields
// Engine-Stream and Engine-Version. One that is larger than a message may be is several
// messages that are stored together or not at all, with Engine-Part "1/3", "2/3", "3/3".
type Changes struct {
	bus   *Bus
	stuck stuckWatch

	mu       sync.Mutex
	streamID string // as given to Ensure or Rebuild
	replicas int
}

// Sealer turns the data of a change into what every reader of the stream may see, and that back into
// the data.
type Sealer interface {
	Seal(streamID string, version int64, data []byte) ([]byte, error)
	Open(streamID string, version int64, data []byte) ([]byte, error)
}

// ChangesInfo describes the content of the stream; versions are 0 when it is empty.
type ChangesInfo struct {
	StreamID     string
	FirstVersion int64
	LastVersion  int64
}

// Changes gives access to the stream; the result is shared and safe for concurrent use.
func (b *Bus) Changes() *Changes { return b.changes }

// Ensure creates the stream, and the bucket of snapshots, where they are missing, and
// brings their configuration up to date. It fails with ErrForeignStream when the stream
// has another identity.
func (c *Changes) Ensure(ctx context.Context, streamID string, replicas int) error {
	err := c.bus.connected(ctx, func(ctx context.Context) error {
		cfg := streamConfig(streamID, replicas)
		_, err := c.bus.js.CreateStream(ctx, cfg)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			err = c.update(ctx, cfg)
		}
		if err != nil {
			return err
		}
		return c.ready(ctx, streamID, replicas)
	})
	if err != nil {
		return fmt.Errorf("set up the stream %s: %w", ChangesStream, err)
	}
	return nil
}

func (c *Changes) update(ctx context.Context, cfg jetstream.StreamConfig) error {
	s, err := c.bus.js.Stream(ctx, ChangesStream)
	if err != nil {
		return err
	}
	if s.CachedInfo().Config.Metadata[streamIDKey] != cfg.Metadata[streamIDKey] {
		return ErrForeignStream
	}
	_, err = c.bus.js.UpdateStream(ctx, cfg)
	return err
}

// Rebuild deletes the stream with everything in it and creates it again. Followers of the old one end
// with ErrForeignStream.
func (c *Changes) Rebuild(ctx context.Context, streamID string, replicas int) error {
	err := c.bus.connected(ctx, func(ctx context.Context) error {
		err := c.bus.js.DeleteStream(ctx, ChangesStream)
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
		if _, err := c.bus.js.CreateStream(ctx, streamConfig(streamID, replicas)); err != nil {
			return err
		}
		return c.ready(ctx, streamID, replicas)
	})
	if err != nil {
		return fmt.Errorf("rebuild the stream %s: %w", ChangesStream, err)
	}
	return nil
}

func (c *Changes) ready(ctx context.Context, streamID string, replicas int) error {
	c.mu.Lock()
	c.streamID, c.replicas = streamID, replicas
	c.mu.Unlock()
	return c.bus.Snapshots().ensure(ctx, replicas)
}

func streamConfig(streamID string, replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:               ChangesStream,
		Description:        "Changes of the metadata, by resource version",
		Subjects:           []string{ChangesSubject},
		Storage:            jetstream.FileStorage,
		Compression:        jetstream.S2Compression,
		Replicas:           replicas,
		MaxMsgs:            historyLimit,
		Duplicates:         duplicateWindow,
		AllowAtomicPublish: true,
		Metadata:           map[string]string{streamIDKey: streamID},
	}
}

// Info describes the content of the stream. A stream that does not exist gives the zero value.
func (c *Changes) Info(ctx context.Context) (ChangesInfo, error) {
	var info ChangesInfo
	err := c.bus.connected(ctx, func(ctx context.Context) (err error) {
		info, err = c.info(ctx)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			// The oldest message left between two steps of looking at it.
			info, err = c.info(ctx)
		}
		return err
	})
	if errors.Is(err, errUnreadable) {
		err = errors.Join(err, ErrStuck)
	}
	if err != nil {
		return ChangesInfo{}, fmt.Errorf("look at the stream %s: %w", ChangesStream, err)
	}
	return info, nil
}

func (c *Changes) info(ctx context.Context) (ChangesInfo, error) {
	s, err := c.bus.js.Stream(ctx, ChangesStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return ChangesInfo{}, nil
	}
	if err != nil {
		return ChangesInfo{}, err
	}
	info, state := ChangesInfo{StreamID: s.CachedInfo().Config.Metadata[streamIDKey]}, s.CachedInfo().State
	if state.Msgs == 0 {
		return info, nil
	}
	first, err := readChange(ctx, s, state.FirstSeq)
	if err != nil {
		return ChangesInfo{}, err
	}
	last, err := readChange(ctx, s, state.LastSeq)
	if err != nil {
		return ChangesInfo{}, err
	}
	info.FirstVersion, info.LastVersion = first.version, last.version
	if first.part > 1 && first.version < last.version {
		info.FirstVersion++ // only the tail of this one is left
	}
	return info, nil
}

// Publish appends the change that made version, and returns once it is on disk. A version
// that the stream already holds is success. It needs Ensure or Rebuild before it, and
// fails with ErrForeignStream when the stream has another identity by now, and with ErrStuck
// when it has to be rebuilt: it takes nothing, or its last message isn't a change.
func (c *Changes) Publish(ctx context.Context, version int64, data []byte) error {
	c.mu.Lock()
	streamID := c.streamID
	c.mu.Unlock()
	if streamID == "" {
		return errors.New("publish a change: the stream was not set up")
	}
	if sealer := c.bus.cfg.Sealer; sealer != nil {
		var err error
		if data, err = sealer.Seal(streamID, version, data); err != nil {
			return fmt.Errorf("publish version %d: %w", version, err)
		}
	}
	err := c.bus.connected(ctx, func(ctx context.Context) (err error) {
		for range publishAttempts {
			if err = c.publish(ctx, streamID, version, data); !isWrongLastSequence(err) {
				break
			}
			// Another user published in between: look again.
		}
		return err
	})
	if c.stuck.after(err) || errors.Is(err, errUnreadable) {
		err = errors.Join(err, ErrStuck)
	}
	if err != nil {
		return fmt.Errorf("publish version %d: %w", version, err)
	}
	return nil
}

func (c *Changes) publish(ctx context.Context, streamID string, version int64, data []byte) error {
	s, err := c.bus.js.Stream(ctx, ChangesStream)
	if err != nil {
		return err
	}
	if s.CachedInfo().Config.Metadata[streamIDKey] != streamID {
		return ErrForeignStream
	}
	state := s.CachedInfo().State
	if state.Msgs > 0 {
		last, err := readChange(ctx, s, state.LastSeq)
		if err != nil {
			return err
		}
		if version <= last.version {
			return nil
		}
	}
	limit := int(c.bus.nc.MaxPayload()) - payloadMargin
	parts := splitChange(streamID, version, data, limit)
	// Nothing may have come in between: this keeps versions in order when several processes publish.
	parts[0].Header.Set(jetstream.ExpectedLastSeqHeader, strconv.FormatUint(state.LastSeq, 10))
	for _, m := range parts[:len(parts)-1] {
		if err := c.bus.nc.PublishMsg(m); err != nil {
			return err
		}
	}
	_, err = c.bus.js.PublishMsg(ctx, parts[len(parts)-1])
	return err
}

// splitChange gives the messages of a change. Several of them are a batch that the server
// stores as one.
func splitChange(streamID string, version int64, data []byte, limit int) []*nats.Msg {
	id := streamID + ":" + strconv.FormatInt(version, 10)
	n := max(1, (len(data)+limit-1)/limit)
	parts := make([]*nats.Msg, n)
	for i := range parts {
		m := nats.NewMsg(ChangesSubject)
		m.Header.Set(headerStream, streamID)
		m.Header.Set(headerVersion, strconv.FormatInt(version, 10))
		m.Data = data[i*limit : min((i+1)*limit, len(data))]
		if n > 1 {
			m.Header.Set(headerPart, fmt.Sprintf("%d/%d", i+1, n))
			m.Header.Set(headerBatchID, id)
			m.Header.Set(headerBatchSequence, strconv.Itoa(i+1))
		}
		parts[i] = m
	}
	parts[0].Header.Set(jetstream.MsgIDHeader, id)
	if n > 1 {
		parts[n-1].Header.Set(headerBatchCommit, "1")
	}
	return parts
}

func isWrongLastSequence(err error) bool {
	var e *jetstream.APIError
	return errors.As(err, &e) && e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// change is one message of the stream.
type change struct {
	streamID    string
	version     int64
	part, parts int // 1 of 1 for a whole change
	data        []byte
}

func readChange(ctx context.Context, s jetstream.Stream, sequence uint64) (change, error) {
	m, err := s.GetMsg(ctx, sequence)
	if err != nil {
		return change{}, err
	}
	c, err := parseChange(m.Header, m.Data)
	if err == nil && c.streamID != s.CachedInfo().Config.Metadata[streamIDKey] {
		err = fmt.Errorf("a message of the stream %s is of another stream: %w", ChangesStream, errUnreadable)
	}
	return c, err
}

// errUnreadable reports a message of the stream that isn't a change.
var errUnreadable = errors.New("not a change of the metadata")

func parseChange(h nats.Header, data []byte) (change, error) {
	c := change{streamID: h.Get(headerStream), part: 1, parts: 1, data: data}
	var err error
	if c.version, err = strconv.ParseInt(h.Get(headerVersion), 10, 64); err != nil {
		return change{}, fmt.Errorf("a message of the stream %s has no version: %w", ChangesStream, errUnreadable)
	}
	if h.Get(headerPart) == "" {
		return c, nil
	}
	part, parts, _ := strings.Cut(h.Get(headerPart), "/")
	c.part, err = strconv.Atoi(part)
	if err == nil {
		c.parts, err = strconv.Atoi(parts)
	}
	if err != nil {
		return change{}, fmt.Errorf("a message of the stream %s has a bad part number: %w", ChangesStream, errUnreadable)
	}
	return c, nil
}
