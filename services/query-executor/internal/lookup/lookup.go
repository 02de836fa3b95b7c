// Package lookup is about values that rules of permissions take from other sources: which ones a
// statement needs, the query that reads them, and reading its answer.
//
// It makes no queries; the caller runs the lookups of a statement before the statement.
package lookup

import (
	"reflect"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/resolve"
)

const (
	// most is how many values a rule may take. A query asks for one more.
	most = 100_000
	// answer is the key of the values in the answer to a query.
	answer = "value"
)

// Root reads the distinct values of a column that aren't null.
func Root(l *resolve.Lookup) ir.Root {
	column := ir.Column{Name: l.Column.Name, Type: l.Column.Type}
	where := ir.BoolExp(ir.IsNull{Expr: column, Not: true})
	if l.Rows != nil {
		where = ir.And{Exps: []ir.BoolExp{ir.Rule{Exp: l.Rows}, where}}
	}
	return &ir.Select{
		Rows: ir.Rows{
			From: ir.TableOf(l.Table.Catalog), Where: where, DistinctOn: []ir.Expr{column}, Estimate: -1,
			MaxRows: most + 1,
		},
		Fields: []ir.Field{{Alias: answer, Value: ir.Scalar{Expr: column, Type: column.Type}}},
	}
}

// Values are the values in the answer to a Root, as texts.
func Values(body []byte) ([][]byte, error) {
	values := [][]byte{}
	c := jsonwalk.NewCursor(body)
	err := c.Array(func() error {
		return c.Object(func([]byte) error {
			value, err := c.Value()
			if err == nil && jsonwalk.KindOf(value) == jsonwalk.String {
				var text string
				text, err = jsonwalk.Text(value)
				value = []byte(text)
			}
			values = append(values, value)
			return err
		})
	})
	switch {
	case err != nil:
		return nil, apierror.New(apierror.Unexpected, "the answer to a lookup is malformed").WithInternal(err.Error())
	case len(values) > most:
		return nil, apierror.Newf(apierror.Unexpected, "a rule on a remote relationship has more than %d values", most)
	}
	return values, nil
}

// In lists the lookups of a query or mutation of package ir, each once.
func In(statement any) []ir.Lookup {
	var list []ir.Lookup
	find(reflect.ValueOf(statement), &list)
	return list
}

func find(v reflect.Value, list *[]ir.Lookup) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			find(v.Elem(), list)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			find(v.Index(i), list)
		}
	case reflect.Struct:
		if l, ok := v.Interface().(ir.Lookup); ok {
			known := func(k ir.Lookup) bool { return backend.LookupKey(k) == backend.LookupKey(l) }
			if !slices.ContainsFunc(*list, known) {
				*list = append(*list, l)
			}
			return
		}
		for i := range v.NumField() {
			find(v.Field(i), list)
		}
	}
}
