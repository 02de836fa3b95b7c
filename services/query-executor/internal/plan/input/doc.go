// Package input reads the input values of an operation: arguments that are spelt in the document,
// and the JSON of its variables.
//
// A Reader walks values in the order of the schema. It knows the path in the document, which is
// that of errors, and notes of each variable how much of its value was looked at: two requests
// that agree in it can share what was made of them. A Binder makes the operands of one statement
// of values. It leaves their texts to Bindings, which make those of another request under the
// same rules and with the same errors.
//
// Nothing here knows of tables, permissions or statements.
package input
