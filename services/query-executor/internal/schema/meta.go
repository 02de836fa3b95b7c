package schema

// MetaField is the root field __schema or __type, nil for any other name.
func (r *Role) MetaField(name string) *Field {
	switch name {
	case "__schema":
		return &Field{Name: name, Type: NonNull(Named(r.metaSchema()))}
	case "__type":
		return &Field{Name: name, Type: Named(r.metaType()), args: list{r.input("name", "String!")}}
	}
	return nil
}

// MetaTypes are the types that introspection answers with.
func (r *Role) MetaTypes() []*Type {
	return []*Type{
		r.metaSchema(), r.metaType(), r.metaFieldType(), r.metaInputValue(), r.metaEnumValue(), r.metaDirective(),
		r.metaTypeKind(), r.metaLocation(),
	}
}

// meta is an object type whose fields are given as name and type. String and Boolean are
// the scalars; a trailing ! is a non-null.
func (r *Role) meta(name string, fields func() []Field) *Type {
	return r.named(name, Object, "", func() content { return content{fields: fields()} })
}

func (r *Role) plain(name, of string) Field { return Field{Name: name, Type: r.plainType(of)} }

func (r *Role) input(name, of string) Input { return Input{Name: name, Type: r.plainType(of)} }

func (r *Role) plainType(of string) Ref {
	if n := len(of) - 1; of[n] == '!' {
		return NonNull(Named(r.scalar(of[:n])))
	}
	return Named(r.scalar(of))
}

// listed is a list of non-null items.
func listed(t *Type) Ref { return List(NonNull(Named(t))) }

func (r *Role) metaSchema() *Type {
	return r.meta("__Schema", func() []Field {
		return []Field{
			r.plain("description", "String"),
			{Name: "types", Type: NonNull(listed(r.metaType()))},
			{Name: "queryType", Type: NonNull(Named(r.metaType()))},
			{Name: "mutationType", Type: Named(r.metaType())},
			{Name: "subscriptionType", Type: Named(r.metaType())},
			{Name: "directives", Type: NonNull(listed(r.metaDirective()))},
		}
	})
}

func (r *Role) metaType() *Type {
	return r.meta("__Type", func() []Field {
		deprecated := r.includeDeprecated()
		return []Field{
			{Name: "kind", Type: NonNull(Named(r.metaTypeKind()))},
			r.plain("name", "String"),
			r.plain("description", "String"),
			{Name: "fields", Type: listed(r.metaFieldType()), args: deprecated},
			{Name: "interfaces", Type: listed(r.metaType())},
			{Name: "possibleTypes", Type: listed(r.metaType())},
			{Name: "enumValues", Type: listed(r.metaEnumValue()), args: deprecated},
			{Name: "inputFields", Type: listed(r.metaInputValue()), args: deprecated},
			{Name: "ofType", Type: Named(r.metaType())},
			r.plain("specifiedByURL", "String"),
			r.plain("isOneOf", "Boolean"),
		}
	})
}

func (r *Role) metaFieldType() *Type {
	return r.meta("__Field", func() []Field {
		return []Field{
			r.plain("name", "String!"),
			r.plain("description", "String"),
			{
				Name: "args", Type: NonNull(listed(r.metaInputValue())),
				args: r.includeDeprecated(),
			},
			{Name: "type", Type: NonNull(Named(r.metaType()))},
			r.plain("isDeprecated", "Boolean!"),
			r.plain("deprecationReason", "String"),
		}
	})
}

func (r *Role) metaInputValue() *Type {
	return r.meta("__InputValue", func() []Field {
		return []Field{
			r.plain("name", "String!"),
			r.plain("description", "String"),
			{Name: "type", Type: NonNull(Named(r.metaType()))},
			r.plain("defaultValue", "String"),
			r.plain("isDeprecated", "Boolean!"),
			r.plain("deprecationReason", "String"),
		}
	})
}

func (r *Role) metaEnumValue() *Type {
	return r.meta("__EnumValue", func() []Field {
		return []Field{
			r.plain("name", "String!"),
			r.plain("description", "String"),
			r.plain("isDeprecated", "Boolean!"),
			r.plain("deprecationReason", "String"),
		}
	})
}

func (r *Role) metaDirective() *Type {
	return r.meta("__Directive", func() []Field {
		return []Field{
			r.plain("name", "String!"),
			r.plain("description", "String"),
			r.plain("isRepeatable", "Boolean!"),
			{Name: "locations", Type: NonNull(listed(r.metaLocation()))},
			{Name: "args", Type: NonNull(listed(r.metaInputValue())), args: r.includeDeprecated()},
		}
	})
}

// includeDeprecated is the argument of lists that omit deprecated members.
func (r *Role) includeDeprecated() list {
	return list{{Name: "includeDeprecated", Type: Named(r.scalar("Boolean")), Default: "false"}}
}

func (r *Role) metaTypeKind() *Type {
	return r.names("__TypeKind", "ENUM", "INPUT_OBJECT", "INTERFACE", "LIST", "NON_NULL", "OBJECT", "SCALAR", "UNION")
}

func (r *Role) metaLocation() *Type {
	return r.names("__DirectiveLocation",
		"ARGUMENT_DEFINITION", "ENUM", "ENUM_VALUE", "FIELD", "FIELD_DEFINITION", "FRAGMENT_DEFINITION", "FRAGMENT_SPREAD",
		"INLINE_FRAGMENT", "INPUT_FIELD_DEFINITION", "INPUT_OBJECT", "INTERFACE", "MUTATION", "OBJECT", "QUERY", "SCALAR",
		"SCHEMA", "SUBSCRIPTION", "UNION", "VARIABLE_DEFINITION")
}

func (r *Role) names(name string, values ...string) *Type {
	return r.named(name, Enum, "", func() content {
		var list []Value
		for _, v := range values {
			list = append(list, Value{Name: v})
		}
		return content{values: list}
	})
}

// Directive is a directive that operations may use.
type Directive struct {
	Name        string
	Description string
	Locations   []string
	Args        []Input
}

// Directives are those that operations may use.
func (r *Role) Directives() []Directive {
	selections := []string{"FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"}
	condition := []Input{r.input("if", "Boolean!")}
	return []Directive{
		{
			Name: "include", Description: "whether this query should be included",
			Locations: selections, Args: condition,
		},
		{
			Name: "skip", Description: "whether this query should be skipped",
			Locations: selections, Args: condition,
		},
		{
			Name: "cached", Description: "whether this query should be cached (engine cache)",
			Locations: []string{"QUERY"},
			Args: []Input{
				{Name: "ttl", Description: "measured in seconds", Type: r.plainType("Int!"), Default: "60"},
				{Name: "refresh", Description: "refresh the cache entry", Type: r.plainType("Boolean!"), Default: "false"},
				{Name: "tags", Description: "removes the answer from the cache when a table that it was read from changes, or by these names", Type: listed(r.scalar("String"))},
			},
		},
	}
}

// Directive returns the directive of that name, or nil.
func (r *Role) Directive(name string) *Directive {
	list := r.Directives()
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}
