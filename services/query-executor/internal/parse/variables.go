package parse

import (
	"bytes"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
)

// NullPolicy decides what a null does that a client sends for a non-nullable variable.
type NullPolicy bool

// The policies.
const (
	RefuseNull NullPolicy = false
	AcceptNull NullPolicy = true
)

// Values reads the values of the operation's variables from the JSON object of a request,
// by Variable.Index. It appends to dst[:0], with a default where the client gave no value
// and nil where there is no default either. The values are parts of object.
func (op *Operation) Values(dst [][]byte, object []byte, nulls NullPolicy) ([][]byte, error) {
	dst = dst[:0]
	for range op.Variables {
		dst = append(dst, nil)
	}
	unexpected, err := op.scan(dst, object)
	if err != nil {
		return nil, err
	}
	for i, v := range op.Variables {
		switch value := dst[i]; {
		case value == nil && v.Default != nil:
			dst[i] = v.Default
		case value == nil && v.Type.NonNull:
			return nil, apierror.Newf(apierror.ValidationFailed, "expecting a value for non-nullable variable: %q", v.Name)
		case value != nil && v.Type.NonNull && nulls == RefuseNull && jsonwalk.KindOf(value) == jsonwalk.Null:
			return nil, apierror.Newf(apierror.ValidationFailed, "null value found for non-nullable type: %q", v.Type.String())
		}
	}
	if len(unexpected) > 0 {
		return nil, apierror.New(apierror.ValidationFailed, "unexpected variables in variableValues: "+strings.Join(unexpected, ", "))
	}
	return dst, nil
}

// scan puts the members of object into dst and names those that the operation has no use
// for.
func (op *Operation) scan(dst [][]byte, object []byte) (unexpected []string, err error) {
	if len(object) == 0 || jsonwalk.KindOf(object) == jsonwalk.Null {
		return nil, nil
	}
	err = jsonwalk.Fields(object, func(key, value []byte) error {
		v := op.variable(key)
		if v == nil || !v.Used {
			unexpected = append(unexpected, string(key))
		}
		if v != nil {
			dst[v.Index] = value
		}
		return nil
	})
	if err != nil {
		return nil, apierror.New(apierror.InvalidJSON, "the variables are not a JSON object")
	}
	return unexpected, nil
}

func (op *Operation) variable(name []byte) *Variable {
	for _, v := range op.Variables {
		if bytes.Equal(name, []byte(v.Name)) {
			return v
		}
	}
	return nil
}
