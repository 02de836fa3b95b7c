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

// Federated is what a schema as text says of a type to a gateway of Apollo Federation: directives, each with a blank in front.
type Federated struct {
	Type string
	// Fields are those of fields, by their names.
	Fields map[string]string
}

// LinksFederation reports whether the schema is one of version 2: a table that the role sees as an entity needs that.
func (r *Role) LinksFederation() bool {
	for _, s := range r.source.Sources {
		for _, t := range s.Tables {
			if f := t.Meta.Federation(); f != nil && f.Version2() {
				if seen := r.Table(t); seen != nil && seen.isEntity() {
					return true
				}
			}
		}
	}
	return false
}

// Federated are the directives of a type. linked is LinksFederation: other subgraphs may then have the types that several tables or none
// belong to, too, as those of aggregates.
func (r *Role) Federated(object *Type, linked bool) (f Federated) {
	t := r.TableOf(object)
	if t == nil || object != t.Type() || !t.isEntity() {
		if linked && object.Kind == Object && object != r.Query() && object != r.Mutation() && object != r.Subscription() {
			f.Type = " @shareable"
		}
		return f
	}
	names := make([]string, len(t.PrimaryKey))
	for i, c := range t.PrimaryKey {
		names[i] = c.Field
	}
	config := t.Meta.Federation()
	f.Type = ` @key(fields: "` + strings.Join(names, " ") + `"`
	if config.Resolvable != nil && !*config.Resolvable {
		f.Type += ", resolvable: false"
	}
	f.Type += ")" + tagged(config.Tags)
	f.Fields = map[string]string{}
	for _, name := range config.Shareable {
		f.Fields[name] += " @shareable"
	}
	for _, name := range config.Inaccessible {
		f.Fields[name] += " @inaccessible"
	}
	for name, tags := range config.FieldTags {
		f.Fields[name] += tagged(tags)
	}
	return f
}

func tagged(tags []string) (directives string) {
	for _, tag := range tags {
		directives += ` @tag(name: "` + tag + `")` // it has no quotes
	}
	return directives
}
