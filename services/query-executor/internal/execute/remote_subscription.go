package execute

import (
	"bytes"
	"context"
	"errors"
	"reflect"

	"go.opentelemetry.io/otel/trace"

	"queryengine/services/query-executor/internal/remote"
)

// RemoteSubscription is a subscription that a remote schema answers. It is immutable and safe for
// concurrent use.
type RemoteSubscription struct {
	query  *remoteQuery
	pieces []piece
	// label is that of the span of a subscriber.
	label label
}

// RemoteSubscription is the subscription on a remote schema; nil for other operations.
func (p *Prepared) RemoteSubscription() *RemoteSubscription { return p.subscribed }

// newRemoteSubscription finds the root field among the pieces of a subscription, nil when a source
// answers it.
func newRemoteSubscription(pieces []piece) *RemoteSubscription {
	for _, piece := range pieces {
		if q := remoteQueryOf(piece); q != nil {
			span := label{name: `Remote schema subscription for root field "` + q.field + `"`}
			return &RemoteSubscription{query: q, pieces: pieces, label: span}
		}
	}
	return nil
}

// remoteQueryOf is the root field of a remote schema that a piece is, nil for none.
func remoteQueryOf(p piece) *remoteQuery {
	call, ok := p.(*callPiece)
	if !ok {
		return nil
	}
	q, _ := call.rootCall.(*remoteQuery)
	return q
}

// Same reports whether a subscriber would notice no difference to another one, given the bodies
// of the requests to their remotes.
func (s *RemoteSubscription) Same(other *RemoteSubscription, body, otherBody []byte) bool {
	texts := func(s *RemoteSubscription) (list []string) {
		for _, piece := range s.pieces {
			list = append(list, textOf(piece))
		}
		return list
	}
	return bytes.Equal(body, otherBody) && reflect.DeepEqual(s.query.meta.Definition, other.query.meta.Definition) &&
		reflect.DeepEqual(s.query.shape, other.query.shape) && reflect.DeepEqual(texts(s), texts(other))
}

// Body is the body of the request, after Bind.
func (s *RemoteSubscription) Body(r *Run) []byte { return r.Bodies[s.query.at] }

// Follow hands answers to take as they come, until the remote ends the subscription. An error
// is why it ended otherwise. Its span lasts as long.
func (s *RemoteSubscription) Follow(ctx context.Context, tracer trace.Tracer, remotes Remotes, body []byte, take func(answer []byte) error) error {
	r := Run{Tracer: tracer}
	ctx, end := r.span(ctx, trace.SpanKindClient, &s.label)
	var buffer []byte
	err := remotes.Subscribe(ctx, s.query.meta, body, func(result []byte) (err error) {
		if buffer, err = s.appendAnswer(buffer[:0], result, remotes.DataFirst); err != nil {
			return err
		}
		if err = take(buffer); cap(buffer) > maxKept {
			buffer = nil
		}
		return err
	})
	end(err)
	var errs *remote.ServerError
	if errors.As(err, &errs) {
		return take(AppendErrors(nil, errs))
	}
	return err
}

// maxKept is the largest buffer that is kept for the next answer.
const maxKept = 1 << 20

// appendAnswer makes an answer of a result of the remote. Errors of the remote are one, too:
// more results may follow.
func (s *RemoteSubscription) appendAnswer(dst, result []byte, dataFirst bool) ([]byte, error) {
	value, fits := s.query.fit.Value(result)
	var err error
	if !fits {
		value, err = remote.Root(result, s.query.key, dataFirst)
	}
	var errs *remote.ServerError
	if errors.As(err, &errs) {
		return AppendErrors(dst, errs), nil
	}
	if err != nil {
		return dst, err
	}
	for _, piece := range s.pieces {
		if _, ok := piece.(*callPiece); !ok {
			dst = append(dst, textOf(piece)...)
			continue
		}
		if fits {
			dst = append(dst, value...)
		} else if dst, err = s.query.project(dst, value); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// AppendErrors appends the answer to an operation that failed with errors of a remote.
func AppendErrors(dst []byte, errs *remote.ServerError) []byte {
	dst = append(dst, `{"data":null,"errors":`...)
	return append(append(dst, errs.List...), '}')
}
