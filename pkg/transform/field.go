package transform

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/template"
)

// compiler collects what is wrong with the templates of a definition.
type compiler struct{ faults FieldErrors }

func (c *compiler) full(source string, path ...any) field {
	t, err := template.Parse(source)
	return c.keep(t, err, path)
}

func (c *compiler) interpolation(source string, path ...any) field {
	t, err := template.ParseInterpolation(source)
	return c.keep(t, err, path)
}

func (c *compiler) keep(t *template.Template, err error, path []any) field {
	if err != nil {
		c.faults = c.faults.add(err, path...)
	}
	return field{t, path}
}

// field is a template with its place in the definition. The zero field is absent.
type field struct {
	*template.Template
	path []any
}

func (f field) given() bool { return f.Template != nil }

// interpolate is the text of a template that only interpolates.
func interpolate(f field, e template.Environment) (string, error) {
	v, err := f.Evaluate(e)
	if err != nil {
		return "", err
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", faultOf("Template must produce a String, Number, or Boolean value", v)
}

// omitted is the text that leaves its pair of a form or query out.
const omitted = "null"

// named is a template with the name of what it makes.
type named struct {
	name  string
	value field
}

func (c *compiler) named(texts map[string]string, path ...any) []named {
	list := make([]named, 0, len(texts))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		list = append(list, named{name, c.interpolation(texts[name], slices.Concat(path, []any{name})...)})
	}
	return list
}

// body describes the transformation of a body.
type body struct {
	// One of three; none of them for a body that stays.
	remove   bool
	template field
	form     []named
	isForm   bool
}

// body reads the key "body" of a definition of that version.
func (c *compiler) body(f fields, version int) (b body, err error) {
	if version == 1 {
		source, err := f.text("body")
		if err == nil && source != nil {
			b.template = c.full(*source, "body")
		}
		return b, err
	}
	inner, err := f.object("body")
	if err != nil || inner == nil {
		return b, err
	}
	return b, apierror.At(c.action(&b, inner), "body")
}

func (c *compiler) action(b *body, f fields) error {
	action, err := f.text("action")
	if err != nil {
		return err
	}
	if action == nil {
		return apierror.New(apierror.ParseFailed, `key "action" not found`)
	}
	switch *action {
	case "remove":
		b.remove = true
		return nil
	case "transform":
		source, err := f.text("template")
		if err != nil {
			return err
		}
		if source == nil {
			return apierror.New(apierror.ParseFailed, `key "template" not found`)
		}
		b.template = c.full(*source, "body", "template")
		return nil
	case "x_www_form_urlencoded":
		texts, err := f.texts("form_template")
		if err != nil {
			return err
		}
		if texts == nil {
			return apierror.New(apierror.ParseFailed, `key "form_template" not found`)
		}
		b.form, b.isForm = c.named(texts, "body", "form_template"), true
		return nil
	}
	return apierror.At(apierror.New(apierror.ParseFailed, "invalid transform action"), "action")
}

// encodeForm is the text of a form.
func encodeForm(form []named, e template.Environment) (string, FieldErrors) {
	var pairs []string
	var faults FieldErrors
	for _, p := range form {
		value, err := interpolate(p.value, e)
		switch {
		case err != nil:
			faults = faults.add(err, p.value.path...)
		case value != omitted:
			pairs = append(pairs, template.EscapeURI(p.name)+"="+template.EscapeURI(value))
		}
	}
	return strings.Join(pairs, "&"), faults
}

// decodeBody is a body as a value, null when it isn't JSON.
func decodeBody(raw json.RawMessage) any {
	v, err := template.Decode(raw)
	if err != nil {
		return nil
	}
	return v
}
