package sqlite

import (
	"bytes"
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
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
	list = bytes.TrimSpace(list)
	switch jsonwalk.KindOf(list) {
	case jsonwalk.Array:
	case jsonwalk.String:
		return input.Text(list)
	default:
		return backend.Input{}, input.Unexpected("[]", "Array", list)
	}
	texts := [][]byte{}
	err := jsonwalk.Items(list, func(i int, item []byte) error {
		if jsonwalk.KindOf(item) == jsonwalk.Null {
			texts = append(texts, nil)
			return nil
		}
		in, err := d.ParseInput(t, item)
		if err != nil {
			return apierror.At(err, i)
		}
		texts = append(texts, []byte(in.Text))
		return nil
	})
	return backend.Input{Text: string(listText(texts))}, err
}

// listText is the text of a list: a JSON array of the texts of its values; nil is null.
func listText(values [][]byte) []byte {
	size := 2
	for _, v := range values {
		size += len(v) + len(`"",`)
	}
	text := append(make([]byte, 0, size), '[')
	for i, v := range values {
		if i > 0 {
			text = append(text, ',')
		}
		if v == nil {
			text = append(text, "null"...)
		} else {
			text = answer.AppendString(text, v)
		}
	}
	return append(text, ']')
}
