package postgres

import "queryengine/pkg/backend"

// addComment adds a comment to a text; nil for none. One that is another with each request is
// added when the text is run.
func (t *rendered) addComment(c *backend.Comment) {
	switch {
	case c == nil:
	case c.PerRequest:
		t.comment, t.Once = c, true
	default:
		t.SQL = c.Wrap(t.SQL, "")
	}
}

// forRequest is the statement as one request runs it.
func (s *statement) forRequest(id string) *statement {
	if s.utc.comment == nil {
		return s
	}
	return &statement{render: s.render, utc: s.utc.forRequest(id), local: func() (*rendered, error) {
		text, err := s.local()
		if err != nil {
			return nil, err
		}
		return text.forRequest(id), nil
	}}
}

func (t *rendered) forRequest(id string) *rendered {
	c := *t
	c.SQL, c.comment = t.comment.Wrap(t.SQL, id), nil
	return &c
}
