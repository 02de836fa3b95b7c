package read

import (
	"encoding/json"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// longestPath is how many keys a path may have: a statement has all of them.
const longestPath = 64

// Keys plans a path that is a list of keys. It is a constant of the plan, so that the database can use an index on the part that it
// leads to.
func (p *Planner) Keys(at schema.Ref, v input.Value) ([]string, error) {
	path := []string{}
	err := p.List(at, v, func(item schema.Ref, v input.Value) error {
		if len(path) == longestPath {
			return p.Fail("a path has %d keys at most", longestPath)
		}
		key, err := p.Constant(item, v)
		path = append(path, key)
		return err
	})
	return path, err
}

// KeyList is Keys as an operand.
func (p *Planner) KeyList(at schema.Ref, v input.Value) (ir.Value, error) {
	keys, err := p.Keys(at, v)
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	text := p.Source.Dialect.Builtin(backend.TypeText)
	read, err := p.Source.Dialect.ParseList(text, list)
	return ir.Literal{Text: read.Text, Type: text, List: true, Wrap: read.Wrap}, err
}

// conditionsAt plans conditions on parts of a JSON value.
func (p *Planner) conditionsAt(at schema.Ref, v input.Value, left ir.Expr) (ir.BoolExp, error) {
	var list []ir.BoolExp
	err := p.List(at, v, func(item schema.Ref, v input.Value) error {
		return p.partsAt(item, v, func(path []string, m schema.JSONKind, in *schema.Input, v input.Value) error {
			e, err := p.comparison(in.Type, v, valueAt(left, path, m), m.Operand)
			if e != nil {
				list = append(list, e)
			}
			return err
		})
	})
	return All(list), err
}

// orderAt plans orderings by parts of the JSON columns and computed fields of a row.
func (p *Planner) orderAt(at schema.Ref, v input.Value, add func(ir.OrderItem)) error {
	return p.Object(at, v, func(in *schema.Input, v input.Value) error {
		v, null, err := p.IsNull(in.Type, v, input.LookShape)
		if err != nil || null {
			return err
		}
		of := p.valueOf(in)
		return p.partsAt(in.Type, v, func(path []string, m schema.JSONKind, in *schema.Input, v input.Value) error {
			v, null, err := p.IsNull(in.Type, v, input.LookValue)
			if err != nil || null {
				return err
			}
			return p.direction(in.Type, v, ir.OrderExpr{Expr: valueAt(of, path, m)}, add)
		})
	})
}

// valueAt is the part of a JSON value, read as a kind.
func valueAt(e ir.Expr, path []string, m schema.JSONKind) ir.Expr {
	return ir.JSONValue{Expr: e, Path: path, Kind: m.Name, Type: m.Type}
}

// partsAt walks an object that has a path, and what is wanted of the part there.
func (p *Planner) partsAt(at schema.Ref, v input.Value, f func(path []string, m schema.JSONKind, in *schema.Input, v input.Value) error) error {
	type wanted struct {
		in *schema.Input
		v  input.Value
	}
	var path []string
	var list []wanted
	err := p.Object(at, v, func(in *schema.Input, v input.Value) (err error) {
		if in.Meaning == schema.ArgPath {
			path, err = p.Keys(in.Type, v)
			return err
		}
		list = append(list, wanted{in, v})
		return nil
	})
	if err != nil {
		return err
	}
	for _, w := range list {
		m, _ := w.in.Meaning.(schema.JSONKind)
		p.Push(w.in.Name)
		if err := f(path, m, w.in, w.v); err != nil {
			return err
		}
		p.Pop()
	}
	return nil
}
