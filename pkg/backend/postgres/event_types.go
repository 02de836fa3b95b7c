package postgres

import (
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/catalog"
)

// eventTypes is what the log of events has to know of types.
type eventTypes struct{}

// Shown is how a value is shown that isn't shown as it is, "" for others.
func (eventTypes) Shown(value string, t catalog.Type, stringify bool) string {
	row := typeRows[t.Name]
	switch {
	case t.IsArray() && row.stringified && stringify:
		return value + "::text[]"
	case t.IsArray():
		return ""
	case row.family == familyGeometry, row.family == familyGeography:
		return "engine_catalog.event_geojson(" + value + ", " + quote.Literal(t.Schema) + ")"
	case row.stringified && stringify:
		return value + "::text"
	}
	return ""
}

// MayFail reports whether a value of a type may have no JSON, or JSON that jsonb can't hold: json keeps its text, other types may contain json,
// and extensions and users define casts to json.
func (eventTypes) MayFail(t catalog.Type) bool {
	switch t.Kind {
	case catalog.TypeEnum, catalog.TypeRange:
		return false
	case catalog.TypeComposite:
		return true
	}
	return t.Name == "json" || t.Schema != ""
}

// HasEquality: such types are compared as the database does it, others by their text: some have no
// equality, and some call things equal that aren't.
func (eventTypes) HasEquality(t catalog.Type) bool {
	switch t.Kind {
	case catalog.TypeEnum, catalog.TypeRange:
		return true
	case catalog.TypeComposite:
		return false
	}
	switch t.Name {
	case "json", "xml":
		return false
	}
	return t.Schema == "" && builtinTypes[t.Name] != 0 && t.Name != "point"
}
