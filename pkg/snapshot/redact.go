package snapshot

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"queryengine/pkg/jsontext"
)

// redacted stands instead of a secret.
const redacted = "***"

// secretMembers are always secret as texts; objects in their place name variables or files.
var secretMembers = map[string]bool{"password": true, "sslpassword": true, "sslkey": true, "sslcert": true}

// plainHeaders contain nothing secret.
var plainHeaders = map[string]bool{"accept": true, "content-type": true, "user-agent": true, "cache-control": true}

var (
	// variableOnly is a string of variables, with at most the scheme of a credential before them.
	variableOnly = regexp.MustCompile(`^\s*(?i:bearer |basic |token )?(\{\{[^{}]*\}\}\s*)+$`)
	// token is a segment of a path that may be a key: long, with letters and digits.
	token = regexp.MustCompile(`^[A-Za-z0-9_-]*([A-Za-z][A-Za-z_-]*[0-9]|[0-9][0-9_-]*[A-Za-z])[A-Za-z0-9_-]*$`)
)

// unread are members that this engine keeps as they were given and never reads: where their forms
// have their secrets is not known.
var unread = map[string]bool{"foreign": true}

// leastToken is the length from which a segment of a path may be a key.
const leastToken = 16

// redact returns the value of an object of a change without its secrets. It returns the same bytes when
// there are none.
func redact(kind Kind, value json.RawMessage) (json.RawMessage, bool, error) {
	switch kind {
	case KindCatalog, KindCatalogTable, KindCatalogFunction, KindCatalogEnum, KindRemoteIntrospection, KindCollection, KindCustomTypes:
		return value, false, nil // what databases and servers describe of themselves, and documents of clients
	}
	if kind == KindBackends {
		return json.RawMessage(`"` + redacted + `"`), true, nil
	}
	r := &redactor{in: json.NewDecoder(bytes.NewReader(value))}
	r.in.UseNumber()
	if err := r.value(place{}); err != nil {
		return nil, false, err
	}
	if !r.changed {
		return value, false, nil
	}
	return r.out, true, nil
}

// place is where a value stands.
type place struct {
	key     string // of the member that it is, or that its list is
	within  string // the key that the object around it has
	secret  bool   // a text here is secret unless it names variables
	allowed bool   // the header is one of plainHeaders
}

// redactor copies a JSON value, keeping the order of members.
type redactor struct {
	in      *json.Decoder
	out     []byte
	changed bool
}

func (r *redactor) value(at place) error {
	t, err := r.in.Token()
	if err != nil {
		return err
	}
	switch v := t.(type) {
	case json.Delim:
		if v == '[' {
			return r.list(at)
		}
		return r.object(at)
	case string:
		r.out = jsontext.AppendString(r.out, r.text(at, v))
	case json.Number:
		r.out = append(r.out, v...)
	case bool:
		if v {
			r.out = append(r.out, "true"...)
		} else {
			r.out = append(r.out, "false"...)
		}
	case nil:
		r.out = append(r.out, "null"...)
	}
	return nil
}

func (r *redactor) list(at place) error {
	r.out = append(r.out, '[')
	for first := true; r.in.More(); first = false {
		if !first {
			r.out = append(r.out, ',')
		}
		if err := r.value(at); err != nil {
			return err
		}
	}
	r.out = append(r.out, ']')
	_, err := r.in.Token()
	return err
}

func (r *redactor) object(at place) error {
	r.out = append(r.out, '{')
	for first := true; r.in.More(); first = false {
		t, err := r.in.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if !first {
			r.out = append(r.out, ',')
		}
		r.out = append(jsontext.AppendString(r.out, key), ':')
		if unread[key] {
			if err := r.hide(); err != nil {
				return err
			}
			continue
		}
		if err := r.value(inside(at, key)); err != nil {
			return err
		}
	}
	r.out = append(r.out, '}')
	_, err := r.in.Token()
	return err
}

// hide shows nothing of a value.
func (r *redactor) hide() error {
	var whole json.RawMessage
	if err := r.in.Decode(&whole); err != nil {
		return err
	}
	r.out = jsontext.AppendString(r.out, redacted)
	r.changed = true
	return nil
}

// inside is the place of a member of an object.
func inside(at place, key string) place {
	p := place{key: key, within: at.key}
	switch at.key {
	case "headers", "resource_attributes":
		p.secret = key == "value" // {"name": ..., "value": ...}
	case "add_headers", "query_params":
		p.secret, p.allowed = true, plainHeaders[strings.ToLower(key)]
	}
	p.secret = p.secret || secretMembers[key] || key == "query_params"
	return p
}

// text returns what is shown of a string.
func (r *redactor) text(at place, text string) string {
	shown := text
	switch {
	case text == "" || at.allowed || variableOnly.MatchString(text):
	case at.secret:
		shown = redacted
	case strings.Contains(text, "://"):
		shown = address(text)
	case at.key == "database_url":
		shown = redacted // keywords and values, the password among them
	}
	r.changed = r.changed || shown != text
	return shown
}

// address is an address without its password, the values of its query, and what may be keys in
// its path. It need not be a valid one: what stands before the last @ may hold a password.
func address(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	user := ""
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, rest = rest[:at+1], rest[at+1:]
		if name, password, has := strings.Cut(user[:at], ":"); has && !variableOnly.MatchString(password) {
			user = name + ":" + redacted + "@"
		}
	}
	rest, query, hasQuery := strings.Cut(rest, "?")
	segments := strings.Split(rest, "/")
	for i, s := range segments[1:] {
		if len(s) >= leastToken && token.MatchString(s) {
			segments[i+1] = redacted
		}
	}
	shown := scheme + "://" + user + strings.Join(segments, "/")
	if !hasQuery {
		return shown
	}
	parts := strings.Split(query, "&")
	for i, p := range parts {
		name, value, _ := strings.Cut(p, "=")
		if value != "" && !variableOnly.MatchString(value) && name != "sslmode" {
			parts[i] = name + "=" + redacted
		}
	}
	return shown + "?" + strings.Join(parts, "&")
}
