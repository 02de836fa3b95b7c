// Package schema is what one role may ask: the types of its GraphQL schema, and what each
// field and input means in terms of tables and permissions.
//
// It is made for planning. A field's Means says what a selection of it asks for, and is
// what the planner switches on; introspection reads the same types, so what is described
// and what is accepted can't differ.
//
// Nothing is built before it is used: a Role is a few maps, a Table is built when a query
// first reaches it, a Type's content when somebody first looks inside. Roles that are not
// in use cost nothing. All of it is safe for concurrent use.
package schema
