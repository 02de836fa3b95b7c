package resolve

import (
	"fmt"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// Published resolves the tables of published changes. reason is why they can't be published, "" when they can.
//
// What a role sees of a row has to follow from the row: what other rows were at a commit isn't known.
func (s *Source) Published(m *metadata.PublishedChanges) (tables []backend.PublishedTable, reason string) {
	if k := metadata.KindNamed(s.Kind); k == nil || !k.Can(metadata.Publications) {
		return nil, "changes of sources of kind " + s.Kind + " can't be published"
	}
	if settings, _ := backend.BoundBySession(s.Dialect); settings != "" {
		return nil, "the source sets something for each session, but policies of the database don't apply to its log"
	}
	for _, name := range m.Tables {
		t := s.Table(name)
		if t == nil {
			return nil, fmt.Sprintf("table %q is not tracked", s.head.display(name))
		}
		published, reason := t.published(m)
		if reason != "" {
			return nil, fmt.Sprintf("in table %q: %s", t.Display(), reason)
		}
		tables = append(tables, published)
	}
	return tables, ""
}

func (t *Table) published(m *metadata.PublishedChanges) (p backend.PublishedTable, reason string) {
	permission := t.SelectPermission(m.Role)
	if permission == nil {
		return p, fmt.Sprintf("role %q has no select permission", m.Role)
	}
	if len(t.PrimaryKey) == 0 {
		return p, "it has no primary key"
	}
	p.Name, p.Filter = t.Meta.Table, permission.Filter
	if permission.NoRows {
		p.Filter = ir.Or{}
	}
	rule := publishedRule{known: m.Session().Variables}
	rule.condition(p.Filter)
	for _, c := range permission.Columns {
		rule.expr(c.Expr())
		p.Columns = append(p.Columns, backend.PublishedColumn{Column: columnOf(c.Column), Value: c.Expr()})
	}
	for _, c := range t.PrimaryKey {
		if seen, ok := permission.Column(c.Name); !ok || seen.Hidden != nil {
			return p, fmt.Sprintf("role %q doesn't see column %q of the primary key", m.Role, c.Name)
		}
		p.Key = append(p.Key, columnOf(c))
	}
	return p, rule.reason
}

func columnOf(c *Column) ir.Column { return ir.Column{Name: c.Name, Type: c.Type} }

// publishedRule looks for what can't be decided from a row. The first reason stays.
type publishedRule struct {
	known  map[string]string // session variables
	reason string
}

func (r *publishedRule) refuse(reason string) {
	if r.reason == "" {
		r.reason = reason
	}
}

func (r *publishedRule) conditions(list []ir.BoolExp) {
	for _, e := range list {
		r.condition(e)
	}
}

func (r *publishedRule) condition(e ir.BoolExp) {
	switch e := e.(type) {
	case nil:
	case ir.And:
		r.conditions(e.Exps)
	case ir.Or:
		r.conditions(e.Exps)
	case ir.Not:
		r.condition(e.Exp)
	case ir.Rule:
		r.condition(e.Exp)
	case ir.Compare:
		r.expr(e.Left)
		for _, v := range e.Args {
			r.value(v)
		}
	case ir.CompareColumn:
		r.expr(e.Left)
	case ir.IsNull:
		r.expr(e.Expr)
	default: // Exists, AggregateCompare
		r.refuse("the rule of the role depends on other rows, which isn't supported for published changes")
	}
}

func (r *publishedRule) expr(e ir.Expr) {
	switch e := e.(type) {
	case nil:
	case ir.Column:
	case ir.Redacted:
		r.condition(e.When)
		r.expr(e.Expr)
		r.expr(e.Else)
	case ir.Masked: // it computes from the row
		r.value(e.Value)
	case ir.Cast:
		r.expr(e.Expr)
	case ir.JSONPath:
		r.expr(e.Expr)
	case ir.JSONValue:
		r.expr(e.Expr)
	case ir.Upper:
		r.expr(e.Expr)
	default: // Call
		r.refuse("the rule of the role calls a function, which isn't supported for published changes")
	}
}

func (r *publishedRule) value(v ir.Value) {
	switch v := v.(type) {
	case ir.SessionVar:
		if _, ok := r.known[v.Name]; !ok {
			r.refuse(fmt.Sprintf("the rule of the role needs the session variable %q", v.Name))
		}
	case ir.Lookup:
		r.refuse("the rule of the role depends on other rows, which isn't supported for published changes")
	}
}

// checkPublished checks the published changes of the source.
func (s *Source) checkPublished() []metadata.Inconsistency {
	var list []metadata.Inconsistency
	for _, m := range s.Meta.PublishedChanges {
		if _, reason := s.Published(m); reason != "" {
			list = append(list, inconsistent(metadata.PublishedID(s.Name, m.Name), m, fmt.Sprintf("in published changes %q: %s", m.Name, reason)))
		}
	}
	return list
}

// publishedNeeds lists what published changes need: their tables, and what the role may read of these.
func (s *Source) publishedNeeds() []objectNeeds {
	var list []objectNeeds
	for _, m := range s.Meta.PublishedChanges {
		o := objectNeeds{id: metadata.PublishedID(s.Name, m.Name)}
		for _, name := range m.Tables {
			if t := s.Table(name); t != nil {
				o.needs = append(o.needs, need{id: tableID(t)}, need{id: permissionID(t, selectKind, m.Role)})
			}
		}
		list = append(list, o)
	}
	return list
}
