package bigquery

import (
	"fmt"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqltext"
)

// statement is a rendered plan.
type statement struct {
	text   string
	params []param
	shape  *answer.Shape
	// one reports whether the first row is the answer, null without one; else each row is an element of it.
	one bool
	// forVariables is the statement for the variables of one run, where limits are among them; nil where none is.
	forVariables func(variables [][]byte) (*statement, error)
	// comment describes the statement, nil for none.
	comment *backend.Comment
	// shown is the text with values instead of its parameters, for people to read.
	shown func(literal func(sqltext.Param) (string, error)) (string, error)
}

// SQL is the text, with parameters.
func (s *statement) SQL() string { return s.text }

// Parameters implements backend.Parameterized.
func (s *statement) Parameters(a backend.Args) ([][]byte, error) {
	texts := make([][]byte, len(s.params))
	for i := range s.params {
		var err error
		if texts[i], err = s.params[i].resolve(&a); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// param is a parameter, and how its text becomes the one that is bound; nil for as it is.
type param struct {
	sqltext.Param
	convert func(text []byte) ([]byte, error)
}

func (p *param) resolve(a *backend.Args) ([]byte, error) {
	text, err := p.Resolve(a, input.ListText)
	if err != nil || text == nil || p.convert == nil {
		return text, err
	}
	return p.convert(text)
}

// parameterType and parameterValue are types of the REST API.
type parameterType struct {
	Type      string         `json:"type"`
	ArrayType *parameterType `json:"arrayType,omitempty"`
}

type parameterValue struct {
	Value       *string           `json:"value,omitempty"`
	ArrayValues *[]parameterValue `json:"arrayValues,omitempty"`
}

type queryParameter struct {
	Name  string         `json:"name"`
	Type  parameterType  `json:"parameterType"`
	Value parameterValue `json:"parameterValue"`
}

// parameters are the parameters of one run.
func (s *statement) parameters(a *backend.Args) ([]queryParameter, error) {
	list := make([]queryParameter, len(s.params))
	for i := range s.params {
		p := &s.params[i]
		text, err := p.resolve(a)
		if err != nil {
			return nil, err
		}
		q := queryParameter{Name: parameterName(i + 1), Type: parameterType{Type: rowOf(p.As.Type).boundAs()}}
		switch {
		case p.As.List || p.As.Type.IsArray():
			element := q.Type
			q.Type = parameterType{Type: "ARRAY", ArrayType: &element}
			values := []parameterValue{}
			if text != nil {
				texts, err := input.ListValues(text)
				if err != nil {
					return nil, err
				}
				for _, t := range texts {
					values = append(values, valueOf(t))
				}
			}
			q.Value.ArrayValues = &values
		default:
			q.Value = valueOf(text)
		}
		list[i] = q
	}
	return list, nil
}

// valueOf is the value of a text; nil is NULL.
func valueOf(text []byte) parameterValue {
	if text == nil {
		return parameterValue{}
	}
	s := string(text)
	return parameterValue{Value: &s}
}

// statementFor is a statement as one run needs it. Rendering takes less than a thousandth of the time of a job.
func statementFor(st backend.Statement, a *backend.Args) (*statement, error) {
	s, err := statementOf(st)
	if err != nil || s.forVariables == nil {
		return s, err
	}
	return s.forVariables(a.Variables)
}

func statementOf(st backend.Statement) (*statement, error) {
	s, ok := st.(*statement)
	if !ok {
		return nil, fmt.Errorf("not a statement of BigQuery: %T", st)
	}
	return s, nil
}
