package postgres

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/jsonwalk"
)

// geoJSON is a geometry of RFC 7946; crs and bbox are the database's business.
type geoJSON struct {
	Type        *string           `json:"type"`
	Coordinates json.RawMessage   `json:"coordinates"`
	Geometries  []json.RawMessage `json:"geometries"`
}

type (
	position = []json.Number
	line     = []position
)

// parseGeoJSON checks a GeoJSON geometry and hands it on as it was given.
func parseGeoJSON(value []byte) (backend.Input, error) {
	if err := checkGeometry(value); err != nil {
		return backend.Input{}, err
	}
	in, err := input.JSON(value)
	in.Wrap = wrapGeoJSON
	return in, err
}

func checkGeometry(value []byte) error {
	if jsonwalk.KindOf(value) != jsonwalk.Object {
		return input.Unexpected("Geometry", "Object", value)
	}
	var g geoJSON
	if err := json.Unmarshal(value, &g); err != nil {
		return apierror.New(apierror.ParseFailed, "invalid GeoJSON: "+err.Error())
	}
	if g.Type == nil {
		return missingKey("type")
	}
	switch *g.Type {
	case "Point":
		return checkCoordinates(g, checkPosition)
	case "MultiPoint":
		return checkCoordinates(g, each(checkPosition))
	case "LineString":
		return checkCoordinates(g, checkLine)
	case "MultiLineString":
		return checkCoordinates(g, each(checkLine))
	case "Polygon":
		return checkCoordinates(g, each(checkRing))
	case "MultiPolygon":
		return checkCoordinates(g, each(each(checkRing)))
	case "GeometryCollection":
		if g.Geometries == nil {
			return missingKey("geometries")
		}
		for _, member := range g.Geometries {
			if err := checkGeometry(member); err != nil {
				return err
			}
		}
		return nil
	}
	return apierror.New(apierror.ParseFailed, "unexpected geometry type: "+*g.Type)
}

// checkCoordinates decodes the coordinates into the shape that check takes.
func checkCoordinates[T any](g geoJSON, check func(T) error) error {
	if g.Coordinates == nil {
		return missingKey("coordinates")
	}
	var coordinates T
	if err := json.Unmarshal(g.Coordinates, &coordinates); err != nil {
		return apierror.New(apierror.ParseFailed, "invalid GeoJSON: "+err.Error())
	}
	return check(coordinates)
}

func each[T any](check func(T) error) func([]T) error {
	return func(list []T) error {
		for _, item := range list {
			if err := check(item); err != nil {
				return err
			}
		}
		return nil
	}
}

func checkPosition(p position) error {
	if len(p) < 2 {
		return apierror.New(apierror.ParseFailed, "A Position needs at least 2 elements")
	}
	return nil
}

func checkLine(l line) error {
	if err := each(checkPosition)(l); err != nil {
		return err
	}
	if len(l) < 2 {
		return apierror.New(apierror.ParseFailed, "A LineString needs at least 2 Positions")
	}
	return nil
}

func checkRing(l line) error {
	if err := each(checkPosition)(l); err != nil {
		return err
	}
	if len(l) < 4 {
		return apierror.New(apierror.ParseFailed, "A LinearRing needs at least 4 Positions")
	}
	if !samePosition(l[0], l[len(l)-1]) {
		return apierror.New(apierror.ParseFailed, "the first and last locations have to be equal for a LinearRing")
	}
	return nil
}

// samePosition compares as the database will: by value, so that 1 equals 1.0.
func samePosition(a, b position) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if input.DecimalOf(string(a[i])) != input.DecimalOf(string(b[i])) {
			return false
		}
	}
	return true
}

func missingKey(key string) error {
	return apierror.Newf(apierror.ParseFailed, "key %q not found", key)
}
