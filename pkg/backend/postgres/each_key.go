package postgres

import (
	"context"
	"encoding/json"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsontext"
)

// eachKey is a query of what belongs to keys that the caller supplies, where the database can't read lists next to a relation of these: it
// runs for one key after the other, and goes to the node that has the rows.
type eachKey struct {
	*statement
	keys  ir.Keys
	alias string
}

// eachKeyOf makes a root that is read by keys one for a single key, whose columns are variables from the one with the keys on; false for all
// others.
func eachKeyOf(root ir.Root) (ir.Root, *eachKey, bool) {
	s, ok := root.(*ir.Select)
	if !ok || len(s.Fields) != 1 {
		return nil, nil, false
	}
	keys, ok := s.From.(ir.Keys)
	nested, related := s.Fields[0].Value.(*ir.Nested)
	if !ok || !related || !lists(nested) || len(nested.Join) == 0 {
		return nil, nil, false
	}
	var same []ir.BoolExp
	for _, pair := range nested.Join {
		i := slices.IndexFunc(keys.Columns, func(c ir.Column) bool { return c.Name == pair.Outer })
		if i < 0 {
			return nil, nil, false
		}
		t := keys.Columns[i].Type
		same = append(same, ir.Compare{Left: ir.Column{Name: pair.Inner, Type: t}, Op: ir.OpEq, Args: []ir.Value{ir.Variable{Index: keys.Index + i, Type: t}}})
	}
	of := &eachKey{keys: keys, alias: s.Fields[0].Alias}
	switch r := nested.Root.(type) {
	case *ir.Select:
		one := *r
		one.Where = both(same, r.Where)
		return &one, of, true
	case *ir.Aggregate:
		one := *r
		one.Where = both(same, r.Where)
		return &one, of, true
	}
	return nil, nil, false
}

func both(same []ir.BoolExp, where ir.BoolExp) ir.BoolExp {
	if where != nil {
		same = append(same, where)
	}
	return ir.And{Exps: same}
}

// lists reports whether what is related to a row has more than rows that can be joined to it.
func lists(n *ir.Nested) bool {
	s, ok := n.Root.(*ir.Select)
	return !ok || !s.One || slices.ContainsFunc(s.Fields, func(f ir.Field) bool {
		below, ok := f.Value.(*ir.Nested)
		return ok && lists(below)
	})
}

// queryEach runs a statement for each of its keys.
func (s *Server) queryEach(ctx context.Context, e *eachKey, a backend.Args, out *backend.Answer) error {
	var keys []map[string]json.RawMessage
	if err := json.Unmarshal(a.Variables[e.keys.Index], &keys); err != nil {
		return apierror.New(apierror.Unexpected, "the keys of a join are malformed").WithInternal(err.Error())
	}
	given := a.Variables[:e.keys.Index:e.keys.Index]
	out.Buf = append(out.Buf, '[')
	for i, key := range keys {
		if i > 0 {
			out.Buf = append(out.Buf, ',')
		}
		a.Variables = given
		for _, c := range e.keys.Columns {
			a.Variables = append(a.Variables, keyText(key[c.Name]))
		}
		out.Buf = append(jsontext.AppendString(append(out.Buf, '{'), e.alias), ':')
		one := backend.NewAnswer(nil, nil, 0)
		if err := s.Query(ctx, e.statement, a, one); err != nil {
			return err
		}
		out.Buf = append(append(out.Buf, one.Buf...), '}')
	}
	out.Buf = append(out.Buf, ']')
	return nil
}

// keyText is the text of a value of a key; nil for NULL.
func keyText(value json.RawMessage) []byte {
	var text *string
	if json.Unmarshal(value, &text) != nil { // it isn't a string
		return value
	}
	if text == nil {
		return nil
	}
	return []byte(*text)
}
