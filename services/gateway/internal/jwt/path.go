package jwt

import (
	"fmt"
	"strconv"
	"strings"
)

// jsonPath is a parsed path: steps are keys (string) or indices (int).
type jsonPath struct {
	text  string
	steps []any
}

// parsePath reads "$", "$.a.b", "$.a[0]", "$['a b']", "$.['a']"; the $ may be missing.
func parsePath(text string) (jsonPath, error) {
	p := jsonPath{text: text}
	rest := strings.TrimPrefix(text, "$")
	for rest != "" {
		rest = strings.TrimPrefix(rest, ".")
		var err error
		switch {
		case rest == "":
			return p, fmt.Errorf("a name is expected at the end of %q", text)
		case rest[0] == '[':
			rest, err = p.bracket(rest[1:])
		default:
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return p, fmt.Errorf("a name is missing in %q", text)
			}
			p.steps = append(p.steps, rest[:end])
			rest = rest[end:]
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// bracket reads what follows a "[" and returns what follows its "]".
func (p *jsonPath) bracket(rest string) (string, error) {
	if rest != "" && (rest[0] == '\'' || rest[0] == '"') {
		end := strings.Index(rest[1:], string(rest[0])+"]")
		if end < 0 {
			return "", fmt.Errorf("a quote is not closed in %q", p.text)
		}
		p.steps = append(p.steps, rest[1:end+1])
		return rest[end+3:], nil
	}
	index, after, ok := strings.Cut(rest, "]")
	n, err := strconv.Atoi(index)
	if !ok || err != nil || n < 0 {
		return "", fmt.Errorf("an index or a quoted name is expected after [ in %q", p.text)
	}
	p.steps = append(p.steps, n)
	return after, nil
}

// find walks the path through decoded JSON.
func (p jsonPath) find(v any) (any, bool) {
	for _, step := range p.steps {
		switch s := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			next, ok := object[s]
			if !ok {
				return nil, false
			}
			v = next
		case int:
			list, _ := v.([]any)
			if s >= len(list) {
				return nil, false
			}
			v = list[s]
		}
	}
	return v, true
}
