package publishing

import (
	"context"
	"errors"
	"reflect"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/bus"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/metadata"
)

const (
	// takeOver is how often another process that publishes is tried to be followed.
	takeOver = time.Second
	// retryFirst and retryLast bound the pause after faults.
	retryFirst = time.Second
	retryLast  = 30 * time.Second
)

// publisher publishes one publication.
type publisher struct {
	*Config
	name        bus.PublishedName
	source      *metadata.Source
	publication backend.Publication
	stream      bus.PublishedStreamConfig
	end         context.CancelFunc
}

// is reports whether it does what other would do.
func (p *publisher) is(other *publisher) bool {
	return open.Same(p.source, other.source) && p.stream == other.stream && reflect.DeepEqual(p.publication, other.publication)
}

// run publishes until ctx ends.
func (p *publisher) run(ctx context.Context, source backend.ChangePublisher) {
	pause, said := retryFirst, ""
	for ctx.Err() == nil {
		began := time.Now()
		err := guard.Do(p.Logger, "panic in the publishing of changes", func() error {
			return source.PublishChanges(ctx, p.publication, p.Bus.PublishedChanges(p.stream), p.progress(ctx))
		})
		p.Metrics.publishing(p.name, false)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, backend.ErrRead):
			lifecycle.Sleep(ctx, takeOver)
		default:
			if time.Since(began) > retryLast {
				pause, said = retryFirst, "" // it was well in between
			}
			if text := err.Error(); text != said {
				p.Logger.WarnContext(ctx, "changes can't be published; retrying later",
					"source", p.name.Source, "publication", p.name.Name, "error", text)
				said = text
			}
			lifecycle.Sleep(ctx, pause)
			pause = min(2*pause, retryLast)
		}
	}
}

func (p *publisher) progress(ctx context.Context) backend.ChangeProgress {
	return backend.ChangeProgress{
		Logger: p.Logger.With("source", p.name.Source, "publication", p.name.Name),
		Began: func() {
			p.Metrics.publishing(p.name, true)
			p.Logger.InfoContext(ctx, "publishing table changes", "source", p.name.Source, "publication", p.name.Name)
		},
		Stored: func(messages int, lag time.Duration) { p.Metrics.stored(p.name, messages, lag) },
	}
}
