package rest

import (
	"net/url"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/querydoc"
)

// given is the value that a request has for a variable: texts, or JSON.
type given struct {
	texts []string
	json  []byte
}

// Variables makes the variables of the endpoint's query: from the parameters of the query
// string or of a form, from the members of body when that is a JSON object, and from the
// path; the later one wins. The result is a JSON object.
func (m *Match) Variables(parameters url.Values, body []byte) ([]byte, error) {
	values, err := m.given(parameters, body)
	if err != nil {
		return nil, err
	}
	object := []byte{'{'}
	for _, v := range m.Operation.Variables {
		g, ok := values[v.Name]
		if !ok {
			continue
		}
		delete(values, v.Name)
		value, err := encode(v, g)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(jsontext.AppendString(object, v.Name), ':')
		object = append(object, value...)
	}
	if len(values) > 0 {
		var names []string
		for name := range values {
			names = append(names, name)
		}
		return nil, apierror.New(apierror.BadRequest, "Unexpected variable "+slices.Min(names))
	}
	return append(object, '}'), nil
}

func (m *Match) given(parameters url.Values, body []byte) (map[string]given, error) {
	values := map[string]given{}
	for name, texts := range parameters {
		if gqlname.Valid(name) {
			values[name] = given{texts: texts}
		}
	}
	if v, err := jsonwalk.Parse(body); err == nil && v.Kind == jsonwalk.Object {
		err := v.Members(func(key []byte, member jsonwalk.Value) error {
			if gqlname.Valid(string(key)) {
				values[string(key)] = given{json: member.Raw}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for name, text := range m.PathValues {
		if gqlname.Valid(name) {
			values[name] = given{texts: []string{text}}
		}
	}
	return values, nil
}

// encode is the value as JSON, nil when it is left out.
func encode(v querydoc.Variable, g given) ([]byte, error) {
	if g.json != nil {
		return g.json, nil
	}
	if v.List || len(g.texts) != 1 {
		return nil, listError(v.Name, g.texts)
	}
	text := g.texts[0]
	boolean := v.Type == "Boolean" || v.Type == "Bool"
	switch {
	case text == "" && v.Type == "Boolean":
		return []byte("true"), nil
	case text == "" && !v.NonNull:
		return nil, nil
	case boolean && (text == "true" || text == "false"), isNumeric(v.Type) && isNumber(text):
		return []byte(text), nil
	}
	return jsontext.AppendString(nil, text), nil
}

func listError(name string, texts []string) error {
	value := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			value = append(value, ',')
		}
		value = jsontext.AppendString(value, text)
	}
	value = append(value, ']')
	if len(texts) == 1 {
		value = value[1 : len(value)-1]
	}
	return apierror.Newf(apierror.BadRequest,
		"List variables are not currently supported in URL or Query parameters. (Variable %s, with value %s)", name, value)
}

// isNumeric reports whether texts for variables of the type are sent as numbers.
func isNumeric(name string) bool {
	switch name {
	case "Int", "Float", "Number", "Double", "float8", "numeric": // dialect word: scalars of GraphQL
		return true
	}
	return false
}

// isNumber reports whether a text is a number of JSON.
func isNumber(text string) bool {
	v, err := jsonwalk.Parse([]byte(text))
	if err != nil || v.Kind != jsonwalk.Number {
		return false
	}
	return len(v.Raw) == len(text)
}
