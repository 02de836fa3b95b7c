package postgres

import (
	"strings"

	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// keys renders rows that the caller supplies as JSON. The server reads the values by the input
// functions of the columns' types, so that a number, or its text, both become what a number is
// compared with.
func (r *renderer) keys(k ir.Keys) string {
	list := r.Bind(sqltext.Param{Kind: sqltext.ParamVariable, Index: k.Index}, sqltext.As{Type: catalog.Type{Name: "json"}})
	if len(k.Columns) == 0 {
		return "(SELECT " + `"n" AS ` + quote.Name(k.Ordinal) +
			" FROM json_array_elements(" + list + `) WITH ORDINALITY AS "e"("v", "n"))`
	}
	definitions, names := make([]string, len(k.Columns)), make([]string, len(k.Columns)+1)
	for i, c := range k.Columns {
		names[i] = quote.Name(c.Name)
		definitions[i] = names[i] + " " + typeName(c.Type)
	}
	names[len(k.Columns)] = quote.Name(k.Ordinal)
	return "(SELECT * FROM ROWS FROM (json_to_recordset(" + list + ") AS (" + strings.Join(definitions, ", ") +
		`)) WITH ORDINALITY AS "k"(` + strings.Join(names, ", ") + "))"
}
