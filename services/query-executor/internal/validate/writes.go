package validate

import (
	"queryengine/pkg/catalog"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// Writing is the root field of a query that may write, empty for none: one that calls a volatile function.
func Writing(role *schema.Role, op *parse.Operation) string {
	if op.Kind != parse.Query {
		return ""
	}
	return writing(role.Query(), op.Selections)
}

func writing(root *schema.Type, set []parse.Selection) string {
	for _, s := range set {
		found := ""
		switch s := s.(type) {
		case *parse.Field:
			found = writingField(root, s)
		case *parse.Spread:
			found = writing(root, s.Fragment.Selections)
		case *parse.Inline:
			found = writing(root, s.Selections)
		}
		if found != "" {
			return found
		}
	}
	return ""
}

func writingField(root *schema.Type, f *parse.Field) string {
	field := root.Field(f.Name)
	if field == nil {
		return ""
	}
	var called *resolve.Function
	switch m := field.Meaning.(type) {
	case schema.Namespace:
		return writing(m.Type, f.Selections)
	case schema.FunctionRows:
		called = m.Function
	case schema.FunctionAggregated:
		called = m.Function
	}
	if called == nil || called.Catalog.Volatility != catalog.Volatile {
		return ""
	}
	return f.Name
}
