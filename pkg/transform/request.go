package transform

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/template"
)

// Header is one header of a request; a name may occur more than once.
type Header struct{ Name, Value string }

// Call is a request before it is sent.
type Call struct {
	Method  string
	URL     string
	Headers []Header
	Body    []byte
}

// Request is a compiled request transform. The nil Request changes nothing.
type Request struct {
	method    *string
	url       *template.Template
	body      body
	query     []pair
	queryText *template.Template
	hasQuery  bool
	remove    []string // headers, in lower case
	add       []named
}

// pair is a key and a value of a query; value is nil for a key alone.
type pair struct{ key, value *template.Template }

// CompileRequest reads a definition; null gives nil. Its error is an *apierror.Error whose
// path is relative to the definition: parse-failed for a wrong shape, validation-failed with
// a FieldErrors for templates.
func CompileRequest(definition json.RawMessage) (*Request, error) {
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
	r, c := &Request{}, &compiler{}
	if r.method, err = f.text("method"); err != nil {
		return nil, err
	}
	address, err := f.text("url")
	if err != nil {
		return nil, err
	}
	if address != nil {
		r.url = c.interpolation(*address)
	}
	if r.body, err = c.body(f, version); err != nil {
		return nil, err
	}
	if err := r.compileQuery(c, f); err != nil {
		return nil, err
	}
	if err := r.compileHeaders(c, f); err != nil {
		return nil, err
	}
	if len(c.faults) > 0 {
		return nil, c.faults.Invalid()
	}
	return r, nil
}

func isAbsent(definition json.RawMessage) bool {
	return len(definition) == 0 || string(definition) == "null"
}

func (r *Request) compileQuery(c *compiler, f fields) error {
	raw, given := f["query_params"]
	if !given {
		return nil
	}
	r.hasQuery = true
	var text string
	if json.Unmarshal(raw, &text) == nil {
		r.queryText = c.interpolation(text)
		return nil
	}
	var all map[string]*json.RawMessage // keeps what is null
	if json.Unmarshal(raw, &all) != nil {
		return apierror.At(mismatch("Object", "Object", raw), "query_params")
	}
	texts, err := f.texts("query_params")
	if err != nil {
		return err
	}
	for _, key := range sortedKeys(all) {
		p := pair{key: c.interpolation(key)}
		if text, ok := texts[key]; ok {
			p.value = c.interpolation(text)
		}
		r.query = append(r.query, p)
	}
	return nil
}

func (r *Request) compileHeaders(c *compiler, f fields) error {
	headers, err := f.object("request_headers")
	if err != nil {
		return err
	}
	add, err := headers.texts("add_headers")
	if err == nil {
		r.remove, err = headers.list("remove_headers")
	}
	if err != nil {
		return apierror.At(err, "request_headers")
	}
	for i, name := range r.remove {
		r.remove[i] = strings.ToLower(name)
	}
	r.add = c.named(add)
	return nil
}

// Apply returns the changed request. Its error is a FieldErrors.
func (r *Request) Apply(c Call, session map[string]string) (Call, error) {
	if r == nil {
		return c, nil
	}
	e := requestScope(c, session).environment()
	changed := c
	if r.url == nil {
		changed.URL = withPath(c.URL)
	}
	var faults FieldErrors
	if r.method != nil {
		changed.Method = *r.method
	}
	faults = append(faults, r.changeURL(&changed, e)...)
	faults = append(faults, r.changeBody(&changed, e)...)
	faults = append(faults, r.changeQuery(&changed, e)...)
	faults = append(faults, r.changeHeaders(&changed, e)...)
	if err := faults.or(); err != nil {
		return Call{}, err
	}
	return changed, nil
}

func (r *Request) changeURL(c *Call, e template.Environment) FieldErrors {
	if r.url == nil {
		return nil
	}
	v, err := r.url.Evaluate(e)
	if err != nil {
		return FieldErrors{err}
	}
	text, ok := v.(string)
	switch {
	case !ok:
		return FieldErrors{faultOf("URL Transforms must produce a JSON String: "+string(template.Encode(v)), v)}
	case !isURI(text):
		return FieldErrors{fault("Invalid URL: " + text)}
	}
	c.URL = text
	return nil
}

func (r *Request) changeBody(c *Call, e template.Environment) FieldErrors {
	switch {
	case r.body.remove:
		c.Body = nil
	case r.body.template != nil:
		text, err := r.body.template.Render(e)
		if err != nil {
			return FieldErrors{err}
		}
		c.Body = text
	case r.body.isForm:
		text, faults := encodeForm(r.body.form, e)
		c.Body = []byte(text)
		return faults
	}
	return nil
}

func (r *Request) changeQuery(c *Call, e template.Environment) FieldErrors {
	if !r.hasQuery {
		return nil
	}
	query, faults := r.renderQuery(e)
	u, err := url.Parse(c.URL)
	if err != nil {
		return append(faults, fault("Invalid URL: "+c.URL))
	}
	u.RawQuery, u.ForceQuery = query, false
	c.URL = u.String()
	return faults
}

func (r *Request) renderQuery(e template.Environment) (string, FieldErrors) {
	if r.queryText != nil {
		text, err := interpolate(r.queryText, e)
		if err != nil {
			return "", FieldErrors{err}
		}
		return writeQuery(readQuery(text)), nil
	}
	var items []item
	var faults FieldErrors
	for _, p := range r.query {
		key, err := interpolate(p.key, e)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		i := item{key: key}
		if p.value != nil {
			if i.value, err = interpolate(p.value, e); err != nil {
				faults = append(faults, err)
				continue
			}
			i.hasValue = true
		}
		if key != omitted && (!i.hasValue || i.value != omitted) {
			items = append(items, i)
		}
	}
	return writeQuery(items), faults
}

func (r *Request) changeHeaders(c *Call, e template.Environment) FieldErrors {
	c.Headers = slices.DeleteFunc(slices.Clone(c.Headers), func(h Header) bool {
		return slices.Contains(r.remove, strings.ToLower(h.Name))
	})
	var faults FieldErrors
	for _, h := range r.add {
		value, err := interpolate(h.value, e)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		c.Headers = append(c.Headers, Header{h.name, value})
	}
	return faults
}
