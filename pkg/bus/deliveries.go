package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"google.golang.org/protobuf/proto"

	deliveryv1 "queryengine/proto/delivery/v1"
)

const (
	// deliveryLease is how long NATS hears nothing of a worker before it gives its messages
	// to another.
	deliveryLease = 20 * time.Second
	// deliveriesPending bounds the unacknowledged messages of all workers together.
	deliveriesPending = 10_000
	// deliveriesDuplicates is how long NATS refuses a message id that it has seen.
	deliveriesDuplicates = 2 * time.Minute
	// storeTimeout bounds how long a batch may take to be stored.
	storeTimeout = 10 * time.Second
	// fetchWait is how long one request for messages waits for the first of them.
	fetchWait = 5 * time.Second
)

// Deliveries is the work queue of webhooks: each message goes to one worker, and to another
// when that one dies. It is a means of transport only. What it carries is recorded in
// databases, from which a stream that was lost is filled again.
type Deliveries struct {
	bus   *Bus
	stuck stuckWatch

	mu       sync.Mutex
	consumer jetstream.Consumer // nil before the first Fetch, and after one that failed
	refused  error              // why the last Publish failed
	tried    time.Time          // when that was
}

// Deliveries gives access to the queue; the result is shared and safe for concurrent use.
func (b *Bus) Deliveries() *Deliveries { return b.deliveries }

// refusalCounts is how long a Publish that failed is shown by Status. What failed is tried again
// sooner, unless it has become the business of another process.
const refusalCounts = time.Minute

// Status is nil while the queue accepts what this process publishes, else the reason why it doesn't.
func (d *Deliveries) Status() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refused != nil && time.Since(d.tried) < refusalCounts {
		return fmt.Errorf("deliveries can't be published: %w", d.refused)
	}
	return nil
}

// Ensure creates the stream if it is missing. Its identity distinguishes a stream from one that
// replaced a lost one.
func (d *Deliveries) Ensure(ctx context.Context, replicas int) (identity string, err error) {
	err = d.bus.connected(ctx, func(ctx context.Context) error {
		s, err := d.stream(ctx)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			s, err = d.bus.js.CreateStream(ctx, jetstream.StreamConfig{
				Name:        DeliveriesStream,
				Description: "Events whose webhook is due",
				Subjects:    []string{deliveriesSubject},
				Retention:   jetstream.WorkQueuePolicy,
				Storage:     jetstream.FileStorage,
				Replicas:    replicas,
				Duplicates:  deliveriesDuplicates,
				Metadata:    map[string]string{streamIDKey: nuid.Next()},
			})
			if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was faster
				s, err = d.stream(ctx)
			}
		}
		if err != nil {
			return err
		}
		identity = s.CachedInfo().Config.Metadata[streamIDKey]
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("set up the stream %s: %w", DeliveriesStream, err)
	}
	return identity, nil
}

// stream is that of the queue. One of another configuration is deleted, since it wouldn't hold what is published.
func (d *Deliveries) stream(ctx context.Context) (jetstream.Stream, error) {
	s, err := d.bus.js.Stream(ctx, DeliveriesStream)
	if err != nil || isWorkQueue(s.CachedInfo().Config) {
		return s, err
	}
	d.bus.log.Warn("delivery stream has a foreign configuration; recreating it")
	return nil, errors.Join(jetstream.ErrStreamNotFound, d.bus.deleteStuck(ctx, DeliveriesStream))
}

// isWorkQueue reports whether a configuration is that of the queue, which holds what is published to it and nothing else.
func isWorkQueue(c jetstream.StreamConfig) bool {
	return slices.Equal(c.Subjects, []string{deliveriesSubject}) && c.Retention == jetstream.WorkQueuePolicy && c.Metadata[streamIDKey] != "" &&
		!c.NoAck && c.Mirror == nil && len(c.Sources) == 0 && c.RePublish == nil && c.SubjectTransform == nil
}

// Outgoing is a delivery that is to be published. Its ID is the same whenever the same
// attempt is published again.
type Outgoing struct {
	ID       string
	Delivery *deliveryv1.Delivery
}

// Publish puts deliveries into the queue, and returns once all of them are stored. It fails with
// ErrStuck when the stream accepts nothing. The stream is deleted then: Ensure recreates it.
func (d *Deliveries) Publish(ctx context.Context, list []Outgoing) error {
	err := d.bus.connected(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		futures := make([]jetstream.PubAckFuture, len(list))
		for i, o := range list {
			data, err := proto.Marshal(o.Delivery)
			if err != nil {
				return err
			}
			m := nats.NewMsg(deliverySubject(o.Delivery.GetKind()))
			m.Data = data
			m.Header.Set(jetstream.MsgIDHeader, o.ID)
			if futures[i], err = d.bus.js.PublishMsgAsync(m); err != nil {
				return err
			}
		}
		for _, f := range futures {
			select {
			case <-f.Ok():
			case err := <-f.Err():
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	if d.stuck.after(err) {
		d.bus.log.Warn("delivery stream rejects writes; recreating it")
		err = errors.Join(err, ErrStuck, d.bus.deleteStuck(ctx, DeliveriesStream))
	}
	if isNoStream(err) {
		_, other := d.stream(ctx)
		err = errors.Join(err, other)
	}
	if !errors.Is(err, context.Canceled) {
		d.mu.Lock()
		d.refused, d.tried = err, time.Now()
		d.mu.Unlock()
	}
	if err != nil {
		return fmt.Errorf("publish deliveries: %w", err)
	}
	return nil
}

// Incoming is an unacknowledged delivery. One of Done and Release ends it; a worker that takes longer
// calls Working.
type Incoming struct {
	Delivery *deliveryv1.Delivery
	message  jetstream.Msg
}

// staleAfter is the age after which the publisher may have given a message up for lost.
const staleAfter = 20 * time.Second

// Stale reports whether the delivery may have been made already: another worker had the message before,
// or it waited for long.
func (i *Incoming) Stale() bool {
	m, err := i.message.Metadata()
	return err != nil || m.NumDelivered > 1 || time.Since(m.Timestamp) > staleAfter
}

// LeaseRenewal is how often a worker calls Working.
const LeaseRenewal = deliveryLease / 3

// Working extends the time that the worker has.
func (i *Incoming) Working() { _ = i.message.InProgress() }

// Done takes the message out of the queue.
func (i *Incoming) Done() error { return i.message.Ack() }

// Release gives the message to another worker.
func (i *Incoming) Release() { _ = i.message.Nak() }

// Fetch hands up to n deliveries to take, as they come, and returns when it has handed over
// all of them or waited for a while. Messages that can't be read are thrown away, with an
// error at the end.
func (d *Deliveries) Fetch(ctx context.Context, n int, take func(*Incoming)) error {
	err := d.bus.connected(ctx, func(ctx context.Context) error {
		c, err := d.workers(ctx)
		if err != nil {
			return err
		}
		wait, cancel := context.WithTimeout(ctx, fetchWait)
		defer cancel()
		batch, err := c.Fetch(n, jetstream.FetchContext(wait))
		if err != nil {
			return err
		}
		var unreadable error
		for m := range batch.Messages() {
			delivery := &deliveryv1.Delivery{}
			if err := proto.Unmarshal(m.Data(), delivery); err != nil {
				unreadable = err
				_ = m.Term()
				continue
			}
			take(&Incoming{Delivery: delivery, message: m})
		}
		if err := batch.Error(); err != nil && wait.Err() == nil {
			return err
		}
		return unreadable
	})
	if err != nil {
		d.mu.Lock()
		d.consumer = nil // it may have gone with its stream
		d.mu.Unlock()
		return fmt.Errorf("fetch deliveries: %w", err)
	}
	return nil
}

// workers is the consumer that all workers share.
func (d *Deliveries) workers(ctx context.Context) (jetstream.Consumer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.consumer != nil {
		return d.consumer, nil
	}
	c, err := d.bus.js.CreateOrUpdateConsumer(ctx, DeliveriesStream, jetstream.ConsumerConfig{
		Durable:       deliveriesConsumer,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       deliveryLease,
		MaxDeliver:    -1,
		MaxAckPending: deliveriesPending,
	})
	if err == nil {
		d.consumer = c
		return c, nil
	}
	is, other := d.bus.js.Consumer(ctx, DeliveriesStream, deliveriesConsumer)
	if errors.Is(other, jetstream.ErrNotPullConsumer) || other == nil && is.CachedInfo().Config.AckPolicy != jetstream.AckExplicitPolicy {
		d.bus.log.Warn("delivery stream has a foreign consumer; recreating it", "error", err)
		err = errors.Join(err, d.bus.deleteStuck(ctx, DeliveriesStream))
	}
	return nil, err
}
