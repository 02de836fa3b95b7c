package sqlrows

import (
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// setCalls is how a function of the row that returns any number of values is called.
type setCalls uint8

const (
	// setsPlain calls it where it stands. Among ordering keys, the row comes once for each
	// value; in a condition the database refuses it.
	setsPlain setCalls = iota
	// setsSingle wants one value: none is NULL, and the database refuses several.
	setsSingle
	// setsInner calls it in the sub-select that the row comes from, which then has a row for
	// each value.
	setsInner
)

// SetCall renders the call of a function that returns any number of values, where it isn't called
// as it stands.
func (r *Renderer) SetCall(e ir.Call, in *sqltext.Scope) (string, bool) {
	if !e.Set || OriginOf(in).sets == setsPlain {
		return "", false
	}
	if OriginOf(in).sets == setsInner {
		inner := OriginOf(in).Inner
		call := r.Expr(e, inner.rowOf)
		i := slices.IndexFunc(inner.Items, func(item string) bool { return strings.HasPrefix(item, call+" AS ") })
		if i < 0 {
			i = len(inner.Items)
			inner.Items = append(inner.Items, call+" AS "+r.Spelling.Quote("?set"+strconv.Itoa(i)))
		}
		return r.Column(in, "?set"+strconv.Itoa(i)), true
	}
	return "(" + r.setValues(e, in) + ")", true
}

// setValues selects the values.
func (r *Renderer) setValues(e ir.Call, in *sqltext.Scope) string {
	values := "SELECT " + r.Call(e.Function, e.Args, in)
	if in.Marker != "" {
		values += " WHERE " + in.Marker + " IS NOT NULL"
	}
	return values
}

// Single renders a field, which has one value.
func (r *Renderer) Single(e ir.Expr, in *sqltext.Scope) string {
	if _, ok := setIn(e); !ok {
		return r.Expr(e, in)
	}
	one := *in
	one.Own = Origin{Inner: OriginOf(in).Inner, sets: setsSingle}
	return r.Expr(e, &one)
}

// AllPresent holds when each function of the fields that returns any number of values returns
// some; empty when there is none.
func (r *Renderer) AllPresent(fields []ir.Field, in *sqltext.Scope) string {
	var present []string
	for _, f := range fields {
		scalar, _ := f.Value.(ir.Scalar)
		if e, ok := setIn(scalar.Expr); ok {
			present = append(present, "EXISTS ("+r.setValues(e, in)+")")
		}
	}
	if present == nil {
		return ""
	}
	return r.Conjunction(present)
}

// aggregatesSets reports whether values that are aggregated come from such functions.
func aggregatesSets(fields []ir.AggregateField) bool {
	return slices.ContainsFunc(fields, func(f ir.AggregateField) bool {
		aggregates, _ := f.Value.(ir.Aggregates)
		return slices.ContainsFunc(aggregates, func(a ir.AggregateExpr) bool {
			call, ok := a.Value.(*ir.AggregateCall)
			return ok && slices.ContainsFunc(call.Columns, func(c ir.AggregateColumn) bool {
				scalar, _ := c.Value.(ir.Scalar)
				_, ok := setIn(scalar.Expr)
				return ok
			})
		})
	})
}

// setIn finds the call of such a function in an expression.
func setIn(e ir.Expr) (ir.Call, bool) {
	switch e := e.(type) {
	case ir.Call:
		return e, e.Set
	case ir.JSONPath:
		return setIn(e.Expr)
	case ir.JSONValue:
		return setIn(e.Expr)
	case ir.Redacted:
		return setIn(e.Expr)
	}
	return ir.Call{}, false
}
