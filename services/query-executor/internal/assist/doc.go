// Package assist describes a role's schema for assistants: tools with JSON schemas of their input and output, a search
// for types and fields, and single types as text. What a role can't see is not in its schema, and so in none of these.
package assist
