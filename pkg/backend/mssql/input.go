package mssql

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/catalog"
	"queryengine/pkg/jsonwalk"
)

// ParseInput turns a JSON value into the text that is bound as a value of type t. The database reads the texts
// of most types; those of bytes and of geometries in GeoJSON are changed into what it reads.
func (*Dialect) ParseInput(t catalog.Type, raw json.RawMessage) (backend.Input, error) {
	raw = bytes.TrimSpace(raw)
	row, kind := rowOf(t), jsonwalk.KindOf(raw)
	switch {
	case t.Name == typeJSON.Name:
		return input.JSON(raw)
	case row.family == familySpatial && kind == jsonwalk.Object:
		text, err := wellKnownText(raw)
		return backend.Input{Text: text}, err
	case kind == jsonwalk.String:
		in, err := input.Text(raw)
		if row.family == familyBytes && err == nil {
			in.Text, err = hexOf(in.Text)
		}
		return in, err
	}
	switch row.family {
	case familyInteger:
		return input.Number(raw, kind, "Integer expected for input type: "+row.name, input.Integer(row.bits))
	case familyFloat:
		return input.Number(raw, kind, "Float expected for input type: "+row.name, input.Float(row.bits))
	case familyDecimal:
		return input.Number(raw, kind, "Scientific", digits)
	case familyBoolean:
		// Rules of permissions may have the numbers that a bit is written as.
		if text := string(raw); kind == jsonwalk.Boolean || text == "0" || text == "1" {
			return backend.Input{Text: text}, nil
		}
		return backend.Input{}, input.Unexpected("Bool", "Boolean", raw)
	case familyText:
		return backend.Input{}, input.Unexpected("Text", "String", raw)
	case familyOpaque, familyTime, familyUUID, familyBytes, familyPath, familySpatial:
	}
	return backend.Input{}, apierror.New(apierror.ParseFailed, "A string is expected for type: "+row.name)
}

// maxDigits is more digits than a decimal has.
const maxDigits = 60

// digits writes a number without an exponent, which the database doesn't read as a decimal. What no decimal
// holds stays as it is.
func digits(number string) (string, error) {
	mantissa, exponent, found := strings.Cut(strings.ToLower(number), "e")
	if !found || len(strings.TrimLeft(exponent, "+-0")) > len("99") || len(mantissa) > maxDigits {
		return number, nil
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return number, nil
	}
	text := r.FloatString(maxDigits)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), "."), nil
}

// hexOf is the text of bytes as the database reads it. Clients send them as answers have them, in base64.
func hexOf(text string) (string, error) {
	if digits, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		if _, err := hex.DecodeString(digits); err == nil {
			return "0x" + digits, nil
		}
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", apierror.New(apierror.ParseFailed, "expected bytes in base64, or in hexadecimal digits after 0x")
	}
	return "0x" + hex.EncodeToString(b), nil
}

// ParseList is ParseInput for a list.
func (d *Dialect) ParseList(t catalog.Type, list json.RawMessage) (backend.Input, error) {
	return input.List(list, func(item []byte) (backend.Input, error) { return d.ParseInput(t, item) })
}
