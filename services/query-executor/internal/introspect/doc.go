// Package introspect answers __schema and __type, and gives the schema as text to a federation
// gateway (_service).
//
// The role's types are held in the type system of graphql-go, made from package schema
// type by type while the answer is written, so that a schema of thousands of types is
// never in memory as a whole. The resolvers of graphql-go tell what a type consists of;
// the order of keys and lists is decided here, because an answer keeps the order of its
// selection set.
//
// It is the only user of graphql-go.
package introspect
