package plan

import (
	"reflect"
	"slices"

	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/read"
)

// SessionUse is which session variables the answer to a plan depends on.
type SessionUse struct {
	// Names are those that are used by name, sorted.
	Names []string
	// All reports whether any of them may be.
	All bool
	// Opaque reports whether the answer may depend on more than that, also on the client's headers.
	Opaque bool
}

// SessionUse finds the session variables that a plan uses. What it doesn't know to look into
// may use all.
func (p *Plan) SessionUse() SessionUse {
	u := &SessionUse{}
	for _, part := range p.Parts {
		switch part := part.(type) {
		case *answer.Text, *answer.Introspection:
		case *read.Query:
			u.known(reflect.ValueOf(*part), "Named", "Source", "Root", "Bindings", "Joins")
			u.walk(reflect.ValueOf(part.Root))
			u.joins(part.Joins)
		default:
			u.All, u.Opaque = true, true
		}
	}
	for i := range p.Lookups {
		u.walk(reflect.ValueOf(p.Lookups[i].Root))
	}
	slices.Sort(u.Names)
	return *u
}

// joins looks into what other sources are asked.
func (u *SessionUse) joins(list []answer.Member) {
	for _, m := range list {
		u.joins(m.Below)
		if j := m.Join; j != nil {
			u.known(reflect.ValueOf(*j), "Parts", "Nulls", "Query", "Joins")
			if q := j.Query; q != nil {
				u.known(reflect.ValueOf(*q), "Source", "Root", "Columns", "Keys", "Bindings")
				u.walk(reflect.ValueOf(q.Root))
			}
			u.joins(j.Joins)
		}
	}
}

// known takes everything as used when another field than these has a value.
func (u *SessionUse) known(v reflect.Value, fields ...string) {
	for i := range v.NumField() {
		if !slices.Contains(fields, v.Type().Field(i).Name) && !v.Field(i).IsZero() {
			u.All, u.Opaque = true, true
		}
	}
}

// walk looks through plain data.
func (u *SessionUse) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			u.walk(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			u.walk(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			u.walk(v.MapIndex(key))
		}
	case reflect.Struct:
		switch x := v.Interface().(type) {
		case ir.SessionVar:
			if !slices.Contains(u.Names, x.Name) {
				u.Names = append(u.Names, x.Name)
			}
			return
		case ir.SessionObject:
			u.All = true
			return
		}
		for i := range v.NumField() {
			u.walk(v.Field(i))
		}
	}
}
