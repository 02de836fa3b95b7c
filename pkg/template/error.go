package template

import "fmt"

// The kinds of errors, spelt as they are on the wire.
const (
	LexError       = "Lex Error"
	ParseError     = "Parse Error"
	NameError      = "Name Error"
	AttributeError = "Attribute Error"
	TypeError      = "Type Error"
	IndexError     = "Index Error"
	FunctionError  = "Function Error"
)

// Span is a part of a template: lines count from 0, columns from 1 in characters, the end
// is exclusive.
type Span struct {
	StartLine   int `json:"start_line"`
	StartColumn int `json:"start_column"`
	EndLine     int `json:"end_line"`
	EndColumn   int `json:"end_column"`
}

// to is the span from the start of s to the end of end.
func (s Span) to(end Span) Span {
	s.EndLine, s.EndColumn = end.EndLine, end.EndColumn
	return s
}

// Error is why a template can't be parsed or evaluated. It encodes to the JSON that
// clients see.
type Error struct {
	Code     string `json:"error_code"`
	Message  string `json:"message"`
	Position Span   `json:"source_position"`
	// limit marks the violation of a bound, which optional access doesn't forgive.
	limit bool
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s at line %d, column %d: %s", e.Code, e.Position.StartLine+1, e.Position.StartColumn, e.Message)
}

func failure(code string, at Span, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Position: at}
}

func mismatch(at Span, expected string, actual any) *Error {
	return failure(TypeError, at, "Couldn't match expected type '%s' with actual type '%s'", expected, TypeName(actual))
}

func exceeded(at Span, format string, args ...any) *Error {
	e := failure(FunctionError, at, format, args...)
	e.limit = true
	return e
}
