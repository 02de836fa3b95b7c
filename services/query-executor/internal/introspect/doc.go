// Package introspect answers __schema and __type, and gives the schema as text to a federation
// gateway (_service).
//
// An answer is written from the role's schema, in the order of the selection set, while the schema
// is gone through: there is no other form of it in memory, and little is made for each type. What
// an answer is going to be is counted first, by going the same way without writing.
package introspect
