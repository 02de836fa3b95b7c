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
	url       field
	body      body
	query     []pair
	queryText field
	hasQuery  bool
	remove    []string // headers, in lower case
	add       []named
}

// pair is a key and a value of a query; value is nil for a key alone.
type pair struct{ key, value field }

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
		r.url = c.interpolation(*address, "url")
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
		r.queryText = c.interpolation(text, "query_params")
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
		p := pair{key: c.interpolation(key, "query_params", key)}
		if text, ok := texts[key]; ok {
			p.value = c.interpolation(text, "query_params", key)
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
	r.add = c.named(add, "request_headers", "add_headers")
	return nil
}

// Apply returns the changed request. Its error is a FieldErrors.
func (r *Request) Apply(c Call, session map[string]string) (Call, error) {
	if r == nil {
		return c, nil
	}
	e := requestScope(c, session).environment()
	changed := c
	if !r.url.given() {
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
	if !r.url.given() {
		return nil
	}
	v, err := r.url.Evaluate(e)
	text, ok := v.(string)
	switch {
	case err != nil:
	case !ok:
		err = faultOf("URL Transforms must produce a JSON String: "+string(template.Encode(v)), v)
	case !isURI(text):
		err = fault("Invalid URL: " + text)
	}
	if err != nil {
		return FieldErrors{}.add(err, r.url.path...)
	}
	c.URL = text
	return nil
}

func (r *Request) changeBody(c *Call, e template.Environment) FieldErrors {
	switch {
	case r.body.remove:
		c.Body = nil
	case r.body.template.given():
		text, err := r.body.template.Render(e)
		if err != nil {
			return FieldErrors{}.add(err, r.body.template.path...)
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
		return faults.add(fault("Invalid URL: "+c.URL), "url")
	}
	u.RawQuery, u.ForceQuery = query, false
	c.URL = u.String()
	return faults
}

func (r *Request) renderQuery(e template.Environment) (string, FieldErrors) {
	if r.queryText.given() {
		text, err := interpolate(r.queryText, e)
		if err != nil {
			return "", FieldErrors{}.add(err, r.queryText.path...)
		}
		return writeQuery(readQuery(text)), nil
	}
	var items []item
	var faults FieldErrors
	for _, p := range r.query {
		key, err := interpolate(p.key, e)
		if err != nil {
			faults = faults.add(err, p.key.path...)
			continue
		}
		i := item{key: key}
		if p.value.given() {
			if i.value, err = interpolate(p.value, e); err != nil {
				faults = faults.add(err, p.value.path...)
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
			faults = faults.add(err, h.value.path...)
			continue
		}
		c.Headers = append(c.Headers, Header{h.name, value})
	}
	return faults
}
