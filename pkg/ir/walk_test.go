package ir

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// all has one of each part.
var all = []Part{
	And{}, Or{}, Not{}, Compare{}, CompareColumn{}, IsNull{}, Exists{}, AggregateCompare{}, Rule{},
	Column{}, Call{}, Cast{}, Redacted{}, Masked{}, JSONPath{}, JSONValue{}, Upper{}, RowRef{}, Inserted{},
	Literal{}, Variable{}, Each{}, SessionVar{}, SessionObject{}, Lookup{}, Default{},
	Table{}, Function{}, Written{}, NativeQuery{}, Procedure{}, Embedded{}, Keys{}, Groups{},
	&Select{}, &Aggregate{}, &Connection{},
	Typename(""), Scalar{}, Object{}, Aggregated{}, &NodeID{}, &Nested{}, Aggregates{}, Nodes{}, &AggregateCall{}, &Count{},
	Edges{}, EdgeCursor{}, Node{}, PageInfoFields{}, PageInfo(""),
	OrderExpr{}, OrderRelated{}, OrderAggregate{},
}

var partType = reflect.TypeFor[Part]()

// examples are what fields with an interface are filled with.
var examples = map[reflect.Type]Part{
	reflect.TypeFor[BoolExp](): And{}, reflect.TypeFor[Expr](): Column{Name: "c"}, reflect.TypeFor[Value](): Variable{Index: 7},
	reflect.TypeFor[From](): Table{Stored: true}, reflect.TypeFor[Root](): &Select{Rows: Rows{From: Keys{}}}, reflect.TypeFor[FieldValue](): Typename("f"),
	reflect.TypeFor[AggregateFieldValue](): Typename("g"), reflect.TypeFor[AggregateValue](): Typename("a"),
	reflect.TypeFor[AggregateColumnValue](): Typename("ac"), reflect.TypeFor[OrderTarget](): OrderExpr{},
	reflect.TypeFor[ConnectionValue](): Typename("cv"), reflect.TypeFor[EdgeValue](): Typename("e"), reflect.TypeFor[PageInfoValue](): PageInfo("p"),
}

// fill gives everything in v a value that has parts, and returns these in their order.
func fill(v reflect.Value) (parts []Part) {
	switch v.Kind() {
	case reflect.Interface:
		if example := examples[v.Type()]; example != nil {
			v.Set(reflect.ValueOf(example))
			parts = append(parts, example)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		parts = fillPart(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		parts = append(fillPart(v.Index(0)), fillPart(v.Index(1))...)
	case reflect.Struct:
		for i := range v.NumField() {
			parts = append(parts, fillPart(v.Field(i))...)
		}
	}
	return parts
}

// fillPart is fill for something that may be a part itself: what is in it are its own parts.
func fillPart(v reflect.Value) []Part {
	if v.Kind() == reflect.Pointer && v.Type().Elem().Implements(partType) {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if v.Kind() != reflect.Interface && v.Type().Implements(partType) {
		return []Part{v.Interface().(Part)}
	}
	return fill(v)
}

// TestPartsAreComplete: a part visits everything in its fields, in their order.
func TestPartsAreComplete(t *testing.T) {
	t.Parallel()
	for _, part := range all {
		kind := reflect.TypeOf(part)
		v := reflect.New(kind).Elem()
		var want []Part
		if kind.Kind() == reflect.Pointer {
			v.Set(reflect.New(kind.Elem()))
			want = fill(v.Elem())
		} else {
			want = fill(v)
		}
		var got []Part
		Parts(v.Interface().(Part), func(p Part, _ Scope) { got = append(got, p) })
		require.Equal(t, want, got, kind)
	}
}

// TestAllParts: the list above has each type with parts.
func TestAllParts(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "walk.go", nil, 0)
	require.NoError(t, err)
	known := map[string]bool{}
	for _, part := range all {
		kind := reflect.TypeOf(part)
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		known[kind.Name()] = true
	}
	for _, d := range file.Decls {
		f, isFunction := d.(*ast.FuncDecl)
		if !isFunction || f.Recv == nil || f.Name.Name != "parts" {
			continue
		}
		receiver := f.Recv.List[0].Type
		if pointer, ok := receiver.(*ast.StarExpr); ok {
			receiver = pointer.X
		}
		require.True(t, known[receiver.(*ast.Ident).Name], receiver)
	}
}

// TestScopes: parts of a relation are about its rows, and rules have a root of their own.
func TestScopes(t *testing.T) {
	t.Parallel()
	join := []JoinPair{{Outer: "a", Inner: "b"}}
	table := Table{Stored: true}
	for name, test := range map[string]struct {
		part Part
		want []Scope
	}{
		"select":    {&Select{Rows: Rows{From: table, Where: And{}}}, []Scope{{From: table, Root: true}, {From: table, Root: true}}},
		"nested":    {&Nested{Join: join, Root: &Select{Rows: Rows{From: table}}}, []Scope{{From: table, Join: join}}},
		"exists":    {Exists{From: table, Join: join, Where: And{}}, []Scope{{From: table, Join: join}, {From: table, Join: join}}},
		"rule":      {Rule{Exp: And{}}, []Scope{{Root: true}}},
		"not":       {Not{Exp: And{}}, []Scope{{}}},
		"related":   {OrderRelated{From: table, Join: join, Target: OrderExpr{}}, []Scope{{From: table, Join: join}, {From: table, Join: join}}},
		"aggregate": {AggregateCompare{From: table, Join: join}, []Scope{{From: table, Join: join}}},
	} {
		var got []Scope
		Parts(test.part, func(_ Part, s Scope) { got = append(got, s) })
		require.Equal(t, test.want, got, name)
	}
}
