package execute

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/guard"
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/plan/action"
	"queryengine/services/query-executor/internal/plan/answer"
	planremote "queryengine/services/query-executor/internal/plan/remote"
	"queryengine/services/query-executor/internal/plan/request"
	"queryengine/services/query-executor/internal/remote"
	"queryengine/services/query-executor/internal/share"
)

// maxCalls bounds the calls of remotes that one operation makes at the same time.
const maxCalls = 16

// Remotes calls the servers of remote schemas for one request.
type Remotes struct{ *remote.Caller }

// rootCall is a root field that a call answers.
type rootCall interface {
	// index is that of its body in Run.Bodies, which bind makes.
	index() int
	bind(r *Run) error
	call(ctx context.Context, r *Run) (called, error)
	// project appends the selected parts of the value.
	project(dst, value []byte) ([]byte, error)
	// texts tell it from calls of something else.
	texts() []string
	// needs are what a run has to bring for the call.
	needs() Needs
}

// newRootCall prepares a root field that a call answers, and gives the joins of its answer; at is
// its index.
func newRootCall(part answer.Part, at int) (rootCall, []answer.Member, error) {
	switch part := part.(type) {
	case *planremote.Query:
		return newRemoteQuery(part, at), part.Joins, nil
	case *action.Call:
		call, err := newActionCall(part, at)
		return call, part.Joins, err
	case *action.Queued:
		return &queuedCall{part, at}, nil, nil
	case *action.Result:
		return &callResult{part, at}, part.Joins, nil
	}
	return nil, nil, fmt.Errorf("a part of an unknown kind: %T", part)
}

// remoteQuery is a root field that a remote schema answers. It keeps nothing of the remote
// schema but how its server is called.
type remoteQuery struct {
	meta    *metadata.RemoteSchema
	request request.Request
	key     string
	field   string
	shape   *remote.Shape
	fit     *remote.Fit
	at      int
	label   label
}

func newRemoteQuery(q *planremote.Query, index int) *remoteQuery {
	return &remoteQuery{
		meta: q.Remote.Meta, request: q.Request, key: q.Key, field: q.Field, shape: q.Shape, fit: remote.NewFit(q.Key, q.Shape),
		at: index, label: label{name: `Remote schema query for root field "` + q.Field + `"`},
	}
}

func (q *remoteQuery) index() int { return q.at }

func (q *remoteQuery) needs() Needs { return NeedsRemotes }

func (q *remoteQuery) texts() []string { return []string{q.meta.Name, q.request.Document} }

func (q *remoteQuery) project(dst, value []byte) ([]byte, error) {
	out, err := q.shape.Append(dst, value)
	if err != nil {
		return nil, apierror.New(apierror.RemoteSchemaError, "Error in $: "+err.Error())
	}
	return out, nil
}

// bind makes the body of the call.
func (q *remoteQuery) bind(r *Run) error {
	body, err := q.request.Body(r.Values, r.Session)
	r.Bodies = append(r.Bodies, body)
	return err
}

// called is what came of a call.
type called struct {
	value []byte
	// fits reports whether the value needs no project.
	fits bool
	// body is where the value is a part of, nil for memory that isn't taken back.
	body    []byte
	cookies []string
}

func (q *remoteQuery) call(ctx context.Context, r *Run) (called, error) {
	place, err := r.Places.Take(share.Remote, q.meta.Name)
	if err != nil {
		return called{}, err
	}
	defer place.Leave()
	r.calls(ctx, RemoteSchema)
	ctx, end := r.span(ctx, trace.SpanKindClient, &q.label)
	response, err := r.Remotes.Call(ctx, q.meta, r.Bodies[q.at])
	end(err)
	if err != nil {
		return called{}, err
	}
	out := called{body: response.Body, cookies: response.Header["Set-Cookie"]}
	if out.value, out.fits = q.fit.Value(response.Body); !out.fits {
		out.value, err = remote.Root(response.Body, q.key, r.Remotes.DataFirst)
	}
	return out, err
}

// writeAlone writes an answer to which one call contributes and nothing else.
func (p *Prepared) writeAlone(ctx context.Context, r *Run, out *backend.Answer) error {
	for _, piece := range p.pieces {
		if piece != p.alone {
			out.Buf = append(out.Buf, textOf(piece)...)
			continue
		}
		result, err := p.alone.call(ctx, r)
		setCookies(r, []called{result})
		if err != nil {
			return err
		}
		if err := p.alone.write(ctx, r, r.Bound, &result, out); err != nil {
			return err
		}
	}
	return nil
}

// onlyCall is the only piece that isn't text, when that is a call; else nil.
func onlyCall(pieces []piece) *callPiece {
	var only *callPiece
	for _, piece := range pieces {
		switch piece := piece.(type) {
		case *textPiece:
		case *callPiece:
			if only != nil {
				return nil
			}
			only = piece
		default:
			return nil
		}
	}
	return only
}

// writeBeside writes an answer to which remotes contribute: they are called while the
// statements run. Nothing is handed on before all of them have answered, because one that
// fails fails the operation.
func (p *Prepared) writeBeside(ctx context.Context, r *Run, out *backend.Answer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	g, beside := guard.WithContext(ctx)
	defer func() { // whatever becomes of the statements, the calls use r
		cancel(nil)
		_ = g.Wait()
	}()
	results := make([]called, p.calls)
	g.Go(func() error { return p.callAll(beside, r, results) })
	held, marks, err := p.hold(beside, r)
	if err != nil {
		cancel(err)
	}
	failed := g.Wait()
	setCookies(r, results)                                                // of a handler that refuses, too: what it tells the client to forget
	if failed != nil && (err == nil || context.Cause(beside) == failed) { //nolint:errorlint // the very same one
		return failed
	}
	if err != nil {
		return err
	}
	from := 0
	for i, piece := range p.pieces {
		out.Buf = append(out.Buf, held[from:marks[i].end]...)
		from = marks[i].end
		if call, ok := piece.(*callPiece); ok {
			err = call.write(ctx, r, marks[i].bound, &results[call.index()], out)
		} else {
			err = out.Flush()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// callAll calls all remotes.
func (p *Prepared) callAll(ctx context.Context, r *Run, results []called) error {
	g, ctx := guard.WithContext(ctx)
	g.SetLimit(maxCalls)
	for _, piece := range p.pieces {
		call, ok := piece.(*callPiece)
		if !ok {
			continue
		}
		g.Go(func() (err error) {
			results[call.index()], err = call.call(ctx, r)
			return err
		})
	}
	return g.Wait()
}

// mark is where the text of a piece ends, and the operands of the joins of a remote's.
type mark struct {
	end   int
	bound [][]byte
}

// hold writes the pieces that no remote answers.
func (p *Prepared) hold(ctx context.Context, r *Run) ([]byte, []mark, error) {
	held, bound := backend.NewAnswer(nil, nil, 0), r.Bound
	marks := make([]mark, len(p.pieces))
	for i, piece := range p.pieces {
		if call, ok := piece.(*callPiece); ok {
			marks[i].bound = bound
			bound = bound[call.joins.count():]
		} else {
			var err error
			if bound, err = writeUncalled(ctx, piece, r, bound, held); err != nil {
				return nil, nil, err
			}
		}
		marks[i].end = len(held.Buf)
	}
	return held.Buf, marks, nil
}

// write writes the value that a call gave, with its joins; bound begins with their operands.
func (p *callPiece) write(ctx context.Context, r *Run, bound [][]byte, result *called, out *backend.Answer) (err error) {
	switch {
	case p.joins == nil && result.fits:
		err = out.Append(result.value)
	case p.joins == nil:
		var buf []byte
		if buf, err = p.project(out.Buf, result.value); err == nil {
			out.Buf = buf
			err = out.Flush()
		}
	default:
		answer := result.value
		if !result.fits {
			answer, err = p.project(nil, result.value)
		}
		if err == nil {
			err = p.joins.write(ctx, r, bound, answer, out)
		}
	}
	if err == nil && result.body != nil {
		r.Remotes.Release(result.body)
	}
	return err
}

// remote answers a root field of a mutation.
func (t *turn) remote(ctx context.Context, p *callPiece) error {
	result, err := p.call(ctx, t.run)
	setCookies(t.run, []called{result})
	if err != nil {
		return err
	}
	buf, err := p.project(t.out.Buf, result.value)
	if err == nil {
		t.out.Buf = buf
	}
	return err
}

func setCookies(r *Run, results []called) {
	var cookies []string
	for _, result := range results {
		cookies = append(cookies, result.cookies...)
	}
	if len(cookies) > 0 && r.SetCookies != nil {
		r.SetCookies(cookies)
	}
}
