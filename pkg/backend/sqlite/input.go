package sqlite

import (
	"bytes"
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/catalog"
	"queryengine/pkg/jsonwalk"
)

// ParseInput turns a JSON value into the text that is bound as a value of type t. A string is handed on
// as it is, whatever the type: it is judged where it is bound.
func (*Dialect) ParseInput(t catalog.Type, raw json.RawMessage) (backend.Input, error) {
	raw = bytes.TrimSpace(raw)
	row := rowOf(t)
	if row.family == familyJSON {
		return input.JSON(raw)
	}
	kind := jsonwalk.KindOf(raw)
	if kind == jsonwalk.String {
		return input.Text(raw)
	}
	switch row.family {
	case familyInteger:
		return input.Number(raw, kind, "Integer expected for input type: "+integerTags[row.bits], input.Integer(row.bits))
	case familyFloat:
		return input.Number(raw, kind, "Float expected for input type: PGDouble", input.Float(64))
	case familyNumeric:
		return input.Number(raw, kind, "Scientific", input.Verbatim)
	case familyBoolean:
		if kind != jsonwalk.Boolean {
			return backend.Input{}, input.Unexpected("Bool", "Boolean", raw)
		}
		return backend.Input{Text: string(raw)}, nil
	case familyText:
		return backend.Input{}, input.Unexpected("Text", "String", raw)
	}
	return backend.Input{}, apierror.New(apierror.ParseFailed, "A string is expected for type: "+t.Name)
}

// integerTags are what messages of the wire format call integers.
var integerTags = map[int]string{16: "PGSmallInt", 32: "PGInteger", 64: "PGBigInt"}

// ParseList is ParseInput for a list.
func (d *Dialect) ParseList(t catalog.Type, list json.RawMessage) (backend.Input, error) {
	return input.List(list, func(item []byte) (backend.Input, error) { return d.ParseInput(t, item) })
}
