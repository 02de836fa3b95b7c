package read

import (
	"encoding/json"
	"strings"

	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// jsonPath plans the argument that picks a part of a JSON value.
func (p *Planner) jsonPath(in *schema.Input, v input.Value) ([]string, error) {
	v, null, err := p.IsNull(in.Type, v, input.LookShape)
	if err != nil || null {
		return nil, err
	}
	text, err := p.Constant(in.Type, v)
	if err != nil {
		return nil, err
	}
	path, ok := readPath(text)
	if !ok {
		return nil, p.Fail(`parse json path error: %s. Accept letters, digits, underscore (_) or hyphen (-) only. `+
			`Use quotes enclosed in bracket (["..."]) if there is any special character`, text)
	}
	return path, nil
}

// part is the part of e at a path; the empty path is all of it.
func part(e ir.Expr, path []string) ir.Expr {
	if len(path) == 0 {
		return e
	}
	return ir.JSONPath{Expr: e, Path: path}
}

// readPath reads a path: an optional $, then names and bracketed keys, each with a dot in front or
// without.
func readPath(text string) ([]string, bool) {
	path := []string{}
	rest := strings.TrimPrefix(text, "$")
	first := len(rest) == len(text)
	for rest != "" {
		var step string
		var ok bool
		switch {
		case strings.HasPrefix(rest, "["):
			step, rest, ok = bracketed(rest[1:])
		case strings.HasPrefix(rest, ".["):
			step, rest, ok = bracketed(rest[2:])
		case rest[0] == '.':
			step, rest, ok = plain(rest[1:])
		case first:
			step, rest, ok = plain(rest)
		}
		if !ok {
			return nil, false
		}
		path = append(path, step)
		first = false
	}
	return path, true
}

// plain reads a name of letters, digits, underscores and hyphens.
func plain(text string) (step, rest string, ok bool) {
	i := 0
	for i < len(text) && isPlain(text[i]) {
		i++
	}
	return text[:i], text[i:], i > 0
}

func isPlain(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quoted reads a key that is a JSON string, up to the bracket behind it.
func quoted(text string) (step, rest string, ok bool) {
	end := 1
	for end < len(text) && text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(text) || !strings.HasPrefix(text[end+1:], "]") {
		return "", "", false
	}
	err := json.Unmarshal([]byte(text[:end+1]), &step)
	return step, text[end+2:], err == nil
}

// bracketed reads an index or a quoted key, up to the bracket behind it.
func bracketed(text string) (step, rest string, ok bool) {
	if text == "" {
		return "", "", false
	}
	if text[0] == '"' {
		return quoted(text)
	}
	if text[0] == '\'' {
		step, rest, ok = strings.Cut(text[1:], "']")
		return step, rest, ok && !strings.Contains(step, "'")
	}
	digits := 0
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	if digits == 0 || !strings.HasPrefix(text[digits:], "]") {
		return "", "", false
	}
	return text[:digits], text[digits+1:], true
}
