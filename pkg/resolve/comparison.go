package resolve

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// subject is what a comparison in a rule is about: a column, a computed field or a cast.
type subject struct {
	name     string
	expr     ir.Expr
	typ      catalog.Type
	nullable bool
	enum     *Enum
}

// columnOps are the operators that compare with another column.
var columnOps = map[string]ir.Op{
	"_ceq": ir.OpEq, "_cne": ir.OpNeq, "_cneq": ir.OpNeq,
	"_cgt": ir.OpGt, "_clt": ir.OpLt, "_cgte": ir.OpGte, "_clte": ir.OpLte,
}

// comparison parses an object of operators, or a literal that the subject must equal.
func (p ruleParser) comparison(t *Table, s subject, raw json.RawMessage) (ir.BoolExp, error) {
	list, ok := members(raw)
	if !ok && p.reader != nil && isNull(raw) {
		return ir.IsNull{Expr: s.expr}, nil
	}
	if !ok {
		v, err := p.operand(s.typ, s.enum, raw)
		return ir.Compare{Left: s.expr, Op: ir.OpEq, Args: []ir.Value{v}, NullSafe: isNullLiteral(v)}, err
	}
	return all(list, func(m member) (ir.BoolExp, error) { return p.operation(t, s, m.key, m.value) })
}

// operation parses one operator; $op is another spelling of _op.
func (p ruleParser) operation(t *Table, s subject, key string, raw json.RawMessage) (ir.BoolExp, error) {
	name := key
	if strings.HasPrefix(key, "$") {
		name = "_" + key[1:]
	}
	switch name {
	case "_cast":
		return p.cast(t, s, raw)
	case "_is_null":
		switch metadata.JSONType(raw) {
		case "Boolean":
			return ir.IsNull{Expr: s.expr, Not: string(bytes.TrimSpace(raw)) == "false"}, nil
		default:
			return nil, unexpected("Bool", "Boolean", raw)
		}
	case "_ne":
		name = string(ir.OpNeq)
	}
	if op, ok := columnOps[name]; ok {
		return p.columnComparison(t, s, op, raw)
	}
	o, err := p.operator(s, key, ir.Op(name))
	if err != nil {
		return nil, err
	}
	if p.reader != nil && isNull(raw) && (o.Op == ir.OpEq || o.Op == ir.OpNeq) {
		return ir.IsNull{Expr: s.expr, Not: o.Op == ir.OpNeq}, nil
	}
	if values, ok := elements(raw); ok && o.Operand == backend.OperandList && s.typ.IsArray() {
		return p.amongArrays(s, o.Op == ir.OpNin, values)
	}
	args, err := p.operands(s, o, raw)
	if err != nil {
		return nil, err
	}
	// Against NULL a nullable column is compared as if NULL were a value. No other operand
	// can be NULL: a missing session variable is an error.
	nullSafe := s.nullable && (o.Op == ir.OpEq || o.Op == ir.OpNeq) && isNullLiteral(args[0])
	return ir.Compare{Left: s.expr, Op: o.Op, Args: args, NullSafe: nullSafe}, nil
}

// amongArrays parses _in and _nin on an array: a list of arrays is not an array of arrays, so
// each is compared by itself.
func (p ruleParser) amongArrays(s subject, negated bool, values []json.RawMessage) (ir.BoolExp, error) {
	exps := make([]ir.BoolExp, len(values))
	for i, raw := range values {
		v, err := parseLiteral(p.dialect, s.typ, nil, raw)
		if err != nil {
			return nil, apierror.At(err, i)
		}
		exps[i] = ir.Compare{Left: s.expr, Op: ir.OpEq, Args: []ir.Value{v}}
	}
	if negated {
		return ir.Not{Exp: ir.Or{Exps: exps}}, nil
	}
	return ir.Or{Exps: exps}, nil
}

func isNullLiteral(v ir.Value) bool {
	l, ok := v.(ir.Literal)
	return ok && l.Null
}

// operator is the row of the operator for the subject's type.
func (p ruleParser) operator(s subject, key string, op ir.Op) (*backend.Operator, error) {
	o := p.dialect.Operator(op)
	if o == nil || !o.Rule {
		return nil, apierror.Newf(apierror.UnexpectedPayload, "Unknown operator: %s", key)
	}
	if o.Columns == "" {
		return o, nil
	}
	for _, own := range p.dialect.Operators(s.typ) {
		if own.Op == op {
			return own, nil
		}
	}
	// The space in front is part of the wire format.
	return nil, apierror.Newf(apierror.UnexpectedPayload, " is of type %q; this operator works only on columns of type %s",
		typeName(p.dialect, s.typ), o.Columns)
}

// operands parses what the operator takes.
func (p ruleParser) operands(s subject, o *backend.Operator, raw json.RawMessage) ([]ir.Value, error) {
	var v ir.Value
	var err error
	switch o.Operand {
	case backend.OperandObject:
		return p.objectOperands(o, raw)
	case backend.OperandSame:
		v, err = p.operand(s.typ, s.enum, raw)
	case backend.OperandList:
		v, err = p.list(s.typ, s.enum, raw)
	case backend.OperandText:
		v, err = p.operand(p.dialect.Builtin(backend.TypeText), nil, raw)
	case backend.OperandTextList:
		v, err = p.list(p.dialect.Builtin(backend.TypeText), nil, raw)
	default:
		v, err = p.operand(o.Type, nil, raw)
	}
	return []ir.Value{v}, err
}

// objectOperands parses an object with a value for each operand.
func (p ruleParser) objectOperands(o *backend.Operator, raw json.RawMessage) ([]ir.Value, error) {
	list, ok := members(raw)
	if !ok {
		return nil, unexpected(o.Object, "Object", raw)
	}
	var args []ir.Value
	for _, f := range o.ObjectFields {
		value := find(list, f.Name)
		switch {
		case value == nil && f.Default != "":
			value = json.RawMessage(f.Default)
		case value == nil && f.Required:
			return nil, apierror.Newf(apierror.ParseFailed, "key %q not found", f.Name)
		}
		v, err := p.operand(f.Type, nil, value)
		if err != nil {
			return nil, apierror.At(err, f.Name)
		}
		args = append(args, v)
	}
	return args, nil
}

func (p ruleParser) operand(t catalog.Type, enum *Enum, raw json.RawMessage) (ir.Value, error) {
	if p.reader != nil {
		return parseLiteral(p.dialect, t, enum, raw)
	}
	return parseOperand(p.dialect, t, enum, raw)
}

// parseOperand parses a literal, or a reference to a session variable, of type t.
func parseOperand(d backend.TypeSystem, t catalog.Type, enum *Enum, raw json.RawMessage) (ir.Value, error) {
	if s, ok := text(raw); ok {
		if name, ok := session.Reference(s); ok {
			return ir.SessionVar{Name: name, Type: t, Wrap: d.Scalar(t).SessionWrap}, nil
		}
	}
	return parseLiteral(d, t, enum, raw)
}

// parseLiteral parses a literal of type t.
func parseLiteral(d backend.TypeSystem, t catalog.Type, enum *Enum, raw json.RawMessage) (ir.Value, error) {
	if isNull(raw) {
		return ir.Literal{Null: true, Type: t}, nil
	}
	if enum != nil {
		if err := enum.check(raw); err != nil {
			return nil, err
		}
	}
	input, err := d.ParseInput(t, raw)
	return ir.Literal{Text: input.Text, Type: t, Wrap: input.Wrap}, err
}

// list parses a list of literals of type t, or a reference to a session variable that
// holds the whole list. References inside the list are literals.
func (p ruleParser) list(t catalog.Type, enum *Enum, raw json.RawMessage) (ir.Value, error) {
	if s, ok := text(raw); ok && p.reader == nil {
		if name, ok := session.Reference(s); ok {
			return ir.SessionVar{Name: name, Type: t, List: true}, nil
		}
	}
	values, ok := elements(raw)
	if !ok {
		return nil, unexpected("[]", "Array", raw)
	}
	for i, v := range values {
		if enum == nil || isNull(v) {
			continue
		}
		if err := enum.check(v); err != nil {
			return nil, apierror.At(err, i)
		}
	}
	input, err := p.dialect.ParseList(t, raw)
	return ir.Literal{Text: input.Text, Type: t, List: true, Wrap: input.Wrap}, err
}

// check refuses what isn't one of the enum's values.
func (e *Enum) check(raw json.RawMessage) error {
	s, ok := text(raw)
	if !ok {
		return unexpected("Text", "String", raw)
	}
	names := make([]string, len(e.EnumValues))
	for i, v := range e.EnumValues {
		if v.Value == s {
			return nil
		}
		names[i] = "'" + v.Value + "'"
	}
	return apierror.Newf(apierror.UnexpectedPayload, "expected one of the values [%s] for type '%s_enum', but found '%s'",
		strings.Join(names, ", "), e.Name, s)
}

// cast parses {"<type>": comparison}.
func (p ruleParser) cast(t *Table, s subject, raw json.RawMessage) (ir.BoolExp, error) {
	list, ok := members(raw)
	if !ok {
		return nil, unexpected("cast", "Object", raw)
	}
	for _, m := range list {
		if _, ok := p.castTarget(s.typ, m.key); !ok {
			return nil, apierror.Newf(apierror.UnexpectedPayload, "cannot cast column of type %q to type %q", typeName(p.dialect, s.typ), m.key)
		}
	}
	return all(list, func(m member) (ir.BoolExp, error) {
		target, _ := p.castTarget(s.typ, m.key)
		return p.comparison(t, subject{name: s.name, expr: ir.Cast{Expr: s.expr, Type: target}, typ: target, nullable: true}, m.value)
	})
}

// castTarget is the type that a cast leads to. Requests may compare the text of any value, as they may read it.
func (p ruleParser) castTarget(of catalog.Type, name string) (catalog.Type, bool) {
	if target, ok := p.dialect.CanCast(of, name); ok {
		return target, true
	}
	if p.reader != nil && name == "text" && p.dialect.Tables().TextOfAll {
		return p.dialect.Builtin(backend.TypeText), true
	}
	return catalog.Type{}, false
}

// withoutEquality reports whether a comparison asks for nothing but NULL and other types: that is what values that can't be
// compared themselves allow.
func withoutEquality(raw json.RawMessage) bool {
	list, ok := members(raw)
	return ok && !slices.ContainsFunc(list, func(m member) bool {
		return !slices.Contains([]string{"cast", "is_null"}, strings.TrimLeft(m.key, "$_"))
	})
}

// columnComparison parses the other column: "col" and ["col"] are of the table in scope,
// ["$", "col"] is of the root table.
func (p ruleParser) columnComparison(t *Table, s subject, op ir.Op, raw json.RawMessage) (ir.BoolExp, error) {
	path, err := columnPath(raw)
	if err != nil {
		return nil, err
	}
	name := path[len(path)-1]
	scope := t
	if len(path) == 2 {
		if path[0] != "$" {
			return nil, longPath()
		}
		scope = p.root
	}
	c := scope.Column(name)
	if c == nil {
		if kind := scope.fieldKind(name); kind != "" {
			return nil, apierror.Newf(apierror.UnexpectedPayload,
				"expecting a database column; but, %q is a %s; column operators can only compare table columns", name, kind)
		}
		return nil, apierror.Newf(apierror.NotExists, "column %q does not exist", name)
	}
	if !sameType(s.typ, c.Type) {
		return nil, apierror.Newf(apierror.UnexpectedPayload, "incompatible column types: %q has type %q, but %q has type %q",
			s.name, typeName(p.dialect, s.typ), name, typeName(p.dialect, c.Type))
	}
	p.tracker.needType(columnID(scope, name))
	if err := p.reader.plain(scope, c); err != nil {
		return nil, err
	}
	return ir.CompareColumn{Left: s.expr, Op: op, Right: ir.Column{Name: name, Type: c.Type, Root: len(path) == 2 && p.nested}}, nil
}

func columnPath(raw json.RawMessage) ([]string, error) {
	if s, ok := text(raw); ok {
		return []string{s}, nil
	}
	list, ok := elements(raw)
	if !ok {
		return nil, apierror.New(apierror.UnexpectedPayload, "a boolean expression JSON must be either a string or an array")
	}
	var path []string
	for i, e := range list {
		s, ok := text(e)
		if !ok {
			return nil, apierror.At(unexpected("Text", "String", e), i)
		}
		path = append(path, s)
	}
	switch len(path) {
	case 0:
		return nil, apierror.New(apierror.UnexpectedPayload, "path cannot be empty")
	case 1, 2:
		return path, nil
	}
	return nil, longPath()
}

func longPath() error {
	return apierror.New(apierror.UnexpectedPayload, "Relationship references are not supported in column comparison RHS")
}

func sameType(a, b catalog.Type) bool {
	return a.Name == b.Name && a.Schema == b.Schema && a.Dims == b.Dims && slices.Equal(a.Labels, b.Labels)
}
