package remoteschema

import (
	"slices"

	"queryengine/pkg/apierror"
)

func faultf(format string, args ...any) error {
	return apierror.Newf(apierror.RemoteSchemaError, format, args...)
}

// check tests the schema against the rules of the GraphQL specification for interfaces and unions.
func (s *Schema) check() error {
	for _, t := range s.Types {
		switch {
		case t.Kind == Interface && len(t.Fields) == 0:
			return faultf("List of fields cannot be empty for interface '%s'", t.Name)
		case t.Kind == Union && len(t.Possible) == 0:
			return faultf("List of member types cannot be empty for union type '%s'", t.Name)
		}
		for _, i := range t.Interfaces {
			if err := implements(t, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// implements checks that t has what the interface promises.
func implements(t, i *Type) error {
	for _, promised := range i.Fields {
		f := t.Field(promised.Name)
		if f == nil {
			return faultf("Interface field '%s'.%q expected, but '%s' does not provide it", i.Name, promised.Name, t.Name)
		}
		if !covariant(f.Type, promised.Type) {
			return faultf("The type of Object field '%s'.%q (%s) is not the same type/sub type of Interface field '%s'.%q (%s)",
				t.Name, f.Name, f.Type, i.Name, promised.Name, promised.Type)
		}
		if err := implementsArgs(t, f, i, promised); err != nil {
			return err
		}
	}
	return nil
}

func implementsArgs(t *Type, f *Field, i *Type, promised *Field) error {
	for _, a := range promised.Args {
		given := f.Arg(a.Name)
		switch {
		case given == nil:
			return faultf("Interface field argument '%s'.%q(%q:) required, but Object field '%s'.%q does not provide it",
				i.Name, promised.Name, a.Name, t.Name, f.Name)
		case given.Type.String() != a.Type.String():
			return faultf("Interface field argument '%s'.%q(%q:) expects type %s, but '%s'.%q(%q:) has type %s",
				i.Name, promised.Name, a.Name, a.Type, t.Name, f.Name, a.Name, given.Type)
		}
	}
	for _, a := range f.Args {
		if promised.Arg(a.Name) == nil && a.Required() {
			return faultf("Object field argument '%s'.%q(%q:) is of required type %s, but is not provided by Interface field '%s'.%q",
				t.Name, f.Name, a.Name, a.Type, i.Name, promised.Name)
		}
	}
	return nil
}

// covariant reports whether every value of r is one of promised.
func covariant(r, promised *Ref) bool {
	if promised.NonNull && !r.NonNull {
		return false
	}
	if r.Elem != nil || promised.Elem != nil {
		return r.Elem != nil && promised.Elem != nil && covariant(r.Elem, promised.Elem)
	}
	return r.Type == promised.Type || promised.Type.Kind == Union && slices.Contains(promised.Type.Possible, r.Type) ||
		promised.Type.Kind == Interface && slices.Contains(r.Type.Interfaces, promised.Type)
}
