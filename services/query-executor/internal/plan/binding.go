package plan

import (
	"errors"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/rawjson"
)

// ErrReshape says that a value needs another plan, although it looks the same: the plan
// has to be made again with the variable's shape in view.
var ErrReshape = errors.New("the value needs another plan")

// ErrGrow says that rows are related in a way that no rows were when the plan was made: it has
// to be made again, with Options.Inserts.
var ErrGrow = errors.New("the rows need more of the plan")

// Binding gives the value of one ir.Variable.
type Binding struct {
	coercion *coercion
	wrap     ir.Wrap
	// constant is the text of a value that is spelt in the document.
	constant []byte
	// variable is the index of the variable that the value is part of, -1 for none, and
	// way how to get to it.
	variable int
	way      []step
	// template is a value that is spelt in the document with variables in it, nil for
	// none.
	template *parse.Value
	// path is where errors are.
	path string
	// name is that of the variable when the value is all of it.
	name string
}

// Name is the variable that the value is, "" when it is none or only a part of one.
func (b *Binding) Name() string { return b.name }

// Variable is the variable that the value depends on, -1 for none or several.
func (b *Binding) Variable() int { return b.variable }

// Text gives the text for the database, nil for NULL. The values are those of the
// variables, by parse.Variable.Index.
func (b *Binding) Text(values [][]byte) ([]byte, error) {
	if b.variable < 0 && b.template == nil {
		return b.constant, nil
	}
	text, wrap, err := b.coercion.apply(b.json(values), false)
	if err != nil {
		return nil, under(b.path, err)
	}
	if wrap != b.wrap && text != nil {
		return nil, ErrReshape
	}
	return text, nil
}

// json is the value in a request's variables.
func (b *Binding) json(values [][]byte) []byte {
	if b.template != nil {
		return b.template.AppendJSON(nil, func(dst []byte, v *parse.Variable) []byte { return appendValue(dst, values[v.Index]) })
	}
	v := values[b.variable]
	for _, s := range b.way {
		v = below(v, s)
	}
	return v
}

func appendValue(dst, v []byte) []byte {
	if v == nil {
		return append(dst, "null"...)
	}
	return append(dst, v...)
}

// below is the value one step below v, nil when there is none.
func below(v []byte, s step) (found []byte) {
	if s.key == "" {
		_ = rawjson.Items(v, func(i int, item []byte) error {
			if i == s.index {
				found = item
			}
			return nil
		})
		return found
	}
	_ = rawjson.Fields(v, func(key, member []byte) error {
		if string(key) == s.key {
			found = member
		}
		return nil
	})
	return found
}

// under puts a path in front of an error's own.
func under(path string, err error) error {
	e := *apierror.From(err)
	e.Path = path + strings.TrimPrefix(e.Path, "$")
	return &e
}
