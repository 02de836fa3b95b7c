package introspect

// Field is a selected field of the introspection types.
type Field struct {
	Alias string
	Name  string
	// Argument is the name that __type is requested, or the type that __typename names.
	Argument string
	// Deprecated reports whether deprecated fields and values are wanted, too.
	Deprecated bool
	Fields     []Field
}
