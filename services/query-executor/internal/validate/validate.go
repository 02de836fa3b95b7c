// Package validate finds the faults of a stored query before it is run: those that no values of its
// variables can repair.
//
// It looks at syntax, fields and the names of arguments; Whole looks at the names in literals, too. What depends on
// values, and what is selected of an object that may be of several types, is left to the run: a query that is
// refused here never works, one that isn't may still fail.
package validate

import (
	"fmt"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/querydoc"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// maxDepth bounds how deep a selection is followed.
const maxDepth = 100

// Check returns the fault of a document for a role, "" for none. Literals are not looked at: metadata of other engines has
// documents that never work.
func Check(text string, role *schema.Role, limits parse.Limits) string {
	return (&checker{role: role}).document(text, limits)
}

// Whole is Check with the names in literals and the types of variables.
func Whole(text string, role *schema.Role, limits parse.Limits) string {
	return (&checker{role: role, literals: true}).document(text, limits)
}

type checker struct {
	role     *schema.Role
	literals bool
}

func (c *checker) document(text string, limits parse.Limits) string {
	role := c.role
	document, err := querydoc.Parse(text)
	if err != nil {
		return err.Error()
	}
	for _, o := range document.Operations {
		operation, err := parse.Parse(text, o.Name, limits)
		if err != nil {
			return apierror.From(err).Message
		}
		root := role.Query()
		switch operation.Kind {
		case parse.Mutation:
			if root = role.Mutation(); root == nil {
				return "no mutations exist"
			}
		case parse.Subscription:
			if root = role.Subscription(); root == nil {
				return "no subscriptions exist"
			}
		}
		if problem := c.selections(root, operation.Selections, 0); problem != "" {
			return problem
		}
	}
	return ""
}

func (c *checker) selections(t *schema.Type, set []parse.Selection, depth int) string {
	if t.Kind != schema.Object || depth > maxDepth {
		return ""
	}
	for _, s := range set {
		problem := ""
		switch s := s.(type) {
		case *parse.Field:
			problem = c.field(t, s, depth)
		case *parse.Spread:
			if s.Fragment.On == t.Name {
				problem = c.selections(t, s.Fragment.Selections, depth+1)
			}
		case *parse.Inline:
			if s.On == "" || s.On == t.Name {
				problem = c.selections(t, s.Selections, depth+1)
			}
		}
		if problem != "" {
			return problem
		}
	}
	return ""
}

func (c *checker) field(t *schema.Type, f *parse.Field, depth int) string {
	if f.Name == "__typename" || t == c.role.Query() && c.role.MetaField(f.Name) != nil {
		return ""
	}
	found := t.Field(f.Name)
	if found == nil {
		return fmt.Sprintf("field '%s' not found in type: '%s'", f.Name, t.Name)
	}
	arguments := found.Args()
	for i := range f.Arguments {
		a := &f.Arguments[i]
		known := slices.IndexFunc(arguments, func(in schema.Input) bool { return in.Name == a.Name })
		if known < 0 {
			return fmt.Sprintf("'%s' has no argument named '%s'", f.Name, a.Name)
		}
		if !c.literals {
			continue
		}
		if problem := value(arguments[known].Type, &a.Value, 0); problem != "" {
			return problem
		}
	}
	return c.selections(found.Type.Named, f.Selections, depth+1)
}

// value finds names in a literal that its type doesn't have, and variables of other types.
func value(at schema.Ref, v *parse.Value, depth int) string {
	item, list := at.Item()
	t := at.Named
	switch {
	case depth > maxDepth:
	case v.Kind == parse.VariableUse:
		if t.Kind != schema.Scalar && !input.Usable(v.Variable, at) {
			return fmt.Sprintf("variable '%s' is declared as '%s', but used where '%s' is expected", v.Variable.Name, v.Variable.Type, at)
		}
	case list && v.Kind == parse.List:
		for i := range v.Items {
			if problem := value(item, &v.Items[i], depth+1); problem != "" {
				return problem
			}
		}
	case list:
		return value(item, v, depth+1)
	case t.Kind == schema.InputObject && v.Kind == parse.Object:
		for i := range v.Fields {
			f := &v.Fields[i]
			in := t.Input(f.Name)
			if in == nil {
				return fmt.Sprintf("field '%s' not found in type: '%s'", f.Name, t.Name)
			}
			if problem := value(in.Type, &f.Value, depth+1); problem != "" {
				return problem
			}
		}
	case t.Kind == schema.Enum && v.Kind == parse.Enum && t.Value(v.Text) == nil:
		return input.UnknownEnumValue(t, v.Text)
	}
	return ""
}
