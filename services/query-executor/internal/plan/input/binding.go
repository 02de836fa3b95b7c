package input

import (
	"errors"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/parse"
)

// ErrReshape reports that a value needs another plan, although it looks the same: the plan
// has to be made again with the variable's shape in view.
var ErrReshape = errors.New("the value needs another plan")

// binding is where the value of one ir.Variable comes from.
type binding struct {
	coercion *Coercion
	wrap     ir.Wrap
	// constant is the text of a value that is spelt in the document.
	constant []byte
	// origin is where the value comes from; its variable is -1 for none.
	Origin
	// template is a value that is spelt in the document with variables in it, nil for
	// none.
	template *parse.Value
	// path is where errors are.
	path *trail
	// name is that of the variable when it is one value, and this one all of it.
	name string
}

// Bindings give the values of ir.Variable, by Index. They are safe for concurrent use.
type Bindings struct {
	list  []binding
	parts *Parts
}

// newBindings takes the bindings that were made for one plan.
func newBindings(list []binding) Bindings {
	var found []jsonPart
	for i := range list {
		found = list[i].number(found)
	}
	return Bindings{list: list, parts: newParts(found)}
}

// Len is how many they are.
func (b Bindings) Len() int { return len(b.list) }

// Name is the variable that a value is, "" when it is none, only a part of one, a list or a limit.
func (b Bindings) Name(i int) string { return b.list[i].name }

// Append appends the texts for the database, nil for NULL. The values are those of the
// variables, by parse.Variable.Index.
func (b Bindings) Append(dst, values [][]byte) ([][]byte, error) {
	found, err := b.parts.Find(values)
	if err != nil {
		return dst, err
	}
	for i := range b.list {
		text, err := b.list[i].text(values, found)
		if err != nil {
			return dst, err
		}
		dst = append(dst, text)
	}
	return dst, nil
}

// text gives the text for the database, nil for NULL.
func (b *binding) text(values, parts [][]byte) ([]byte, error) {
	var json []byte
	switch {
	case b.template != nil:
		json = b.spelled(values)
	case b.variable < 0:
		return b.constant, nil
	default:
		json = b.In(values, parts)
	}
	text, wrap, err := b.coercion.Apply(json, false)
	if err != nil {
		return nil, Under(b.path.spell(), err)
	}
	if wrap != b.wrap && text != nil {
		return nil, ErrReshape
	}
	return text, nil
}

// spelled is the value that is spelt in the document, with those of its variables.
func (b *binding) spelled(values [][]byte) []byte {
	return b.template.AppendJSON(nil, func(dst []byte, v *parse.Variable) []byte { return AppendValue(dst, values[v.Index]) })
}

// AppendValue appends the value of a variable, null when it has none.
func AppendValue(dst, v []byte) []byte {
	if v == nil {
		return append(dst, "null"...)
	}
	return append(dst, v...)
}

// Under puts a path in front of an error's own.
func Under(path string, err error) error {
	e := *apierror.From(err)
	e.Path = path + strings.TrimPrefix(e.Path, "$")
	return &e
}
