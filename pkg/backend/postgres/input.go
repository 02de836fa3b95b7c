package postgres

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
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
		return text(value)
	}
	return backend.Input{}, unexpectedKind("[]", "Array", value)
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
		return compactJSON(value)
	case familyRaster:
		return parseRaster(value)
	case familyLTree:
		return parseLTree(value)
	}
	kind := jsonwalk.KindOf(value)
	if kind == jsonwalk.String {
		return text(value)
	}
	switch f {
	case familyInteger:
		return number(value, kind, "Integer expected for input type: "+integers[t.Name].tag, integers[t.Name].parse)
	case familyFloat:
		return number(value, kind, "Float expected for input type: "+floats[t.Name].tag, floats[t.Name].parse)
	case familyNumeric:
		return number(value, kind, "Scientific", verbatim)
	case familyMoney:
		return number(value, kind, "Scientific", cents)
	case familyBoolean:
		if kind != jsonwalk.Boolean {
			return backend.Input{}, unexpectedKind("Bool", "Boolean", value)
		}
		return backend.Input{Text: string(value)}, nil
	case familyText, familyString:
		return backend.Input{}, unexpectedKind("Text", "String", value)
	case familyGeometry, familyGeography:
		return parseGeoJSON(value)
	}
	return backend.Input{}, apierror.New(apierror.ParseFailed, "A string is expected for type: "+t.Name)
}

func number(value []byte, k jsonwalk.Kind, expected string, parse func(string) (string, error)) (backend.Input, error) {
	if k != jsonwalk.Number {
		return backend.Input{}, unexpectedKind(expected, "Number", value)
	}
	text, err := parse(string(value))
	return backend.Input{Text: text}, err
}

// text decodes a JSON string.
func text(value []byte) (backend.Input, error) {
	s, err := unquote(value)
	return backend.Input{Text: s}, err
}

func parseRaster(value []byte) (backend.Input, error) {
	if jsonwalk.KindOf(value) != jsonwalk.String {
		return backend.Input{}, unexpectedKind("Text", "String", value)
	}
	s, err := unquote(value)
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
	s, err := unquote(value)
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

// compactJSON keeps keys and numbers as they were given and drops the space between them,
// so that a value is stored alike however the client wrote it.
func compactJSON(value []byte) (backend.Input, error) {
	var b bytes.Buffer
	b.Grow(len(value))
	if err := json.Compact(&b, value); err != nil {
		return backend.Input{}, apierror.New(apierror.ParseFailed, "invalid JSON: "+err.Error())
	}
	return backend.Input{Text: b.String()}, nil
}

func unexpectedKind(parsing, expected string, value []byte) error {
	return apierror.Newf(apierror.ParseFailed, "parsing %s failed, expected %s, but encountered %s",
		parsing, expected, jsonwalk.KindOf(value))
}

// unquote decodes a JSON string.
func unquote(value []byte) (string, error) {
	s, err := jsonwalk.Text(value)
	if err != nil {
		return "", apierror.New(apierror.ParseFailed, "invalid JSON: "+err.Error())
	}
	return s, nil
}
