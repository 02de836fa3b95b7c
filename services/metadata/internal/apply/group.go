package apply

import (
	"context"
	"encoding/json"
	"slices"

	"queryengine/pkg/metadata"
)

// direction is what a command does to what there is. Objects that are added, or removed, one
// after another leave each other alone, so that their changes can be judged together.
type direction int

const (
	neither direction = iota
	adding
	removing
)

// group is a number of elements of a bulk whose changes are applied one after another and resolved
// once. It is valid only if each of them by itself would have had the same answer: nothing is
// inconsistent in the end that wasn't before, nothing is removed again, and nothing needed what came
// after it. Where that isn't known, or isn't so, the elements are run one by one.
type group struct {
	*work
	view     metadata.View
	schema   *groupSchema
	answers  []json.RawMessage
	failures map[int]error // of elements that changed nothing, while the others go on
	changes  int
	what     metadata.Introspection
	// direction is the direction of the changes so far.
	direction direction
	// added has the elements that add objects.
	added map[metadata.ObjectID]int
	// touched are the tables that have some of them.
	touched map[metadata.SourceTable]bool
}

// pace is how many elements of a bulk are tried together: it shrinks where they have to be looked at
// more closely, and grows again behind them.
type pace struct {
	width int
	// suspect reports whether the next element is the one that the others did not fit together with.
	suspect bool
}

// together runs as many elements of a bulk, from the given one on, as can be resolved once; nil for
// none.
func (w *work) together(ctx context.Context, b bulkStep, from int, p *pace) ([]json.RawMessage, error) {
	if p.suspect || !startsGroup(b.steps[from], w.current.Document) {
		return nil, nil
	}
	w.checkQueriesBefore(ctx)
	narrowed := false
	for p.width > 1 {
		g := w.newGroup()
		g.gather(b.steps[from:min(len(b.steps), from+p.width)], b.mode == metadata.BulkKeepGoing)
		switch {
		case len(g.answers) == 0, len(g.answers) == 1 && g.changes == 1:
			return nil, nil
		case g.changes == 0:
			return g.bodies(from)
		}
		next, good, err := g.resolve(ctx)
		if err != nil {
			return nil, w.at(err, from)
		}
		if good == len(g.answers) {
			w.current = next
			p.width, p.suspect = min(len(b.steps), 2*p.width), narrowed
			return g.bodies(from)
		}
		p.width, narrowed = max(good, 1), true
	}
	return nil, nil
}

func startsGroup(s step, doc *metadata.Document) bool {
	o, ok := s.(operationStep)
	if ok {
		_, ok = directionOf(o.Args, doc)
	}
	return ok
}

func (w *work) newGroup() *group {
	g := &group{
		work: w, view: w.current.view(""), failures: map[int]error{},
		added: map[metadata.ObjectID]int{}, touched: map[metadata.SourceTable]bool{},
	}
	g.schema = &groupSchema{Schema: w.current.Schema, group: g}
	g.view.Schema = g.schema
	return g
}

// gather applies steps up to the first one that doesn't belong to the group.
func (g *group) gather(steps []step, goOn bool) {
	for i, s := range steps {
		o, ok := s.(operationStep)
		if !ok {
			return
		}
		d, ok := directionOf(o.Args, g.view.Document)
		if !ok || d != neither && g.direction != neither && d != g.direction {
			return
		}
		g.view.Kind = o.Kind
		r, err := metadata.Apply(o.Args.(metadata.Command), g.view)
		switch {
		case g.schema.beyond:
			return
		case err != nil && !goOn:
			return
		case err != nil:
			g.failures[i] = g.placed(s, err)
			g.answers = append(g.answers, nil)
			continue
		case !g.admits(o.Args, r):
			return
		}
		if d != removing {
			for _, id := range r.Objects {
				g.added[id] = i
				g.touched[metadata.SourceTable{Source: id.Source, Name: id.Table}] = true
			}
		}
		if g.direction == neither {
			g.direction = d
		}
		g.view.Document = r.Document
		g.what.Tables = append(g.what.Tables, r.Introspect.Tables...)
		g.what.Functions = append(g.what.Functions, r.Introspect.Functions...)
		answer, err := metadata.WithWarnings(success, o.Unknown)
		if err != nil {
			return
		}
		g.answers = append(g.answers, answer)
		g.changes++
	}
}

// directionOf is what a command does to a document, and whether it can be in a group at all.
func directionOf(args any, doc *metadata.Document) (d direction, ok bool) {
	switch a := args.(type) {
	case *metadata.TrackTable:
		return adding, !a.IsEnum && a.LogicalModel == ""
	case *metadata.CreateRelationship, *metadata.CreateArrayRelationship, *metadata.AddComputedField, *metadata.TrackFunction:
		return adding, true
	case *metadata.DropRelationship:
		return removing, !a.Cascade
	case *metadata.UntrackTable:
		return removing, !a.Cascade
	case *metadata.CreatePermission[metadata.InsertPermission], *metadata.CreatePermission[metadata.UpdatePermission],
		*metadata.CreatePermission[metadata.DeletePermission]:
		return ofPermissions(adding, doc, false)
	case *metadata.CreatePermission[metadata.SelectPermission]:
		return ofPermissions(adding, doc, true)
	case *metadata.DropPermission[metadata.InsertPermission], *metadata.DropPermission[metadata.UpdatePermission],
		*metadata.DropPermission[metadata.DeletePermission]:
		return ofPermissions(removing, doc, false)
	case *metadata.DropPermission[metadata.SelectPermission]:
		return ofPermissions(removing, doc, true)
	}
	return neither, false
}

// ofPermissions is the direction of a permission: nothing needs any, so that they may come and go
// between other changes, but for what roles inherit, and for functions, which need those to select.
func ofPermissions(d direction, doc *metadata.Document, toSelect bool) (direction, bool) {
	inherited := len(doc.InheritedRoles) > 0
	functions := toSelect && slices.ContainsFunc(doc.Sources, func(s *metadata.Source) bool {
		return slices.ContainsFunc(s.Functions, func(f *metadata.Function) bool { return len(f.Permissions) > 0 })
	})
	if !inherited && !functions {
		return neither, true
	}
	return d, !inherited || !functions
}

// admits reports whether the result of a command can be judged together with those before it.
func (g *group) admits(args any, r *metadata.Result) bool {
	if r.Reply != nil || len(r.ClearActions)+len(r.Validate) > 0 {
		return false
	}
	// What was added stays until it has been looked at.
	switch a := args.(type) {
	case *metadata.UntrackTable:
		return !g.touched[metadata.SourceTable{Source: a.Source, Name: a.Table}]
	case interface{ Object() metadata.ObjectID }:
		_, again := g.added[a.Object()]
		return !again
	}
	return true
}

// resolve builds the state that the group comes to. good is how many of its elements are sure to
// be as they would be by themselves: all of them, or a number that is worth another try.
func (g *group) resolve(ctx context.Context) (next *State, good int, err error) {
	next, err = g.build(ctx, g.view.Document, g.what)
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	if err != nil {
		return nil, 0, nil //nolint:nilerr // the element that it is of fails by itself, too
	}
	size := len(g.answers)
	found := fresh(g.current.Inconsistent, next.Inconsistent)
	switch {
	case slices.ContainsFunc(found, func(i metadata.Inconsistency) bool { return i.ID.Kind == metadata.ObjectSource }):
		return nil, 0, nil // a source that can't be reached is queried as rarely as possible
	case len(found) > 0:
		return nil, g.first(found, size/2), nil
	}
	if i := g.first(next.Inconsistent, size); i < size {
		return nil, i, nil
	}
	return next, g.inOrder(next), nil
}

// first is the first of the elements that added something of the list, otherwise where there is
// none.
func (g *group) first(list []metadata.Inconsistency, otherwise int) int {
	at := len(g.answers)
	for _, i := range list {
		for _, id := range i.IDs() {
			if k, ok := g.added[id]; ok {
				at = min(at, k)
			}
		}
	}
	if at == len(g.answers) {
		return otherwise
	}
	return at
}

// inOrder is the first of the elements that added something which needs what a later one added;
// all of them where there is none.
func (g *group) inOrder(next *State) int {
	at := len(g.answers)
	next.Schema.Needs(g.touched, func(id, need metadata.ObjectID) {
		i, ok := g.added[id]
		if !ok {
			return
		}
		if later, ok := g.added[need]; ok && later > i {
			at = min(at, i)
		}
	})
	return at
}

// bodies are the answers of the elements, of which the first one is that of the bulk's element
// from.
func (g *group) bodies(from int) ([]json.RawMessage, error) {
	for i, failure := range g.failures {
		body, err := g.failure(failure, from+i)
		if err != nil {
			return nil, err
		}
		g.answers[i] = body
	}
	return g.answers, nil
}
