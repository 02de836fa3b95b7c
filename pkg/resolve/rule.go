package resolve

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// ParseRule parses a permission rule for rows of t; nil is true. An error carries its path
// relative to the rule ("$.title._like").
func ParseRule(t *Table, rule json.RawMessage) (ir.BoolExp, error) {
	return parseRule(t, rule, &tracker{})
}

func parseRule(t *Table, rule json.RawMessage, k *tracker) (ir.BoolExp, error) {
	if len(rule) > 0 && !json.Valid(rule) {
		return nil, apierror.New(apierror.ParseFailed, "invalid JSON")
	}
	p := ruleParser{root: t, tracker: k, dialect: t.Source.Dialect}
	exp, err := p.rule(t, rule)
	if err != nil {
		return nil, err
	}
	return always(exp), nil
}

// ruleParser parses one rule. Its methods take the table in scope, which is another one
// than root inside relationships and _exists.
type ruleParser struct {
	root    *Table
	nested  bool // the scope isn't root's row
	dialect backend.Dialect
	tracker *tracker
	// reader is nil for a rule, and whose condition it is for one of a request.
	reader *reader
}

// inside is the parser for the rows of another relation.
func (p ruleParser) inside() ruleParser {
	p.nested = true
	return p
}

// rule parses an object of fields and combinators.
func (p ruleParser) rule(t *Table, raw json.RawMessage) (ir.BoolExp, error) {
	list, ok := members(raw)
	if !ok {
		return nil, unexpected("boolean expression", "Object", raw)
	}
	return all(list, func(m member) (ir.BoolExp, error) {
		switch m.key {
		case "_and", "$and":
			exps, err := p.rules(t, m.value)
			return ir.And{Exps: exps}, err
		case "_or", "$or":
			exps, err := p.rules(t, m.value)
			return ir.Or{Exps: exps}, err
		case "_not", "$not":
			exp, err := p.rule(t, m.value)
			return ir.Not{Exp: exp}, err
		case "_exists", "$exists":
			return p.exists(t, m.value)
		}
		return p.field(t, m.key, m.value)
	})
}

// all parses every member with f; all of them must hold.
func all(list []member, f func(member) (ir.BoolExp, error)) (ir.BoolExp, error) {
	exps := make([]ir.BoolExp, len(list))
	for i, m := range list {
		exp, err := f(m)
		if err != nil {
			return nil, apierror.At(err, m.key)
		}
		exps[i] = exp
	}
	if len(exps) == 1 {
		return exps[0], nil
	}
	return ir.And{Exps: exps}, nil
}

func (p ruleParser) rules(t *Table, raw json.RawMessage) ([]ir.BoolExp, error) {
	list, ok := elements(raw)
	if !ok {
		return nil, unexpected("[]", "Array", raw)
	}
	exps := make([]ir.BoolExp, len(list))
	for i, e := range list {
		exp, err := p.rule(t, e)
		if err != nil {
			return nil, apierror.At(err, i)
		}
		exps[i] = exp
	}
	return exps, nil
}

// exists parses {"_table": T, "_where": rule}.
func (p ruleParser) exists(t *Table, raw json.RawMessage) (ir.BoolExp, error) {
	list, ok := members(raw)
	if !ok {
		return nil, unexpected("_exists", "Object", raw)
	}
	table, where := find(list, "_table"), find(list, "_where")
	if table == nil {
		return nil, apierror.New(apierror.ParseFailed, `key "_table" not found`)
	}
	if where == nil {
		return nil, apierror.New(apierror.ParseFailed, `key "_where" not found`)
	}
	var name catalog.Name
	if err := json.Unmarshal(table, &name); err != nil {
		return nil, apierror.At(err, "_table")
	}
	name = t.Source.Meta.Qualified(name)
	p.tracker.table(t.Source, name)
	target := t.Source.Table(name)
	if target == nil {
		return nil, apierror.At(noSuchTable(name, t.Source), "_table")
	}
	p.tracker.need(tableID(target))
	visible, err := p.reader.rows(target, "")
	if err != nil {
		return nil, apierror.At(err, "_table")
	}
	exp, err := p.inside().rule(target, where)
	if err != nil {
		return nil, apierror.At(err, "_where")
	}
	return ir.Exists{From: ir.TableOf(target.Catalog), Where: both(visible, exp)}, nil
}

func find(list []member, key string) json.RawMessage {
	for _, m := range list {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func noSuchTable(name catalog.Name, s *Source) error {
	return apierror.New(apierror.NotExists, missingTable(s.head.display(name), s.Name).reason)
}

// field parses the value of a column, relationship or computed field.
func (p ruleParser) field(t *Table, name string, raw json.RawMessage) (ir.BoolExp, error) {
	if c := t.Column(name); c != nil {
		if c.Scalar.Incomparable && (p.reader == nil || !withoutEquality(raw)) {
			return nil, apierror.New(apierror.UnexpectedPayload, "JSON column can not be part of boolean expression")
		}
		p.tracker.needType(columnID(t, name))
		expr, err := p.reader.column(t, c)
		if err != nil {
			return nil, err
		}
		return p.comparison(t, subject{name: name, expr: expr, typ: c.Type, nullable: c.Nullable, enum: c.Enum}, raw)
	}
	for array, list := range [][]*metadata.Relationship{t.Meta.ObjectRelationships, t.Meta.ArrayRelationships} {
		for _, m := range list {
			if m.Name == name {
				return p.relationship(t, m, array == 1, raw)
			}
		}
	}
	for _, m := range t.Meta.ComputedFields {
		if m.Name == name {
			return p.computedField(t, m, raw)
		}
	}
	for _, m := range t.Meta.RemoteRelationships {
		if m.Name == name {
			return p.lookup(t, m, raw)
		}
	}
	return nil, noSuchField(name)
}

func noSuchField(name string) error {
	return apierror.Newf(apierror.NotExists, "%q does not exist", name)
}

// relationship parses a rule on the related rows: one of them must satisfy it.
func (p ruleParser) relationship(t *Table, m *metadata.Relationship, array bool, raw json.RawMessage) (ir.BoolExp, error) {
	p.tracker.table(t.Source, t.relationshipTarget(m))
	r := t.Relationship(m.Name)
	if r == nil {
		if target := t.relationshipTarget(m); target != (catalog.Name{}) && t.Source.Table(target) == nil {
			return nil, noSuchTable(target, t.Source)
		}
		return nil, noSuchField(m.Name)
	}
	kind := metadata.ObjectObjectRelation
	if array {
		kind = metadata.ObjectArrayRelation
	}
	p.tracker.need(fieldID(t, kind, m.Name))
	p.tracker.need(tableID(r.Target))
	visible, err := p.reader.rows(r.Target, m.Name)
	if err != nil {
		return nil, err
	}
	exp, err := p.inside().rule(r.Target, raw)
	if err != nil {
		return nil, err
	}
	return ir.Exists{From: ir.TableOf(r.Target.Catalog), Join: r.Join, Unique: r.Unique, Where: both(visible, exp)}, nil
}

// relationshipTarget is the table that a relationship leads to, tracked or not; the zero
// name when it isn't known.
func (t *Table) relationshipTarget(m *metadata.Relationship) catalog.Name {
	switch u := m.Using; {
	case u.Manual != nil:
		return u.Manual.RemoteTable
	case u.Remote != nil:
		return u.Remote.Table
	}
	key, problem := oneKey(t.Catalog.ForeignKeys, m.Using.Columns, nil)
	if problem.reason != "" {
		return catalog.Name{}
	}
	return key.Target
}

// computedField parses a comparison with the value, or a rule on the rows, of a computed
// field that the client passes no arguments to.
func (p ruleParser) computedField(t *Table, m *metadata.ComputedField, raw json.RawMessage) (ir.BoolExp, error) {
	t.trackComputedField(m, p.tracker)
	f := t.ComputedField(m.Name)
	if f == nil {
		return nil, noSuchField(m.Name)
	}
	if len(f.Args) > 0 {
		return nil, apierror.New(apierror.UnexpectedPayload, "Computed columns with input arguments can not be part of the where clause")
	}
	p.tracker.need(fieldID(t, metadata.ObjectComputedField, m.Name))
	if f.Returns == nil {
		expr, err := p.reader.computed(t, f)
		if err != nil {
			return nil, err
		}
		return p.comparison(t, subject{name: m.Name, expr: expr, typ: f.Type, nullable: true}, raw)
	}
	if f.Listed {
		if err := p.reader.listed(t, f); err != nil {
			return nil, err
		}
	}
	visible, err := p.reader.rows(f.Returns, m.Name)
	if err != nil {
		return nil, err
	}
	exp, err := p.inside().rule(f.Returns, raw)
	if err != nil {
		return nil, err
	}
	from := ir.Function{Name: f.Function.Name, Args: f.CallArgs(), Single: !f.Function.ReturnsSet}
	return ir.Exists{From: from, Where: both(visible, exp)}, nil
}
