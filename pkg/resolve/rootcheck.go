package resolve

import (
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/metadata"
)

// rootCheck is the result of looking for root fields that several objects define.
type rootCheck struct {
	problems []metadata.Inconsistency
}

// claimant is a table, function, native query or action, which claims names in the roots of the schema.
type claimant struct {
	source *Source
	id     metadata.ObjectID
	table  *Table
	fn     *Function
	query  *NativeQuery
	action *Action
}

// rootUse is a name in a root. Sources with a namespace have roots of their own.
type rootUse struct {
	namespace, root, name string
}

const (
	queryRoot        = "query_root"
	mutationRoot     = "mutation_root"
	subscriptionRoot = "subscription_root"
)

// each calls f with every name that is claimed. What queries have, subscriptions have, too.
func (c claimant) each(o *Options, f func(rootUse)) {
	if c.action != nil {
		c.action.each(f)
		return
	}
	query := func(name string) {
		f(rootUse{c.source.Namespace, queryRoot, name})
		f(rootUse{c.source.Namespace, subscriptionRoot, name})
	}
	switch {
	case c.fn != nil && c.fn.Mutation:
		f(rootUse{c.source.Namespace, mutationRoot, c.fn.Field.Name})
	case c.fn != nil:
		query(c.fn.Field.Name)
		query(c.fn.AggregateField.Name)
	case c.query != nil:
		query(c.query.Field.Name)
	case c.table.Name != "":
		fields := c.table.RootFields
		for i, field := range fields.all() {
			switch {
			case field == &fields.SelectStream:
				if !o.HideStreamFields {
					f(rootUse{c.source.Namespace, subscriptionRoot, field.Name})
				}
			case field == &fields.SelectGroups:
				if c.source.Groups() {
					query(field.Name)
				}
			case field == &fields.UpdateMany && o.HideUpdateManyFields:
			case i < queryFields:
				query(field.Name)
			default:
				f(rootUse{c.source.Namespace, mutationRoot, field.Name})
			}
		}
	}
}

// each calls f with the names that an action claims; one that is asynchronous is looked up by
// its name in the other roots.
func (a *Action) each(f func(rootUse)) {
	if a.Meta.Definition.Type == metadata.ActionMutation {
		f(rootUse{"", mutationRoot, a.Meta.Name})
		if !a.Meta.Definition.IsAsynchronous() {
			return
		}
		f(rootUse{"", subscriptionRoot, a.Meta.Name})
	}
	f(rootUse{"", queryRoot, a.Meta.Name})
}

// claimants lists the tables, functions and native queries of all sources, and the actions.
func (s *Schema) claimants() []claimant {
	var list []claimant
	for _, a := range s.Actions() {
		list = append(list, claimant{id: a.Meta.ID(), action: a})
	}
	for _, source := range s.Sources {
		for _, t := range source.Tables {
			list = append(list, claimant{source: source, id: tableID(t), table: t})
		}
		for _, f := range source.Functions {
			list = append(list, claimant{source: source, id: functionID(f), fn: f})
		}
		for _, q := range source.NativeQueries {
			list = append(list, claimant{source: source, id: q.id(), query: q})
		}
	}
	return list
}

// setRenamed notes which root fields are new since prev, if prev was checked and found to
// be without conflicts: then only these can be in conflict.
func (s *Schema) setRenamed(prev *Schema) {
	if prev == nil {
		return
	}
	if before := prev.roots.Load(); before == nil || len(before.problems) > 0 {
		return
	}
	s.rootsKnown = true
	for _, a := range s.Actions() {
		if o := prev.Action(a.Meta.Name); o == nil || o.Meta.Definition.Type != a.Meta.Definition.Type || o.Meta.Definition.Kind != a.Meta.Definition.Kind {
			s.renamed = append(s.renamed, claimant{id: a.Meta.ID(), action: a})
		}
	}
	for _, source := range s.Sources {
		old := prev.Source(source.Name)
		if old == source {
			continue
		}
		if old == nil || old.Namespace != source.Namespace {
			old = nothing
		}
		for _, t := range source.Tables {
			if o := old.tables[t.Meta.Table]; o == nil || !o.RootFields.sameNames(t.RootFields) {
				s.renamed = append(s.renamed, claimant{source: source, id: tableID(t), table: t})
			}
		}
		for _, f := range source.Functions {
			if !slices.ContainsFunc(old.Functions, func(o *Function) bool { return o.Meta == f.Meta && o.Catalog == f.Catalog }) {
				s.renamed = append(s.renamed, claimant{source: source, id: functionID(f), fn: f})
			}
		}
		for _, q := range source.NativeQueries {
			if o := old.answering(q.key()); o == nil || o.Field.Name != q.Field.Name {
				s.renamed = append(s.renamed, claimant{source: source, id: q.id(), query: q})
			}
		}
	}
}

func (r *RootFields) sameNames(o *RootFields) bool {
	if r == o {
		return true
	}
	names := o.all()
	for i, f := range r.all() {
		if f.Name != names[i].Name {
			return false
		}
	}
	return true
}

// scanned is the number of new claimants up to which every old one is compared with them;
// for more, an index of all names is cheaper.
const scanned = 8

// checkRoots finds root fields that several tables and functions define.
func (s *Schema) checkRoots() []metadata.Inconsistency {
	if c := s.roots.Load(); c != nil {
		return c.problems
	}
	c := &rootCheck{}
	fresh := map[rootUse]bool{}
	relevant := func(u rootUse) bool { return fresh[u] }
	if s.rootsKnown && len(s.renamed) <= scanned {
		for _, r := range s.renamed {
			r.each(&s.options, func(u rootUse) { fresh[u] = true })
		}
	} else {
		relevant = func(rootUse) bool { return true }
	}
	if !s.rootsKnown || len(s.renamed) > 0 {
		c.problems = s.rootConflicts(relevant)
	}
	s.roots.Store(c)
	return c.problems
}

// rootConflicts looks for conflicts about the relevant names.
func (s *Schema) rootConflicts(relevant func(rootUse) bool) []metadata.Inconsistency {
	owners := map[rootUse]metadata.ObjectID{}
	reported := map[[2]metadata.ObjectID]bool{}
	var list []metadata.Inconsistency
	for _, c := range s.claimants() {
		reserved := ""
		c.each(&s.options, func(u rootUse) {
			if !relevant(u) {
				return
			}
			if ReservedRoot(u.name) {
				reserved = u.name
				return
			}
			other, taken := owners[u]
			if !taken {
				owners[u] = c.id
				return
			}
			pair := [2]metadata.ObjectID{other, c.id}
			if reported[pair] {
				return
			}
			reported[pair] = true
			objects := []metadata.InconsistentObject{s.object(other), s.object(c.id)}
			reason := fmt.Sprintf(
				"Encountered conflicting definitions in the selection set for '%s' for field '%s' defined in [%s, %s]. Fields must not be defined more than once across all sources.",
				u.root, u.name, objects[0].Name, objects[1].Name)
			i := conflicting(reason, objects)
			if other.Kind == metadata.ObjectAction || c.action != nil {
				i.Refusal = reason
			}
			list = append(list, i)
		})
		if reserved != "" {
			o := s.object(c.id)
			list = append(list, inconsistent(c.id, o.Definition, fmt.Sprintf(
				"the root field %q of %s can't be: GraphQL and Apollo Federation keep the name for themselves", reserved, o.Name)))
		}
	}
	return list
}

// ReservedRoot reports whether GraphQL or Apollo Federation has root fields of that name, so that the schema leaves out others.
func ReservedRoot(name string) bool {
	return strings.HasPrefix(name, "__") || name == "_service" || name == "_entities"
}

// object describes a table, function or native query in a group of conflicting objects.
func (s *Schema) object(id metadata.ObjectID) metadata.InconsistentObject {
	o := metadata.InconsistentObject{ID: id, Definition: id.Table, Name: s.objectName(id), Type: id.Kind}
	if id.Kind == metadata.ObjectAction {
		o.Definition = actionDefinition(s.Action(id.Name).Meta)
	}
	if id.Kind == metadata.ObjectNativeQuery {
		o.Definition = s.Source(id.Source).Meta.NativeQuery(id.Name)
	}
	if id.Kind == metadata.ObjectStoredProcedure {
		o.Definition = s.Source(id.Source).Meta.StoredProcedure(id.Table)
	}
	if id.Kind == metadata.ObjectFunction {
		functions := s.Source(id.Source).Meta.Functions
		o.Definition = functions[slices.IndexFunc(functions, func(f *metadata.Function) bool { return f.Function == id.Table })]
	}
	return o
}
