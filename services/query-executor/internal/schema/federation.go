package schema

import "strings"

// What the fields of Apollo Federation mean.
type (
	// Service is the root field that gives the schema as text.
	Service struct{}
	// Entities is the root field that finds rows by what other subgraphs know of them.
	Entities struct{}
)

func (Service) fieldMeaning()  {}
func (Entities) fieldMeaning() {}

// ArgRepresentations is the argument of Entities.
const ArgRepresentations Argument = "representations"

// isEntity reports whether other subgraphs may refer to rows of the table: it is enabled for
// that, the role sees the primary key of every row, and its list of root fields doesn't keep the
// table from being read by it. A key has no fields with arguments, as JSON fields have.
func (t *Table) isEntity() bool {
	for _, c := range t.PrimaryKey {
		if c.Scalar.JSON {
			return false
		}
	}
	return t.ReadsPrimaryKey() && t.role.options.Federation && !t.role.options.Relay && t.Meta.Federated() && t.readsWholeKey() && t.foundByKey(QueryRoot)
}

// federationFields are the fields of the query root that a federation gateway asks for.
func (r *Role) federationFields() []Field {
	if !r.options.Federation || r.options.Relay {
		return nil
	}
	service := r.named("_Service", Object, "", func() content { return content{fields: []Field{r.plain("sdl", "String!")}} })
	fields := []Field{{Name: "_service", Type: NonNull(Named(service)), Meaning: Service{}}}
	if len(r.entities()) == 0 {
		return fields
	}
	entity := r.named("_Entity", Union, "A union of all types that use the @key directive", func() content {
		return content{kin: &kin{possible: r.entities()}}
	})
	anything := r.named("_Any", Scalar, "Scalar _Any", nil)
	return append(fields, Field{
		Name: "_entities", Type: Named(entity), Meaning: Entities{},
		args: list{{Name: "representations", Type: NonNull(listed(anything)), Meaning: ArgRepresentations}},
	})
}

// entities are the types whose objects other subgraphs may refer to.
func (r *Role) entities() []*Type {
	var types []*Type
	for _, s := range r.source.Sources {
		for _, t := range s.Tables {
			if seen := r.Table(t); seen != nil && seen.isEntity() {
				types = append(types, seen.Type())
			}
		}
	}
	return types
}

// EntityKey is the fields that objects of a type are referred to by, separated by blanks; empty
// when they can't be, as those of aggregates can't.
func (r *Role) EntityKey(object *Type) string {
	t := r.TableOf(object)
	if t == nil || object != t.Type() || !t.isEntity() {
		return ""
	}
	names := make([]string, len(t.PrimaryKey))
	for i, c := range t.PrimaryKey {
		names[i] = c.Field
	}
	return strings.Join(names, " ")
}
