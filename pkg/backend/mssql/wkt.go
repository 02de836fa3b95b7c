package mssql

import (
	"encoding/json"
	"strings"

	"queryengine/pkg/apierror"
)

// geoJSON is a geometry of RFC 7946.
type geoJSON struct {
	Type        string            `json:"type"`
	Coordinates json.RawMessage   `json:"coordinates"`
	Geometries  []json.RawMessage `json:"geometries"`
}

// wktDepths are the geometries of coordinates, and how deep the positions are nested in them.
var wktDepths = map[string]int{
	"Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3,
}

// wellKnownText is a geometry in GeoJSON as the text that the database reads.
func wellKnownText(value []byte) (string, error) {
	var g geoJSON
	if err := json.Unmarshal(value, &g); err != nil {
		return "", apierror.New(apierror.ParseFailed, "invalid GeoJSON: "+err.Error())
	}
	if g.Type == "GeometryCollection" {
		members := make([]string, len(g.Geometries))
		for i, m := range g.Geometries {
			var err error
			if members[i], err = wellKnownText(m); err != nil {
				return "", apierror.At(apierror.At(err, i), "geometries")
			}
		}
		if len(members) == 0 {
			return "GEOMETRYCOLLECTION EMPTY", nil
		}
		return "GEOMETRYCOLLECTION (" + strings.Join(members, ", ") + ")", nil
	}
	depth, known := wktDepths[g.Type]
	if !known {
		return "", apierror.New(apierror.ParseFailed, "unexpected geometry type: "+g.Type)
	}
	text, err := coordinates(g.Coordinates, depth)
	switch {
	case err != nil:
		return "", err
	case depth == 0:
		text = "(" + text + ")"
	}
	return strings.ToUpper(g.Type) + " " + text, nil
}

// Positions have two to four numbers.
const minPosition, maxPosition = 2, 4

// coordinates are positions, or lists of them.
func coordinates(value json.RawMessage, depth int) (string, error) {
	invalid := apierror.New(apierror.ParseFailed, "invalid GeoJSON: unexpected coordinates")
	if depth == 0 {
		var position []json.Number
		if json.Unmarshal(value, &position) != nil || len(position) < minPosition || len(position) > maxPosition {
			return "", invalid
		}
		numbers := make([]string, len(position))
		for i, n := range position {
			if numbers[i] = n.String(); numbers[i] == "" {
				return "", invalid
			}
		}
		return strings.Join(numbers, " "), nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(value, &parts) != nil || len(parts) == 0 {
		return "", invalid
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		var err error
		if texts[i], err = coordinates(p, depth-1); err != nil {
			return "", err
		}
	}
	return "(" + strings.Join(texts, ", ") + ")", nil
}
