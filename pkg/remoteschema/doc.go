// Package remoteschema models the schema of a remote GraphQL server, and which part of it a role sees
// under which names.
//
// It takes what the server answered to IntrospectionQuery, the documents of permissions and
// the customization of the metadata, and gives a Schema: object types, interfaces, unions,
// enums, input objects and scalars, tied to each other by pointers. Every type, field and
// enum value knows the name that clients use and the name at the remote. Restrict makes the
// schema of a role out of that of the server, Customize gives it the names for clients.
//
// It makes no calls. Schemas are immutable once they are made, and safe for concurrent use.
package remoteschema
