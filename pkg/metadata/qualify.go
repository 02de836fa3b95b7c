package metadata

import (
	"reflect"
	"sync"

	"queryengine/pkg/catalog"
)

// A name that is given without a schema means one in the default schema of its source's kind. It
// belongs to the source that the innermost struct around it names.

// Apply is c.Apply with the names that c holds completed.
func Apply(c Command, v View) (*Result, error) {
	v.Qualify(c)
	return c.Apply(v)
}

// Answer is q.Answer with the names that q holds completed.
func Answer(q Query, v View) (json []byte, err error) {
	v.Qualify(q)
	return q.Answer(v)
}

// Qualify completes the names in the arguments of an operation, which is a pointer.
func (v View) Qualify(args any) {
	qualifier(v.Document.schemaOf).complete(reflect.ValueOf(args), defaultSchema(v.kind()))
}

// qualify completes the names in a part of the document, which is a pointer.
func (d *Document) qualify(part any) {
	qualifier(d.schemaOf).complete(reflect.ValueOf(part), defaultSchema(DefaultKind))
}

// schemaOf is the default schema of a source, that of the surroundings when there is none of the
// name.
func (d *Document) schemaOf(source, around string) (schema string, known bool) {
	if s := d.Source(source); s != nil {
		return defaultSchema(s.Kind), true
	}
	return around, true
}

// qualify completes the names of the source, and leaves those of others as they are.
func (s *Source) qualify() {
	own := qualifier(func(source, around string) (string, bool) { return around, source == s.Name })
	own.complete(reflect.ValueOf(s), defaultSchema(s.Kind))
}

// Qualified is the name of something in the source, completed.
func (s *Source) Qualified(n catalog.Name) catalog.Name { return n.In(defaultSchema(s.Kind)) }

// Display is the name of something in the source as messages show it.
func (s *Source) Display(n catalog.Name) string { return n.Display(defaultSchema(s.Kind)) }

// Display is the name of something in a source of the document as messages show it. A source that
// isn't there is one of the default kind.
func (d *Document) Display(source string, n catalog.Name) string {
	schema, _ := d.schemaOf(source, defaultSchema(DefaultKind))
	return n.Display(schema)
}

// display is the name of something in a source, or in one of the command's kind, as messages show it.
func (v View) display(source string, n catalog.Name) string {
	schema, _ := v.Document.schemaOf(source, defaultSchema(v.kind()))
	return n.Display(schema)
}

func defaultSchema(kind string) string {
	if k := KindNamed(kind); k != nil {
		return k.DefaultSchema
	}
	return ""
}

// qualifier finds the default schema of a source among others, whose one is around. Where it isn't
// known, names stay as they are.
type qualifier func(source, around string) (schema string, known bool)

var nameType = reflect.TypeFor[catalog.Name]()

func (q qualifier) complete(v reflect.Value, schema string) {
	if !holdsNames(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			q.complete(v.Elem(), schema)
		}
	case reflect.Slice:
		for i := range v.Len() {
			q.complete(v.Index(i), schema)
		}
	case reflect.Struct:
		switch x := v.Addr().Interface().(type) {
		case *catalog.Name:
			if completed := x.In(schema); completed != *x { // documents share what is complete
				*x = completed
			}
			return
		case *Source:
			schema = defaultSchema(x.Kind)
		}
		if source := v.FieldByName("Source"); source.IsValid() && source.Kind() == reflect.String && source.Len() > 0 {
			known := false
			if schema, known = q(source.String(), schema); !known {
				return
			}
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				q.complete(v.Field(i), schema)
			}
		}
	}
}

// namedTypes are the types that were requested, and whether they hold names.
var namedTypes sync.Map

// holdsNames reports whether values of the type may hold names.
func holdsNames(t reflect.Type) bool {
	if known, ok := namedTypes.Load(t); ok {
		return known.(bool)
	}
	holds := leadsToNames(t, map[reflect.Type]bool{})
	namedTypes.Store(t, holds)
	return holds
}

func leadsToNames(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == nameType {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return leadsToNames(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); (f.IsExported() || f.Anonymous) && leadsToNames(f.Type, seen) {
				return true
			}
		}
	}
	return false
}
