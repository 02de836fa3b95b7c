package bigquery

import (
	"bytes"
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsonwalk"
)

// wrapGeoJSON reads a geography in GeoJSON.
const wrapGeoJSON ir.Wrap = "geojson"

// ParseInput turns a JSON value into the text that is bound as a value of type t. A string is handed on as it is,
// whatever the type: BigQuery judges it.
func (d Dialect) ParseInput(t catalog.Type, raw json.RawMessage) (backend.Input, error) {
	raw = bytes.TrimSpace(raw)
	if t.IsArray() {
		t.Dims = 0
		return d.ParseList(t, raw)
	}
	row, kind := rowOf(t), jsonwalk.KindOf(raw)
	switch {
	case row.family == familyJSON:
		return input.JSON(raw)
	case row.family == familyGeography && kind == jsonwalk.Object:
		return backend.Input{Text: string(raw), Wrap: wrapGeoJSON}, nil
	case kind == jsonwalk.String:
		return input.Text(raw)
	}
	switch row.family {
	case familyInteger:
		return input.Number(raw, kind, "Integer expected for input type: INT64", input.Integer(64))
	case familyFloat:
		return input.Number(raw, kind, "Float expected for input type: FLOAT64", input.Float(64))
	case familyDecimal:
		return input.Number(raw, kind, "Scientific", input.Verbatim)
	case familyBoolean:
		if kind != jsonwalk.Boolean {
			return backend.Input{}, input.Unexpected("Bool", "Boolean", raw)
		}
		return backend.Input{Text: string(raw)}, nil
	case familyText:
		return backend.Input{}, input.Unexpected("Text", "String", raw)
	case familyOpaque, familyTime, familyBytes, familyGeography, familyJSON:
	}
	return backend.Input{}, apierror.New(apierror.ParseFailed, "A string is expected for type: "+row.name)
}

// ParseList is ParseInput for a list.
func (d Dialect) ParseList(t catalog.Type, list json.RawMessage) (backend.Input, error) {
	return input.List(list, func(item []byte) (backend.Input, error) { return d.ParseInput(t, item) })
}
