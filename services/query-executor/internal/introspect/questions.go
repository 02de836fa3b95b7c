package introspect

import (
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/schema"
)

// Questions are the root fields of one request that the schema answers. They are not safe for
// concurrent use.
type Questions struct {
	// role is a copy of the role's schema, built for the request and dropped after it, so that
	// introspection leaves nothing behind in the one that queries are planned with.
	role   *schema.Role
	all    []*schema.Type // by name
	byName map[string]*schema.Type
	// definitions is the schema as text, in JSON; nil until it is requested.
	definitions []byte
	// cache takes the answers, nil for none. kept are those that it has: then it has all, and there is
	// no schema.
	cache *Cache
	kept  map[*Field]*packed
}

// Ask prepares the answers to fields as the role sees them. What they are going to write is
// counted first and drawn from the budget: a field that asks for too much is an error, with the
// path of the field, before anything is written. cache may be nil; answers that it has were
// counted when they were made, by the same budget, as the fields of a plan are always asked for
// together.
func Ask(role *schema.Role, fields []*Field, b *budget.Budget, cache *Cache) (*Questions, error) {
	q := &Questions{cache: cache}
	if cache != nil {
		if q.kept = cache.find(fields); q.kept != nil {
			return q, nil
		}
	}
	q.role = role.Copy()
	q.all = q.role.Enumerate()
	slices.SortFunc(q.all, func(a, b *schema.Type) int { return strings.Compare(a.Name, b.Name) })
	q.byName = make(map[string]*schema.Type, len(q.all))
	for _, t := range q.all {
		q.byName[t.Name] = t
	}
	allowed := false
	for _, f := range fields {
		c := q.cost(f, b.Left(budget.Members))
		if !allowed && (c.members > b.Left(budget.Members) || c.bytes > b.Left(budget.Bytes)) {
			// What tools ask for follows from the schema, and is large where the schema is.
			allowed = true
			whole := q.cost(&standard, unlimited)
			b.Allow(budget.Members, timesStandard*whole.members)
			b.Allow(budget.Bytes, timesStandard*whole.bytes)
			c = q.cost(f, b.Left(budget.Members))
		}
		err := b.Take(budget.Members, c.members)
		if err == nil {
			err = b.Take(budget.Bytes, c.bytes)
		}
		if err != nil {
			return nil, apierror.At(err, "selectionSet", f.Name)
		}
	}
	return q, nil
}

// timesStandard is how many times of what the standard query writes a request may have written,
// beyond what it may have written of any schema.
const timesStandard = 2

// schemaText is the role's schema as a JSON string.
func (q *Questions) schemaText() []byte {
	if q.definitions == nil {
		q.definitions = jsontext.AppendString(nil, sdl(q.role, q.all))
	}
	return q.definitions
}

// standard is the query that tools send: everything, and types as deep as they go.
var standard = Field{Alias: "__schema", Name: "__schema", Fields: []Field{
	of("queryType", "name"), of("mutationType", "name"), of("subscriptionType", "name"),
	{Alias: "types", Name: "types", Fields: append(named("kind", "name", "description"),
		Field{Alias: "fields", Name: "fields", Fields: append(named("name", "description", "isDeprecated", "deprecationReason"), arguments, typeRef())},
		Field{Alias: "inputFields", Name: "inputFields", Fields: inputValue},
		Field{Alias: "interfaces", Name: "interfaces", Fields: typeRef().Fields},
		Field{Alias: "enumValues", Name: "enumValues", Deprecated: true, Fields: named("name", "description", "isDeprecated", "deprecationReason")},
		Field{Alias: "possibleTypes", Name: "possibleTypes", Fields: typeRef().Fields},
	)},
	{Alias: "directives", Name: "directives", Fields: append(named("name", "description", "isRepeatable", "locations"), arguments)},
}}

var (
	arguments  = Field{Alias: "args", Name: "args", Fields: inputValue}
	inputValue = append(named("name", "description", "defaultValue", "isDeprecated", "deprecationReason"), typeRef())
)

func named(names ...string) []Field {
	fields := make([]Field, len(names))
	for i, name := range names {
		fields[i] = Field{Alias: name, Name: name}
	}
	return fields
}

func of(name string, fields ...string) Field {
	return Field{Alias: name, Name: name, Fields: named(fields...)}
}

// depth is how many lists and non-nulls a type may be inside of, as many as the usual query for introspection shows.
const depth = 9

// typeRef is a field that names a type inside of lists and non-nulls.
func typeRef() Field {
	f := of("type", "kind", "name")
	inner := &f.Fields
	for range depth {
		*inner = append(*inner, of("ofType", "kind", "name"))
		inner = &(*inner)[2].Fields
	}
	return f
}
