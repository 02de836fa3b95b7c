// Package rewrite holds passes over plans that no dialect has a part in: what they leave out or
// put in another way means the same in every database.
package rewrite

import (
	"reflect"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Known is what is certain of a row: the table that it is a row of, and conditions
// that it satisfies.
//
// Permissions on related tables often say the same of the same row: lines are visible where
// their invoice is one of the user's, and invoices are where they are the user's. Read along
// the relationship, the second one holds already, and asking again would join the table again.
type Known struct {
	table      catalog.Name
	conditions []ir.BoolExp
}

// Know is what is certain of a row of from that satisfies where.
func Know(from ir.From, where ir.BoolExp) Known {
	t, ok := from.(ir.Table)
	if !ok {
		return Known{}
	}
	return Known{table: t.Name, conditions: terms(nil, where)}
}

// terms appends the conditions that must all hold for e to hold. Those that mention the root of
// a rule mean something else at another place and are left out.
func terms(list []ir.BoolExp, e ir.BoolExp) []ir.BoolExp {
	switch e := e.(type) {
	case nil:
		return list
	case ir.And:
		for _, term := range e.Exps {
			list = terms(list, term)
		}
		return list
	case ir.Rule:
		return terms(list, e.Exp)
	}
	if mentionsRoot(e) {
		return list
	}
	return append(list, e)
}

// Along adds to a condition what is known of joined columns: those of outer that have a value give it to the other side. It follows from the
// join, but a database that looks for the node of each relation may not see that.
func Along(where ir.BoolExp, join []ir.JoinPair, outer *Known) ir.BoolExp {
	var known []ir.BoolExp
	for _, pair := range join {
		for _, c := range outer.conditions {
			same, ok := c.(ir.Compare)
			column, is := same.Left.(ir.Column)
			if ok && is && same.Op == ir.OpEq && column.Name == pair.Outer && !column.Root && len(same.Args) == 1 {
				column.Name = pair.Inner
				known = append(known, ir.Compare{Left: column, Op: ir.OpEq, Args: same.Args})
			}
		}
	}
	switch {
	case known == nil:
		return where
	case where != nil:
		known = append(known, where)
	}
	return ir.And{Exps: known}
}

// Satisfies reports whether a condition is certain to hold.
func (k *Known) Satisfies(e ir.BoolExp) bool {
	switch e := e.(type) {
	case nil:
		return true
	case ir.And:
		for _, term := range e.Exps {
			if !k.Satisfies(term) {
				return false
			}
		}
		return true
	case ir.Rule:
		return k.Satisfies(e.Exp)
	}
	for _, c := range k.conditions {
		if reflect.DeepEqual(c, e) {
			return true
		}
	}
	return false
}

// Open is what is left to ask of rows that join leads to from a row of which outer is known:
// where, without what only says of that row what is certain. outer may be nil.
func Open(where ir.BoolExp, join []ir.JoinPair, outer *Known) ir.BoolExp {
	if outer == nil || outer.table == (catalog.Name{}) || len(join) == 0 {
		return where
	}
	switch e := where.(type) {
	case ir.And:
		left := make([]ir.BoolExp, len(e.Exps))
		for i, term := range e.Exps {
			left[i] = Open(term, join, outer)
		}
		return ir.And{Exps: left}
	case ir.Rule:
		return ir.Rule{Exp: Open(e.Exp, join, outer)}
	case ir.Exists:
		t, ok := e.From.(ir.Table)
		if ok && t.Name == outer.table && inverse(e.Join, join) && outer.Satisfies(e.Where) {
			return ir.And{} // the row of outer is there
		}
	}
	return where
}

// inverse reports whether a join leads back to where another one came from.
func inverse(back, there []ir.JoinPair) bool {
	if len(back) != len(there) {
		return false
	}
	for _, b := range back {
		found := false
		for _, t := range there {
			found = found || b.Outer == t.Inner && b.Inner == t.Outer
		}
		if !found {
			return false
		}
	}
	return true
}

// mentionsRoot reports whether there is a column of the root of a rule in a condition.
func mentionsRoot(e ir.BoolExp) bool {
	found := false
	ir.Walk(e, func(p ir.Part) bool {
		c, isColumn := p.(ir.Column)
		found = found || isColumn && c.Root
		return !found
	})
	return found
}
