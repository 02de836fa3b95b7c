package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/guard"
	"queryengine/pkg/metadata"
	"queryengine/services/metadata/internal/store"
)

func (w *work) bulk(ctx context.Context, b bulkStep) (json.RawMessage, error) {
	switch b.mode {
	case metadata.BulkAtomic:
		return w.atomic(ctx, b)
	case metadata.BulkConcurrent:
		return w.concurrent(ctx, b)
	}
	if b.mode == metadata.BulkKeepGoing {
		defer func(before bool) { w.goesOn = before }(w.goesOn)
		w.goesOn = true
	}
	answers := make([]json.RawMessage, 0, len(b.steps))
	p := pace{width: len(b.steps)}
	for len(answers) < len(b.steps) {
		more, err := w.together(ctx, b, len(answers), &p)
		if err == nil && more == nil {
			more, err = w.alone(ctx, b, len(answers), &p)
		}
		if err != nil {
			return nil, err
		}
		answers = append(answers, more...)
	}
	return metadata.Encode(answers)
}

// alone runs element i and resolves its result by itself.
func (w *work) alone(ctx context.Context, b bulkStep, i int, p *pace) ([]json.RawMessage, error) {
	p.suspect = false
	refused := w.refused
	body, err := w.run(ctx, b.steps[i])
	if refused == nil && w.refused != nil {
		w.refused = w.at(w.refused, i)
	}
	switch {
	case err == nil:
		p.width = max(p.width, 2)
	case b.mode == metadata.BulkStop || ctx.Err() != nil || store.IsConflict(err):
		return nil, w.at(err, i)
	default:
		if body, err = w.failure(err, i); err != nil {
			return nil, err
		}
	}
	return []json.RawMessage{body}, nil
}

// at puts the place of element i in front of the path of its error.
func (w *work) at(err error, i int) error {
	switch {
	case store.IsConflict(err):
		return err
	case w.api == metadata.APIQueryV2:
		return apierror.At(err, i)
	}
	return apierror.At(err, "args", i)
}

// failure is the answer of an element that failed while the others go on.
func (w *work) failure(err error, i int) (json.RawMessage, error) {
	e := apierror.From(w.at(err, i))
	return metadata.Encode(struct {
		Error    string          `json:"error"`
		Path     string          `json:"path"`
		Code     apierror.Code   `json:"code"`
		Internal json.RawMessage `json:"internal,omitempty"`
	}{e.Message, e.Path, e.Code, e.InternalJSON()})
}

// atomic applies all elements to the document and builds its state once, so that an
// element may need a later one.
func (w *work) atomic(ctx context.Context, b bulkStep) (json.RawMessage, error) {
	doc := w.current.Document
	var queries []metadata.ObjectID
	var warnings []metadata.Warning
	for i, s := range b.steps {
		o, ok := s.(operationStep)
		if !ok || !o.InAtomicBulk() {
			return nil, apierror.At(apierror.New(apierror.Unexpected, "Bulk atomic does not support this command"), "args", i)
		}
		v := w.current.view(o.Kind)
		v.Document, v.Atomic = doc, true
		r, err := metadata.Apply(o.Args.(metadata.Command), v)
		if err != nil {
			return nil, w.at(apierror.At(err, "args"), i)
		}
		doc, queries = r.Document, append(queries, r.Validate...)
		for _, u := range o.Unknown {
			u.Name = fmt.Sprintf("$.args[%d]%s", i, strings.TrimPrefix(u.Name, "$"))
			warnings = append(warnings, u)
		}
	}
	next, err := w.build(ctx, doc, metadata.Introspection{})
	if err != nil {
		return nil, err
	}
	if list := fresh(w.current.Inconsistent, next.Inconsistent); len(list) > 0 {
		return nil, apierror.At(apierror.New(apierror.BadRequest, "Schema inconsistency").WithInternal(byObject(list)), "args")
	}
	if err := w.validate(ctx, next, queries); err != nil {
		return nil, apierror.At(err, "args")
	}
	w.current = next
	return metadata.WithWarnings(success, warnings)
}

// byObject groups the inconsistencies of one object.
func byObject(list []metadata.Inconsistency) [][]metadata.Inconsistency {
	var groups [][]metadata.Inconsistency
	place := map[metadata.ObjectID]int{}
	for _, i := range list {
		n, ok := place[i.ID]
		if !ok {
			n = len(groups)
			place[i.ID] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	return groups
}

// concurrent runs all elements at once; none of them may change metadata.
func (w *work) concurrent(ctx context.Context, b bulkStep) (json.RawMessage, error) {
	if b.modifies() {
		return nil, apierror.New(apierror.Unexpected, "Only read-only queries are allowed in a concurrent_bulk").
			WithStatus(http.StatusInternalServerError)
	}
	answers := make([]json.RawMessage, len(b.steps))
	errs := make([]error, len(b.steps))
	var running guard.WaitGroup
	for i, s := range b.steps {
		own := *w
		running.Go(func() { answers[i], errs[i] = own.run(ctx, s) })
	}
	running.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, w.at(err, i)
		}
	}
	return metadata.Encode(answers)
}

// batch applies commands of which some may fail: those are left out.
func (w *work) batch(ctx context.Context, o *metadata.Operation, b metadata.Batch) (json.RawMessage, error) {
	commands := b.Commands()
	failures := make([]error, len(commands))
	next, err := w.batchState(ctx, o.Kind, b, failures)
	if err != nil {
		return nil, err
	}
	var warnings []metadata.Warning
	texts := b.Texts()
	for i, failure := range failures {
		if failure != nil {
			object, name := b.Object(w.current.Document, i)
			warnings = append(warnings, metadata.Warning{
				Message: apierror.From(failure).Message, Type: object, Name: name, Code: texts.WarningCode,
			})
		}
	}
	if len(warnings) > 0 && len(warnings) == len(commands) {
		return nil, apierror.New(apierror.InvalidConfiguration, texts.AllFailed).WithInternal(warnings)
	}
	warnings = append(warnings, o.Unknown...)
	if len(warnings) > 0 && !b.AllowWarnings() {
		return nil, apierror.New(metadata.MetadataWarnings, "failed due to metadata warnings").WithInternal(warnings)
	}
	w.current = next
	return metadata.WithWarnings(success, warnings)
}

// batchState applies the commands that fit, and builds their state: once, and again when
// some turn out to be inconsistent, or rested on one that failed.
func (w *work) batchState(ctx context.Context, kind string, b metadata.Batch, failures []error) (*State, error) {
	commands := b.Commands()
	for {
		v := w.current.view(kind)
		v.Leaving = map[metadata.SourceTable]bool{}
		for _, c := range commands {
			v.Qualify(c)
		}
		for i, failure := range failures {
			if table, leaves := b.Leaves(i); leaves && failure == nil {
				v.Leaving[table] = true
			}
		}
		stays := false
		var what metadata.Introspection
		named := make([][]metadata.ObjectID, len(commands))
		for i, c := range commands {
			if failures[i] != nil {
				continue
			}
			r, err := metadata.Apply(c, v)
			if err != nil {
				failures[i] = err
				_, leaves := b.Leaves(i)
				stays = stays || leaves
				continue
			}
			v.Document = r.Document
			named[i] = r.Objects
			what.Tables = append(what.Tables, r.Introspect.Tables...)
		}
		if stays {
			continue
		}
		next, err := w.build(ctx, v.Document, what)
		if err != nil {
			return nil, err
		}
		failed := false
		for i := range commands {
			if err := reasons(next.Inconsistent, named[i]); err != nil && failures[i] == nil {
				failures[i], failed = err, true
			}
		}
		if !failed {
			return next, refusal(http.StatusBadRequest, "cannot continue due to newly found inconsistent metadata",
				fresh(w.current.Inconsistent, next.Inconsistent))
		}
	}
}
