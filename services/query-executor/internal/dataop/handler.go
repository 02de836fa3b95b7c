package dataop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/plan/validate"
)

// Deps are what a Handler works with.
type Deps struct {
	// Metadata waits until metadata of a version is known, and returns the newest with the
	// schema that it was resolved to.
	Metadata func(ctx context.Context, minVersion int64) (*snapshot.Snapshot, *resolve.Schema, error)
	// Source returns an open source, and the function that ends its use.
	Source func(name string) (backend.Source, func(), error)
	// Admission is the checks that every request has to pass, by the newest metadata.
	Admission func() Admission
	// Validate asks the webhook of an input; clientHeaders are those of the client's request.
	Validate func(ctx context.Context, s *session.Session, clientHeaders map[string]string, in validate.Input) error
	// Unguarded are the guards that are switched off, by their names in package config.
	Unguarded []string
	// Resolve are the options that schemas are resolved with.
	Resolve resolve.Options
	Render  backend.RenderOptions
	// FrameSize is about how many bytes of an answer are sent at once, 0 for the default.
	FrameSize int
}

// Handler runs data operations. It is safe for concurrent use.
type Handler struct{ Deps }

// New returns a Handler.
func New(d Deps) *Handler { return &Handler{d} }

// Execute runs one operation and writes its result to w.
func (h *Handler) Execute(ctx context.Context, req *queryv1.DataRequest, w io.Writer) error {
	r, err := readRequest(req.GetBody())
	if err != nil {
		return err
	}
	schema, err := h.Schema(ctx, req.GetMinVersion(), req.GetOverlay())
	if err != nil {
		return err
	}
	user := session.FromProto(req.GetSession())
	if a, ok := r.args.(*explainArgs); ok {
		return h.explain(ctx, schema, r, user, a, w)
	}
	plan, err := h.admit(newPlanner(schema, user, len(req.GetBody()), h.Unguarded), r)
	if err != nil {
		return err
	}
	if err := h.validate(ctx, plan, user, req.GetClientHeaders()); err != nil {
		return withinArgs(err)
	}
	return withinArgs(h.run(ctx, plan, user, w))
}

// explain runs the plan of an explanation with the session that it is about.
func (h *Handler) explain(ctx context.Context, schema *resolve.Schema, r *request, user *session.Session, a *explainArgs, w io.Writer) error {
	if user.Role != session.Admin {
		return apierror.New(apierror.AccessDenied, "restricted access: admin only")
	}
	plan, err := newPlanner(schema, a.user, 0, h.Unguarded).plan(r)
	if err != nil {
		return withinArgs(err)
	}
	return withinArgs(h.run(ctx, plan, a.user, w))
}

// withinArgs puts the step "args" in front of the path of a fault of the request. Others,
// such as the end of the context, stay what they are.
func withinArgs(err error) error {
	if fault := (*apierror.Error)(nil); !errors.As(err, &fault) {
		return err
	}
	return apierror.At(err, "args")
}

// Schema is the newest one, with a change on top that isn't committed yet; nil for none.
func (h *Handler) Schema(ctx context.Context, minVersion int64, overlay []byte) (*resolve.Schema, error) {
	current, schema, err := h.Metadata(ctx, minVersion)
	if err != nil || len(overlay) == 0 {
		return schema, err
	}
	change, err := snapshot.DecodeChange(overlay)
	if err != nil {
		return nil, err
	}
	changed, err := current.Apply(change)
	if errors.Is(err, snapshot.ErrGap) {
		return nil, apierror.Newf(apierror.Conflict,
			"metadata resource version referenced (%d) did not match current version", change.Base)
	}
	if err != nil {
		return nil, fmt.Errorf("apply the changes of the request: %w", err)
	}
	return resolve.Build(changed.Document, changed.Catalogs, changed.SourceErrors, schema, h.Resolve), nil
}

// run has the source run a plan. The answer of a mutation is held back until its
// transaction is committed.
func (h *Handler) run(ctx context.Context, p *plan, user *session.Session, w io.Writer) error {
	source, release, err := h.Source(p.source.Name)
	if err != nil {
		return err
	}
	defer release()
	args := backend.Args{Session: user, Scan: &p.scan}
	if args.Lookups, err = h.look(ctx, p, user); err != nil {
		return err
	}
	if p.query != nil {
		statement, err := p.source.Dialect.RenderQuery(p.query, h.Render)
		if err == nil {
			err = p.budget.Take(budget.SQL, len(statement.SQL()))
		}
		if err != nil {
			return err
		}
		if p.count {
			return h.runCount(ctx, source, statement, args, w)
		}
		if p.explained != nil {
			return h.runExplained(ctx, source, statement, args, p.explained, w)
		}
		out := backend.NewAnswer(nil, w, h.FrameSize)
		if err := source.Query(ctx, statement, args, out); err != nil {
			return missingVariable(err)
		}
		return out.Close()
	}
	statement, err := p.source.Dialect.RenderMutation(p.mutation, h.Render)
	if err != nil {
		return err
	}
	out := backend.NewAnswer(nil, nil, h.FrameSize)
	err = source.Mutate(ctx, user, func(tx backend.Tx) error { return tx.Query(ctx, statement, args, out) })
	if err != nil {
		return missingVariable(err)
	}
	_, err = w.Write(out.Buf)
	return err
}

// runCount runs an aggregate and takes the inner object of its answer, which is
// {"aggregate": {"count": 4}}.
func (h *Handler) runCount(ctx context.Context, source backend.Source, s backend.Statement, args backend.Args, w io.Writer) error {
	out := backend.NewAnswer(nil, nil, h.FrameSize)
	if err := source.Query(ctx, s, args, out); err != nil {
		return missingVariable(err)
	}
	var answer struct {
		Aggregate json.RawMessage `json:"aggregate"`
	}
	if err := json.Unmarshal(out.Buf, &answer); err != nil {
		return fmt.Errorf("read the count: %w", err)
	}
	_, err := w.Write(answer.Aggregate)
	return err
}

func (h *Handler) runExplained(
	ctx context.Context, source backend.Source, s backend.Statement, args backend.Args, x *explanation, w io.Writer,
) error {
	out := backend.NewAnswer(nil, nil, h.FrameSize)
	if err := source.Query(ctx, s, args, out); err != nil {
		return missingVariable(err)
	}
	answer, err := x.answer(out.Buf)
	if err == nil {
		_, err = w.Write(answer)
	}
	return err
}

// missingVariable gives the fault of a session variable that is missing the text that it
// has in this language.
func missingVariable(err error) error {
	e := apierror.From(err)
	name, ok := strings.CutPrefix(e.Message, "missing session variable: ")
	if e.Code != apierror.NotFound || !ok {
		return err
	}
	return apierror.New(apierror.NotFound, name+" header is expected but not found")
}
