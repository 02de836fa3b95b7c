package mssql

import (
	"fmt"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqltext"
)

// statement is a rendered plan: one batch, of which one statement returns rows.
type statement struct {
	text   string
	params []param
	reply  reply
	// comment describes the statement, nil for none.
	comment *backend.Comment
	// shown is the text with values instead of its parameters, for people to read; nil for a mutation.
	shown func(literal func(sqltext.Param) (string, error)) (string, error)
}

// SQL is the text, with parameters.
func (s *statement) SQL() string { return s.text }

// Parameters implements backend.Parameterized.
func (s *statement) Parameters(a backend.Args) ([][]byte, error) { return s.values(&a) }

// values are the texts of the parameters in one run, nil for NULL. All are bound as nvarchar.
func (s *statement) values(a *backend.Args) ([][]byte, error) {
	texts := make([][]byte, len(s.params))
	for i := range s.params {
		var err error
		if texts[i], err = s.params[i].resolve(a); err != nil {
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

// replyKind is how the rows of a statement become an answer.
type replyKind uint8

const (
	// replyList has an element of the answer in each row.
	replyList replyKind = iota
	// replyOne has the answer in its first row, null without one.
	replyOne
	// replyMutation has a written row in each row.
	replyMutation
	// replyCount has one row with the number of rows that were written.
	replyCount
)

// reply is how rows become an answer.
type reply struct {
	kind replyKind
	// shape is that of an element (list, one).
	shape *answer.Shape
	// output is the answer of a mutation.
	output answer.Output
	// handed is what Tx.Exec hands out.
	handed answer.Handed
	// check is the column of the condition on a written row, 1 where it holds; -1 for none.
	check int
}

// first is the name of the first column of the result that has the answer, empty where there is no other result.
func (r *reply) first() string {
	if r.kind == replyMutation || r.kind == replyCount {
		return readColumn
	}
	return ""
}

func statementOf(st backend.Statement) (*statement, error) {
	s, ok := st.(*statement)
	if !ok {
		return nil, fmt.Errorf("not a statement of SQL Server: %T", st)
	}
	return s, nil
}
