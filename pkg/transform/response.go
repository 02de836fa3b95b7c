package transform

import (
	"encoding/json"
	"strconv"

	"queryengine/pkg/template"
)

// Response is a compiled response transform. The nil Response changes nothing.
type Response struct{ body body }

// CompileResponse is CompileRequest for a response transform.
func CompileResponse(definition json.RawMessage) (*Response, error) {
	if isAbsent(definition) {
		return nil, nil
	}
	f, err := parseFields(definition)
	if err != nil {
		return nil, err
	}
	version, err := f.head()
	if err != nil {
		return nil, err
	}
	r, c := &Response{}, &compiler{}
	if r.body, err = c.body(f, version); err != nil {
		return nil, err
	}
	if len(c.faults) > 0 {
		return nil, c.faults.InvalidAnswer()
	}
	return r, nil
}

// Answer is what a webhook answered, and to what.
type Answer struct {
	Status int
	Body   []byte
	// Request is the request before its transform, nil when there is none.
	Request *Call
	Session map[string]string
}

// Apply returns the changed body. Its error is a FieldErrors.
func (r *Response) Apply(a Answer) ([]byte, error) {
	if r == nil {
		return a.Body, nil
	}
	e := responseScope(a).environment()
	switch {
	case r.body.remove:
		return []byte("null"), nil
	case r.body.template.given():
		text, err := r.body.template.Render(e)
		if err != nil {
			return nil, FieldErrors{}.add(err, r.body.template.path...)
		}
		return text, nil
	case r.body.isForm:
		text, faults := encodeForm(r.body.form, e)
		return template.Encode(text), faults.or()
	}
	return a.Body, nil
}

func responseScope(a Answer) *scope {
	return newScope(a.Session, map[string]func() any{
		"$body": func() any { return decodeBody(a.Body) },
		"$response": func() any {
			return map[string]any{"status": json.Number(strconv.Itoa(a.Status))}
		},
		"$request": func() any {
			if a.Request == nil {
				return nil
			}
			// Each part was computed from the same context, the original request.
			context := requestScope(*a.Request, a.Session).context()
			return map[string]any{
				"body": context, "url": context, "method": context, "query_params": context, "request_headers": context,
			}
		},
	})
}
