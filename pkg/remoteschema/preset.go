package remoteschema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
)

// Preset is a value that the engine gives, instead of the client, to an argument or to a
// field of an input object.
type Preset struct {
	*Input
	Value Value
}

// Value is the value of a preset: Literal, SessionVariable, ListValue or ObjectValue.
type Value interface{ isValue() }

// Literal is a value without session variables, spelt in GraphQL.
type Literal struct{ Text string }

// SessionVariable is the value of a session variable, of a scalar or an enum. It is sent as a variable
// with the name in Variable and the type in Type, not nullable.
type SessionVariable struct {
	Name string // in lower case
	Type *Type
}

// ListValue is a list in which there are session variables.
type ListValue struct{ Items []Value }

// ObjectValue is an input object in which there are session variables.
type ObjectValue struct{ Fields []ObjectField }

// ObjectField is a field of an ObjectValue.
type ObjectField struct {
	Name  string
	Value Value
}

func (Literal) isValue()         {}
func (SessionVariable) isValue() {}
func (ListValue) isValue()       {}
func (ObjectValue) isValue()     {}

// Variable is the name of the variable that carries the value to the remote.
func (v SessionVariable) Variable() string { return strings.ReplaceAll(v.Name, "-", "_") }

// Coerce turns the text of the session variable into JSON of its type.
func (v SessionVariable) Coerce(text string) (json.RawMessage, error) {
	var valid bool
	switch {
	case v.Type.Kind == Enum:
		if v.Type.Value(text) == nil {
			return nil, apierror.Newf(apierror.CoercionError, "%q is not one of the valid enum values", text)
		}
		valid = true
	case v.Type.Remote == "Int":
		i, err := strconv.ParseInt(text, 10, 32)
		if err == nil {
			return strconv.AppendInt(nil, i, 10), nil
		}
	case v.Type.Remote == "Float":
		f, err := strconv.ParseFloat(text, 64)
		if encoded, invalid := json.Marshal(f); err == nil && invalid == nil {
			return encoded, nil
		}
	case v.Type.Remote == "Boolean":
		if text == "true" || text == "false" {
			return json.RawMessage(text), nil
		}
	default:
		valid = true
	}
	if !valid {
		return nil, apierror.New(apierror.CoercionError, fmt.Sprintf("%q cannot be coerced into %s value", text, article(v.Type.Remote)))
	}
	return json.Marshal(text)
}

func article(name string) string {
	if name == "Int" {
		return "an Int"
	}
	return "a " + name
}
