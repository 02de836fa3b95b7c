package sqlite

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
	reply  reply
	// defaults are the columns whose defaults stand where the text has a zero byte, in their order.
	defaults []defaultOf
	// comment describes the statement, nil for none.
	comment *backend.Comment
	// shown is the text with values instead of its parameters, for people to read.
	shown func(literal func(sqltext.Param) (string, error)) (string, error)
}

// defaultOf is the default of a column.
type defaultOf struct{ table, column string }

// SQL is the text, with parameters.
func (s *statement) SQL() string { return s.text }

// Parameters implements backend.Parameterized.
func (s *statement) Parameters(a backend.Args) ([][]byte, error) {
	texts := make([][]byte, len(s.params))
	for i := range s.params {
		var err error
		if texts[i], err = s.params[i].Resolve(&a, input.ListText); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// values are the parameters of one run, as they are bound.
func (s *statement) values(a *backend.Args) ([]value, error) {
	values := make([]value, len(s.params))
	for i := range s.params {
		text, err := s.params[i].Resolve(a, input.ListText)
		if err != nil {
			return nil, err
		}
		if values[i], err = s.params[i].value(text); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// param is a parameter, and how its text becomes the value that is bound.
type param struct {
	sqltext.Param
	// convert is nil where the text is bound as it is. It refuses what isn't a value of the type.
	convert func(text []byte) (value, error)
}

func (p *param) value(text []byte) (value, error) {
	switch {
	case text == nil:
		return value{}, nil
	case p.convert == nil:
		return value{class: classText, text: text}, nil
	}
	return p.convert(text)
}

// class is a storage class, with SQLite's number.
type class uint32

// The storage classes. The zero value is NULL where a value is bound.
const (
	classNull    class = 0
	classInteger class = 1
	classReal    class = 2
	classText    class = 3
	classBlob    class = 4
)

// value is a value that is bound.
type value struct {
	class   class
	integer int64
	real    float64
	text    []byte // of a text or a blob
}

// replyKind is how the rows of a statement become an answer.
type replyKind uint8

const (
	// replyJSON has the whole answer in the first column of its only row.
	replyJSON replyKind = iota
	// replyList has an element of the answer in each row.
	replyList
	// replyOne has the answer in its first row, null without one.
	replyOne
	// replyMutation has a written row in each row.
	replyMutation
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
	// check is the column of the condition on a written row, -1 for none.
	check int
}

func statementOf(st backend.Statement) (*statement, error) {
	s, ok := st.(*statement)
	if !ok {
		return nil, fmt.Errorf("not a statement of SQLite: %T", st)
	}
	return s, nil
}
