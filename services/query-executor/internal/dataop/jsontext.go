package dataop

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/resolve"
)

// With "json_as_text", JSON is in requests and answers what the database has: its blanks, the order of its
// keys, and a null that isn't NULL.

// readJSONAs decides how JSON is read and written.
func (p *planner) readJSONAs(r *request, t *resolve.Table) error {
	if !r.jsonAsText {
		return nil
	}
	dialect := t.Source.Dialect
	known := dialect.Builtin(backend.TypeJSON)
	text, ok := dialect.CanCast(known, "text")
	if !ok {
		return apierror.At(lacks(t, "json_as_text"), "json_as_text")
	}
	p.jsonText = &text
	return nil
}

// isText reports whether values of a type are texts that hold JSON.
func (p *planner) isText(t *resolve.Table, of catalog.Type) bool {
	return p.jsonText != nil && !of.IsArray() && t.Source.Dialect.Scalar(of).JSON
}

// shownAs is a value of a row as an answer has it.
func (p *planner) shownAs(t *resolve.Table, e ir.Expr, of catalog.Type) ir.Scalar {
	if p.isText(t, of) {
		return ir.Scalar{Expr: ir.Cast{Expr: e, Type: *p.jsonText}, Type: *p.jsonText}
	}
	return ir.Scalar{Expr: e, Type: of}
}

// textOf is a value as the text by which the database writes it, and reads it again.
func textOf(t *resolve.Table, s ir.Scalar) (ir.Scalar, error) {
	dialect := t.Source.Dialect
	if !dialect.Tables().TextOfAll {
		return s, apierror.At(lacks(t, "as_text"), "as_text")
	}
	text := dialect.Builtin(backend.TypeText)
	return ir.Scalar{Expr: ir.Cast{Expr: s.Expr, Type: text}, Type: text}, nil
}

// jsonInText is the value of JSON that a text holds.
func jsonInText(t *resolve.Table, of catalog.Type, raw []byte) (ir.Value, error) {
	text, err := readText(raw)
	if err != nil {
		return nil, err
	}
	if !json.Valid([]byte(text)) {
		return nil, apierror.New(apierror.ParseFailed, "invalid JSON: the text holds none, and json_as_text is given")
	}
	input, err := t.Source.Dialect.ParseInput(of, json.RawMessage(text))
	return ir.Literal{Text: text, Type: of, Wrap: input.Wrap}, err // the input has no blanks
}

// given is what a request gives for a column, as webhooks are shown it: JSON is JSON to them.
func (p *planner) given(t *resolve.Table, name string, raw []byte) any {
	if c := t.Column(name); c != nil && jsonwalk.KindOf(raw) == jsonwalk.String && p.isText(t, c.Type) {
		text, _ := readText(raw) // it was read before
		raw = []byte(text)
	}
	return decode(raw)
}
