package postgres

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/catalog"
	"queryengine/pkg/jsonwalk"
)

const (
	notALabelPath = "Expecting label path: a sequence of zero or more labels separated by dots, for example L1.L2.L3"
	notARaster    = "invalid hexadecimal representation of raster well known binary format"
)

// ParseInput turns a JSON value into the text that the database reads as type t. A string
// is handed on as it is, whatever the type, and the database judges it; only label paths
// and rasters are checked here. Numbers keep every digit.
func (*Dialect) ParseInput(t catalog.Type, value json.RawMessage) (backend.Input, error) {
	value = bytes.TrimSpace(value)
	if !t.IsArray() {
		return parseScalar(t, value)
	}
	switch jsonwalk.KindOf(value) {
	case jsonwalk.Array:
		return arrayLiteral(t, value)
	case jsonwalk.String:
		return input.Text(value)
	}
	return backend.Input{}, input.Unexpected("[]", "Array", value)
}

// ParseList reads a list of values as an array.
func (d *Dialect) ParseList(t catalog.Type, list json.RawMessage) (backend.Input, error) {
	t.Dims++
	return d.ParseInput(t, list)
}

// parseScalar is ParseInput for one value that isn't an array.
func parseScalar(t catalog.Type, value []byte) (backend.Input, error) {
	f := rowOf(t).family
	switch f {
	case familyJSON, familyJSONB:
		return input.JSON(value)
	case familyRaster:
		return parseRaster(value)
	case familyLTree:
		return parseLTree(value)
	}
	kind := jsonwalk.KindOf(value)
	if kind == jsonwalk.String {
		return input.Text(value)
	}
	switch f {
	case familyInteger:
		row := integers[t.Name]
		return input.Number(value, kind, row.expected, row.parse)
	case familyFloat:
		row := floats[t.Name]
		return input.Number(value, kind, row.expected, row.parse)
	case familyNumeric:
		return input.Number(value, kind, "Scientific", input.Verbatim)
	case familyMoney:
		return input.Number(value, kind, "Scientific", input.Cents)
	case familyBoolean:
		if kind != jsonwalk.Boolean {
			return backend.Input{}, input.Unexpected("Bool", "Boolean", value)
		}
		return backend.Input{Text: string(value)}, nil
	case familyText, familyString:
		return backend.Input{}, input.Unexpected("Text", "String", value)
	case familyGeometry, familyGeography:
		return parseGeoJSON(value)
	}
	return backend.Input{}, apierror.New(apierror.ParseFailed, "A string is expected for type: "+t.Name)
}

func parseRaster(value []byte) (backend.Input, error) {
	if jsonwalk.KindOf(value) != jsonwalk.String {
		return backend.Input{}, input.Unexpected("Text", "String", value)
	}
	s, err := input.Unquote(value)
	if err != nil {
		return backend.Input{}, err
	}
	if _, err := hex.DecodeString(s); err != nil {
		return backend.Input{}, apierror.New(apierror.ParseFailed, notARaster)
	}
	return backend.Input{Text: s, Wrap: wrapRaster}, nil
}

func parseLTree(value []byte) (backend.Input, error) {
	if jsonwalk.KindOf(value) != jsonwalk.String {
		return backend.Input{}, apierror.New(apierror.ParseFailed, notALabelPath)
	}
	s, err := input.Unquote(value)
	if err != nil {
		return backend.Input{}, err
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" && s != "" {
			return backend.Input{}, apierror.New(apierror.ParseFailed, notALabelPath)
		}
	}
	return backend.Input{Text: s}, nil
}

// numberRow is how numbers of one type are checked, and what messages about other values say is expected.
type numberRow struct {
	expected string
	parse    func(string) (string, error)
}

var integers = map[string]numberRow{
	"int2": {"Integer expected for input type: PGSmallInt", input.Integer(16)},
	"int4": {"Integer expected for input type: PGInteger", input.Integer(32)},
	"int8": {"Integer expected for input type: PGBigInt", input.Integer(64)},
}

var floats = map[string]numberRow{
	"float4": {"Float expected for input type: PGFloat", input.Float(32)},
	"float8": {"Float expected for input type: PGDouble", input.Float(64)},
}
