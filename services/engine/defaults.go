package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/graphql-go/graphql"
)

// introspectDefaults has graphql-go's introspection, which all schemas share, write defaults as GraphQL does: graphql-go
// writes lists, objects and the values of enums as Go does.
var introspectDefaults = sync.OnceFunc(func() {
	graphql.InputValueType.Fields()["defaultValue"].Resolve = func(p graphql.ResolveParams) (any, error) {
		switch of := p.Source.(type) {
		case *graphql.Argument:
			return defaultOf(of.Type, of.DefaultValue), nil
		case *graphql.InputObjectField:
			return defaultOf(of.Type, of.DefaultValue), nil
		}
		return nil, nil
	}
})

// defaultOf is a default as introspection has it, nil for none.
func defaultOf(t graphql.Type, v any) any {
	if v == nil {
		return nil
	}
	return literal(t, v)
}

// literal is a value as GraphQL writes it.
func literal(t graphql.Type, v any) string {
	if v == nil {
		return "null"
	}
	switch t := t.(type) {
	case *graphql.NonNull:
		return literal(t.OfType, v)
	case *graphql.List:
		list := reflect.ValueOf(v)
		if list.Kind() != reflect.Slice && list.Kind() != reflect.Array {
			return literal(t.OfType, v)
		}
		items := make([]string, list.Len())
		for i := range items {
			items[i] = literal(t.OfType, list.Index(i).Interface())
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *graphql.InputObject:
		members, _ := v.(map[string]any)
		var texts []string
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if f := t.Fields()[name]; f != nil {
				texts = append(texts, name+": "+literal(f.Type, members[name]))
			}
		}
		return "{" + strings.Join(texts, ", ") + "}"
	case *graphql.Enum:
		if name := t.Serialize(v); name != nil {
			return fmt.Sprint(name)
		}
		return fmt.Sprint(v)
	case *graphql.Scalar:
		v = t.Serialize(v)
	}
	text, _ := json.Marshal(v)
	if len(text) == 0 || text[0] == '{' || text[0] == '[' { // which has another form in GraphQL
		text = quoted(string(text))
	}
	return string(text)
}
