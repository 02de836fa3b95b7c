package postgres

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// wrapped applies the function that makes a value of a text.
func wrapped(text string, t catalog.Type, wrap ir.Wrap) string {
	switch wrap {
	case wrapGeoJSON:
		if t.IsArray() {
			// The literal of an array of geometry may hold GeoJSON, that of geography may not.
			return text + "::geometry[]::" + typeName(t)
		}
		text = "ST_GeomFromGeoJSON(" + text + ")"
		if t.Name == "geography" {
			text += "::" + typeName(t)
		}
	case wrapRaster:
		text = "ST_RastFromHexWKB(" + text + ")"
	}
	return text
}

// written renders rows of a table from their texts. The server does not notice when a prepared
// statement mentions the row type of a table that was recreated, and then the transaction had to begin
// again; so it is not prepared.
func (r *renderer) written(w ir.Written) string {
	r.once = true
	if len(w.Key) > 0 {
		return r.keyed(w)
	}
	return r.unnest(w, catalog.Type{Schema: w.Table.Schema, Name: w.Table.Name, Kind: catalog.TypeComposite, Dims: 1})
}

// unnest is a relation of the texts of written rows, read as a type.
func (r *renderer) unnest(w ir.Written, row catalog.Type) string {
	if len(w.Rows) == 1 {
		if all, ok := w.Rows[0].(ir.Each); ok {
			return "unnest(" + r.Bind(sqltext.Param{Kind: sqltext.ParamEach, Index: all.Index}, sqltext.As{Type: row}) + ")"
		}
	}
	list := make([]sqltext.Param, len(w.Rows))
	for i, v := range w.Rows {
		switch v := v.(type) {
		case ir.Literal:
			list[i] = sqltext.Param{Kind: sqltext.ParamLiteral, Text: []byte(v.Text)}
		case ir.Variable:
			list[i] = sqltext.Param{Kind: sqltext.ParamVariable, Index: v.Index}
		default:
			r.Fail("a written row can't be %T", v)
		}
	}
	return "unnest(" + r.Bind(sqltext.Param{Kind: sqltext.ParamList, List: list}, sqltext.As{Type: row}) + ")"
}

// keyText is the key of a row: an array with the texts of its columns. Citus takes nothing in RETURNING that depends on the session, as the
// text of the array does.
func (r *renderer) keyText(key []ir.Column, in *sqltext.Scope) string {
	texts := make([]string, len(key))
	for i, c := range key {
		texts[i] = r.Column(in, c.Name) + "::text"
	}
	return "ARRAY[" + strings.Join(texts, ", ") + "]"
}

// keyed is a relation of the rows of a table whose keys were handed out.
func (r *renderer) keyed(w ir.Written) string {
	row, keys := r.Alias(), r.Alias()
	texts := typeText
	texts.Dims = 1
	same := make([]string, len(w.Key))
	for i, c := range w.Key {
		same[i] = row + "." + quote.Name(c.Name) + " = (" + keys + "::text[])[" + strconv.Itoa(i+1) + "]::" + typeName(c.Type)
	}
	return "(SELECT " + row + ".* FROM " + quote.Qualified(w.Table) + " AS " + row + " JOIN " + r.unnest(w, texts) + " AS " + keys + " ON " +
		strings.Join(same, " AND ") + ")"
}

// jsonValue renders a part of a JSON value, read as one of backend.Tables.JSONKinds.
func (r *renderer) jsonValue(e ir.JSONValue, in *sqltext.Scope) string {
	kind := r.flavor.Tables().JSONKind(e.Kind)
	if kind == nil {
		r.Fail("no kind of JSON values: %q", e.Kind)
		return "NULL"
	}
	text, _ := sqltext.Fill(kind.SQL, r.Expr(e.Expr, in), []string{r.path(e.Path)})
	return text
}

// path renders the path of a JSON operator.
func (r *renderer) path(keys []string) string {
	text := []byte{'{'}
	for i, k := range keys {
		if i > 0 {
			text = append(text, ',')
		}
		text = quote.AppendElement(text, k)
	}
	text = append(text, '}')
	return r.Bind(sqltext.Param{Kind: sqltext.ParamLiteral, Text: text}, sqltext.As{Type: typeText, List: true})
}
