// Package schema is the GraphQL schema of one role: its types, and the meaning of each field and input
// in terms of tables and permissions.
//
// It is made for planning. A field's Meaning is the meaning of a selection of it, and is what the planner
// switches on; introspection reads the same types, so the described and the accepted schema can't
// differ.
//
// Nothing is built before it is used: a Role is a few maps, a Table is built when a query first reaches
// it, a Type's content when it is first read. Roles that are not in use cost nothing. All of it is safe
// for concurrent use.
package schema
