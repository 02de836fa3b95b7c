// Package template is the template language of webhook transforms: a superset of JSON that
// makes one JSON value out of named JSON values.
//
// A template is parsed once, with Parse or ParseInterpolation, and evaluated as often as
// needed; a Template is immutable and safe for concurrent use. It has no side effects and
// reaches neither network, files, clock nor environment. Nesting, evaluation steps and the
// size of what is made are bounded, so that a template of a user can't harm the process.
//
// # Lexical grammar
//
// The lexer has a stack of modes. Text is the first, "{{" enters an expression and "}}"
// leaves it, `"` enters and leaves a string, "'" a literal. In a string only "{{" and
// escapes mean something; in text "}}" is two braces.
//
//	white space  skipped; so is a comment, from "#" to the end of the line
//	boolean      true | false
//	integer      -?[0-9]+
//	number       -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
//	identifier   $ | $?[A-Za-z][A-Za-z0-9_$-]*
//	reserved     if elif else end range in not null
//	symbol       : := . , ? ?? == != > < >= <= && || _ { } {{ }} [ ] ( ) " '
//
// The longest match wins. There is no arithmetic: a-b is one name.
//
// # Grammar
//
//	template  = expr
//	expr      = atom op atom | apply | "{{" expr "}}"
//	op        = ">" | "<" | ">=" | "<=" | "==" | "!=" | "&&" | "||" | "in" | "??"
//	apply     = IDENT "(" expr ")" | "not" expr | atom
//	atom      = IDENT | access | optional | range | if | json | "(" expr ")"
//	access    = atom "." IDENT | atom "[" "'" text "'" "]" | atom "[" atom "]"
//	optional  = atom "?" { "." IDENT | "[" "'" text "'" "]" | "[" atom "]" }
//	range     = "{{" "range" ( "_" | IDENT ) "," IDENT ":=" expr "}}" expr "{{" "end" "}}"
//	if        = "{{" "if" expr "}}" expr { "{{" "elif" expr "}}" expr }
//	            "{{" "else" "}}" expr "{{" "end" "}}"
//	json      = string | number | "true" | "false" | "null" | array | object
//	array     = "[" [ expr { "," expr } ] "]"
//	object    = "{" [ key ":" expr { "," key ":" expr } ] "}"
//	key       = string without interpolation
//	string    = '"' { text | "{{" expr "}}" } '"'
//
// Operators don't chain, so they need no precedence: each side is an atom. After "?" every
// directly following member or index belongs to the optional chain.
//
// # Values
//
// A value is what encoding/json decodes into an any, with numbers as json.Number: nil,
// bool, json.Number, string, []any and map[string]any. Decode makes one from JSON text.
// Values are never changed, so they may be shared.
package template
