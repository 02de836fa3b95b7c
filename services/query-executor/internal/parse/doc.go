// Package parse turns the text of a GraphQL request into one operation that is ready to be
// planned: the operation is chosen, fragment spreads point to their fragments, and uses of
// variables to their definitions.
//
// It knows the rules that need no schema and reports them with the texts and paths of the
// wire format. It reads neither schema nor session. Equal text gives an equal operation,
// so an operation may be kept and shared: it is immutable once it was made.
//
// It is the only user of gqlparser, which turns text into a syntax tree and does nothing
// else here.
package parse
