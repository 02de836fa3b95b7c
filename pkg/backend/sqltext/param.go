package sqltext

import (
	"fmt"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

// Param is where the value of a parameter comes from. Parameters are sent as text.
type Param struct {
	Kind  ParamKind
	Text  []byte // of a literal; nil is NULL
	Index int    // of a variable or a list
	Name  string // of a session variable or a lookup
	List  []Param
	// As is what the text is read as.
	As As
}

// ParamKind is a place that values come from.
type ParamKind uint8

// The kinds of parameters.
const (
	ParamLiteral ParamKind = iota
	ParamVariable
	ParamSession
	ParamSessionObject
	ParamList // a list made of other parameters
	ParamEach // a list of the caller
	ParamLookup
)

// Resolve is the text of the parameter in one run; nil is NULL. list is Spelling.List.
func (p *Param) Resolve(a *backend.Args, list func([][]byte) []byte) ([]byte, error) {
	switch p.Kind {
	case ParamVariable:
		if p.Index < 0 || p.Index >= len(a.Variables) {
			return nil, fmt.Errorf("the statement needs variable %d, and there are %d", p.Index, len(a.Variables))
		}
		return a.Variables[p.Index], nil
	case ParamSession:
		if a.Session != nil {
			if v, ok := a.Session.Variables[p.Name]; ok {
				return []byte(v), nil
			}
		}
		return nil, apierror.Newf(apierror.NotFound, "missing session variable: %q", p.Name)
	case ParamSessionObject:
		if a.Session == nil {
			return []byte("{}"), nil
		}
		return a.Session.JSON(), nil
	case ParamLookup:
		values, ok := a.Lookups[p.Name]
		if !ok {
			return nil, apierror.New(apierror.NotSupported, "rules on remote relationships are not supported by this operation")
		}
		return list(fitting(backend.KeyOf(p.As.Type, 0), values)), nil
	case ParamList:
		values := make([][]byte, len(p.List))
		for i := range p.List {
			var err error
			if values[i], err = p.List[i].Resolve(a, list); err != nil {
				return nil, err
			}
		}
		return list(values), nil
	case ParamEach:
		if p.Index < 0 || p.Index >= len(a.Lists) {
			return nil, fmt.Errorf("the statement needs list %d, and there are %d", p.Index, len(a.Lists))
		}
		return list(a.Lists[p.Index]), nil
	}
	return p.Text, nil
}

// fitting are the values of another source that a value of the type may be equal to.
func fitting(k backend.Key, values [][]byte) [][]byte {
	kept := make([][]byte, 0, len(values))
	for _, v := range values {
		if text, ok := k.Text(string(v)); ok {
			kept = append(kept, []byte(text))
		}
	}
	return kept
}
