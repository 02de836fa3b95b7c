package postgres

import (
	"bytes"
	"encoding/json"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/jsonwalk"
)

// arrayLiteral writes a JSON list as an array literal: {1,NULL,"x"}. Elements follow the
// rules of the element type. A list in it is a further dimension, except where elements are
// JSON, which may be lists themselves.
func arrayLiteral(t catalog.Type, list []byte) (backend.Input, error) {
	element := t
	element.Dims = 0
	var b strings.Builder
	b.Grow(len(list) + 2)
	if err := writeArray(&b, element, list); err != nil {
		return backend.Input{}, err
	}
	in := backend.Input{Text: b.String()}
	if rowOf(t).family == familyGeography {
		in.Wrap = wrapGeoJSON
	}
	return in, nil
}

func writeArray(b *strings.Builder, element catalog.Type, list []byte) error {
	elements, err := listOf(list)
	if err != nil {
		return err
	}
	f := rowOf(element).family
	nested := f != familyJSON && f != familyJSONB
	b.WriteByte('{')
	for i, e := range elements {
		if i > 0 {
			b.WriteByte(delimiter(element))
		}
		e = bytes.TrimSpace(e)
		switch k := jsonwalk.KindOf(e); {
		case k == jsonwalk.Null:
			b.WriteString("NULL")
		case k == jsonwalk.Array && nested:
			err = writeArray(b, element, e)
		default:
			err = writeElement(b, element, e)
		}
		if err != nil {
			return apierror.At(err, i)
		}
	}
	b.WriteByte('}')
	return nil
}

// writeElement writes one element, in quotes: they are always allowed, and without them
// NULL, blanks and braces would mean something else. Elements have no wraps: geometry and
// raster read the texts that the wraps are for by themselves. Geography doesn't; the wrap of
// the whole list takes it through geometry.
func writeElement(b *strings.Builder, element catalog.Type, value []byte) error {
	in, err := parseScalar(element, value)
	if err != nil {
		return err
	}
	b.WriteByte('"')
	for i := range len(in.Text) {
		c := in.Text[i]
		if c == '"' || c == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return nil
}

// listOf splits a JSON list. Invalid JSON can't come here from a request, but rules and
// variables may be read from elsewhere.
func listOf(list []byte) ([]json.RawMessage, error) {
	var elements []json.RawMessage
	if err := json.Unmarshal(list, &elements); err != nil {
		return nil, apierror.New(apierror.ParseFailed, "invalid JSON: "+err.Error())
	}
	return elements, nil
}

// delimiter is what stands between the elements of an array of this type.
func delimiter(element catalog.Type) byte {
	switch element.Name {
	case "box":
		return ';'
	case "geometry", "geography":
		return ':'
	}
	return ','
}
