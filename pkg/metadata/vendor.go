package metadata

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
	"queryengine/pkg/session"
)

// mapVendorNames returns a document that was written for another engine with the names of this one:
// session variables x-<vendor>-* become x-engine-*, the naming convention <vendor>-default and the key
// <vendor>_fields lose the vendor's name, and so do those of the variables <VENDOR>_GRAPHQL_* that are
// settings and hold an address. Users' own variables with such names stay, and so do names of headers:
// they belong to the servers that are called.
func mapVendorNames(raw json.RawMessage, vendor string) (json.RawMessage, error) {
	vendor = strings.ToLower(vendor)
	if err := session.CheckVendor(vendor); err != nil {
		return nil, apierror.At(apierror.New(apierror.ParseFailed, err.Error()), "vendor_names")
	}
	m := vendorMapper{vendor: vendor, in: json.NewDecoder(bytes.NewReader(raw))}
	m.in.UseNumber()
	if err := m.value(nil); err != nil {
		return nil, parseFailure(err)
	}
	return m.out.Bytes(), nil
}

// vendorMapper copies JSON token by token, which keeps the order of keys.
type vendorMapper struct {
	vendor string
	in     *json.Decoder
	out    bytes.Buffer
}

// value copies one value; path holds the keys that lead to it, without indices.
func (m *vendorMapper) value(path []string) error {
	token, err := m.in.Token()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return m.object(path)
		}
		return m.array(path)
	case string:
		return m.write(m.text(path, t))
	default:
		return m.write(t)
	}
}

func (m *vendorMapper) object(path []string) error {
	m.out.WriteByte('{')
	for n := 0; m.in.More(); n++ {
		if n > 0 {
			m.out.WriteByte(',')
		}
		token, err := m.in.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		mapped := key
		if key == m.vendor+"_fields" {
			mapped = "engine_fields"
		}
		if err := m.write(mapped); err != nil {
			return err
		}
		m.out.WriteByte(':')
		if err := m.value(append(path, key)); err != nil {
			return err
		}
	}
	m.out.WriteByte('}')
	_, err := m.in.Token()
	return err
}

func (m *vendorMapper) array(path []string) error {
	m.out.WriteByte('[')
	for n := 0; m.in.More(); n++ {
		if n > 0 {
			m.out.WriteByte(',')
		}
		if err := m.value(path); err != nil {
			return err
		}
	}
	m.out.WriteByte(']')
	_, err := m.in.Token()
	return err
}

func (m *vendorMapper) write(v any) error {
	raw, err := Encode(v)
	m.out.Write(raw)
	return err
}

// text maps one text.
func (m *vendorMapper) text(path []string, s string) string {
	key := last(path, 0)
	switch {
	case key == "name" && last(path, 1) == "headers", key == "value_from_env":
		return s
	case key == "naming_convention" && s == m.vendor+"-default":
		return "engine-default"
	}
	if own, ok := config.OwnVariable(s, m.vendor); ok && key == "from_env" {
		return own
	}
	return m.sessionVariables(s)
}

// sessionVariables maps the names of session variables in a text, which may be a template.
// They keep their case: that of the vendor's first two letters.
func (m *vendorMapper) sessionVariables(s string) string {
	prefix := "x-" + m.vendor + "-"
	lower := strings.ToLower(s)
	if len(lower) != len(s) || !strings.Contains(lower, prefix) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(lower, prefix)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		found := s[i : i+len(prefix)]
		switch {
		case found == strings.ToUpper(found):
			b.WriteString(strings.ToUpper(session.Prefix))
		case found[0] == 'X':
			b.WriteString("X-Engine-")
		default:
			b.WriteString(session.Prefix)
		}
		s, lower = s[i+len(prefix):], lower[i+len(prefix):]
	}
}

// last is the nth key from the end of a path, "" when it is shorter.
func last(path []string, n int) string {
	if len(path) <= n {
		return ""
	}
	return path[len(path)-1-n]
}
