package postgres

import (
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// param is where the value of a parameter comes from. Parameters are sent as text.
type param struct {
	kind  paramKind
	text  []byte // of a literal; nil is NULL
	index int    // of a variable or a list
	name  string // of a session variable
	list  []param
}

type paramKind uint8

const (
	paramLiteral paramKind = iota
	paramVariable
	paramSession
	paramSessionObject
	paramList // the text of a text[] made of other parameters
	paramEach // the text of a text[] made of a list
	paramLookup
)

// resolve is the text of the parameter in one run; nil is NULL.
func (p *param) resolve(a *backend.Args) ([]byte, error) {
	switch p.kind {
	case paramVariable:
		if p.index < 0 || p.index >= len(a.Variables) {
			return nil, fmt.Errorf("the statement needs variable %d, and there are %d", p.index, len(a.Variables))
		}
		return a.Variables[p.index], nil
	case paramSession:
		if a.Session != nil {
			if v, ok := a.Session.Variables[p.name]; ok {
				return []byte(v), nil
			}
		}
		return nil, apierror.Newf(apierror.NotFound, "missing session variable: %q", p.name)
	case paramSessionObject:
		if a.Session == nil {
			return []byte("{}"), nil
		}
		return a.Session.JSON(), nil
	case paramLookup:
		values, ok := a.Lookups[p.name]
		if !ok {
			return nil, apierror.New(apierror.NotSupported, "rules on remote relationships are not supported by this operation")
		}
		return arrayText(values), nil
	case paramList:
		return p.resolveList(a)
	case paramEach:
		if p.index < 0 || p.index >= len(a.Lists) {
			return nil, fmt.Errorf("the statement needs list %d, and there are %d", p.index, len(a.Lists))
		}
		return arrayText(a.Lists[p.index]), nil
	}
	return p.text, nil
}

// arrayText is the text form of an array.
func arrayText(values [][]byte) []byte {
	size := 2
	for _, v := range values {
		size += len(v) + len(`"",`)
	}
	text := append(make([]byte, 0, size), '{')
	for i, v := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendElement(text, v)
	}
	return append(text, '}')
}

func (p *param) resolveList(a *backend.Args) ([]byte, error) {
	text := []byte{'{'}
	for i := range p.list {
		v, err := p.list[i].resolve(a)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = appendElement(text, v)
	}
	return append(text, '}'), nil
}

// appendElement appends an element of the text form of an array; nil is NULL.
func appendElement[T ~string | ~[]byte](dst []byte, v T) []byte {
	if b, ok := any(v).([]byte); ok && b == nil {
		return append(dst, "NULL"...)
	}
	dst = append(dst, '"')
	for i := range len(v) {
		if v[i] == '"' || v[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, v[i])
	}
	return append(dst, '"')
}

// value renders an operand: a parameter, cast to its type, so that its text is read by the
// type's own input function.
func (r *renderer) value(v ir.Value) string {
	switch v := v.(type) {
	case ir.Literal:
		if v.Null {
			return "NULL::" + typeName(v.Type)
		}
		return r.bind(param{kind: paramLiteral, text: []byte(v.Text)}, v.Type, v.Wrap)
	case ir.Variable:
		return r.bind(param{kind: paramVariable, index: v.Index}, v.Type, v.Wrap)
	case ir.SessionVar:
		return r.bind(param{kind: paramSession, name: v.Name}, v.Type, v.Wrap)
	case ir.Lookup:
		return r.bind(param{kind: paramLookup, name: backend.LookupKey(v)}, v.Type, ir.WrapNone)
	case ir.SessionObject:
		return r.bind(param{kind: paramSessionObject}, v.Type, ir.WrapNone)
	case ir.Default:
		return "DEFAULT"
	}
	r.fail("unknown value %T", v)
	return "NULL"
}

// nullableValue says whether an operand may be NULL when the statement runs.
func nullableValue(v ir.Value) bool {
	switch v := v.(type) {
	case ir.Literal:
		return v.Null
	case ir.SessionVar, ir.SessionObject:
		return false
	}
	return true
}

// bind makes a parameter, or takes the one that is there for the same value and type.
func (r *renderer) bind(p param, t catalog.Type, wrap ir.Wrap) string {
	cast := typeName(t)
	if wrap != ir.WrapNone {
		cast = "text"
	}
	if r.live != nil && p.kind != paramLiteral {
		return r.live.column(p, t, cast, wrap)
	}
	key := fmt.Sprintf("%d %d %s %q %q", p.kind, p.index, cast, p.name, p.text)
	text, ok := r.bound[key]
	if !ok || p.kind == paramList {
		text = r.place(p) + "::" + cast
		if r.bound == nil {
			r.bound = map[string]string{}
		}
		r.bound[key] = text
	}
	return wrapped(text, t, wrap)
}

// wrapped applies the function that makes a value of a text.
func wrapped(text string, t catalog.Type, wrap ir.Wrap) string {
	switch wrap {
	case ir.WrapGeoJSON:
		if t.IsArray() {
			// The literal of an array of geometry may hold GeoJSON, that of geography may not.
			return text + "::geometry[]::" + typeName(t)
		}
		text = "ST_GeomFromGeoJSON(" + text + ")"
		if t.Name == "geography" {
			text += "::" + typeName(t)
		}
	case ir.WrapRaster:
		text = "ST_RastFromHexWKB(" + text + ")"
	}
	return text
}

// place is the next parameter, or its value where values are inlined.
func (r *renderer) place(p param) string {
	if r.mode.inline != nil {
		text, err := r.mode.inline(p)
		if err != nil && r.err == nil {
			r.err = err
		}
		return text
	}
	r.params = append(r.params, p)
	return "$" + strconv.Itoa(len(r.params))
}

// written renders rows of a table from their texts. The server does not notice when a prepared
// statement mentions the row type of a table that was made anew, and then the transaction had
// to begin again; so it is not prepared.
func (r *renderer) written(w ir.Written) string {
	r.once = true
	row := catalog.Type{Schema: w.Table.Schema, Name: w.Table.Name, Kind: catalog.TypeComposite, Dims: 1}
	if len(w.Rows) == 1 {
		if all, ok := w.Rows[0].(ir.Each); ok {
			return "unnest(" + r.bind(param{kind: paramEach, index: all.Index}, row, ir.WrapNone) + ")"
		}
	}
	list := make([]param, len(w.Rows))
	for i, v := range w.Rows {
		switch v := v.(type) {
		case ir.Literal:
			list[i] = param{kind: paramLiteral, text: []byte(v.Text)}
		case ir.Variable:
			list[i] = param{kind: paramVariable, index: v.Index}
		default:
			r.fail("a written row can't be %T", v)
		}
	}
	return "unnest(" + r.bind(param{kind: paramList, list: list}, row, ir.WrapNone) + ")"
}

// path renders the path of a JSON operator.
func (r *renderer) path(keys []string) string {
	text := []byte{'{'}
	for i, k := range keys {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendElement(text, k)
	}
	text = append(text, '}')
	return r.bind(param{kind: paramLiteral, text: text}, catalog.Type{Name: "text", Dims: 1}, ir.WrapNone)
}

// count renders a limit or an offset. A constant is part of the text, as the planner can do
// much with it; it is a number by then and no text of a user.
func (r *renderer) count(v ir.Value) string {
	if l, ok := v.(ir.Literal); ok && !l.Null {
		if n, err := strconv.ParseInt(strings.TrimSpace(l.Text), 10, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
	}
	return r.value(v)
}

// limit is the smaller one of the limit argument and the limit of the role; empty for none.
func (r *renderer) limit(argument ir.Value, rows int) string {
	switch {
	case rows == ir.NoRows:
		return "0"
	case argument == nil && rows == 0:
		return ""
	case argument == nil:
		return strconv.Itoa(rows)
	}
	text := r.limitArgument(argument)
	if rows == 0 {
		return text
	}
	if n, err := strconv.Atoi(text); err == nil {
		return strconv.Itoa(min(n, rows))
	}
	// least() passes over NULL: no argument, and the role's limit holds.
	return "least(" + text + ", " + strconv.Itoa(rows) + ")"
}

// limitArgument renders a limit. One that is a variable is part of the text where the text is for it.
func (r *renderer) limitArgument(v ir.Value) string {
	variable, ok := v.(ir.Variable)
	if !ok || r.live != nil {
		return r.count(v)
	}
	if known, ok := r.mode.limits[variable.Index]; ok {
		return known
	}
	r.limits = append(r.limits, variable.Index)
	return r.count(v)
}
