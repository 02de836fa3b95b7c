package delivery

import (
	"context"
	"log/slog"

	"queryengine/pkg/lifecycle"
)

// recordBatch bounds the outcomes that are written at once.
const recordBatch = 200

// recorder writes the outcomes of one kind in batches: what comes while it writes makes the
// next batch.
type recorder struct {
	kind   Kind
	logger *slog.Logger
	queue  chan recording
}

// recording is an outcome whose delivery waits for the record.
type recording struct {
	outcome Outcome
	written chan struct{}
}

func newRecorder(kind Kind, capacity int, logger *slog.Logger) *recorder {
	return &recorder{kind: kind, logger: logger, queue: make(chan recording, capacity)}
}

// record returns when the outcome is written; its error is that of ctx.
func (r *recorder) record(ctx context.Context, o Outcome) error {
	own := recording{o, make(chan struct{})}
	select {
	case r.queue <- own:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-own.written:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *recorder) run(ctx context.Context) {
	for {
		select {
		case first := <-r.queue:
			r.write(ctx, r.collect(first))
		case <-ctx.Done():
			return
		}
	}
}

func (r *recorder) collect(first recording) []recording {
	batch := []recording{first}
	for len(batch) < recordBatch {
		select {
		case next := <-r.queue:
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}

// write writes a batch, however often it takes: the webhooks have been called already.
func (r *recorder) write(ctx context.Context, batch []recording) {
	outcomes := make([]Outcome, len(batch))
	for i, b := range batch {
		outcomes[i] = b.outcome
	}
	for said := false; ; said = true {
		err := r.kind.Record(ctx, outcomes)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return
		}
		if !said {
			r.logger.WarnContext(ctx, "delivery outcomes can't be recorded; retrying", "error", err)
		}
		lifecycle.Sleep(ctx, pause)
	}
	for _, b := range batch {
		close(b.written)
	}
}
