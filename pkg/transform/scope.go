package transform

import (
	"net/url"
	"strconv"
	"strings"

	"queryengine/pkg/session"
	"queryengine/pkg/template"
)

// scope holds what templates can see. A value is made when it is requested, and once: most
// templates look at a part only.
type scope struct {
	makers    map[string]func() any
	made      map[string]any
	variables map[string]string
}

func newScope(variables map[string]string, makers map[string]func() any) *scope {
	s := &scope{makers: makers, made: make(map[string]any, len(makers)), variables: variables}
	makers["$session_variables"] = s.session
	return s
}

func (s *scope) lookup(name string) (any, bool) {
	if v, ok := s.made[name]; ok {
		return v, true
	}
	create := s.makers[name]
	if create == nil {
		return nil, false
	}
	v := create()
	s.made[name] = v
	return v, true
}

func (s *scope) environment() template.Environment {
	return template.Environment{
		Lookup:    s.lookup,
		Functions: map[string]template.Function{"getSessionVariable": s.variable},
	}
}

// session is the object of all variables, null without a session.
func (s *scope) session() any {
	if s.variables == nil {
		return nil
	}
	object := make(map[string]any, len(s.variables))
	for name, value := range s.variables {
		object[strings.ToLower(name)] = value
	}
	return object
}

func (s *scope) variable(argument any) (any, error) {
	switch name := argument.(type) {
	case nil:
		return nil, nil
	case string:
		lower := strings.ToLower(name)
		_, isName := session.Canonical(name)
		variables, _ := s.lookup("$session_variables")
		if object, ok := variables.(map[string]any); ok && isName {
			if v, ok := object[lower]; ok {
				return v, nil
			}
		}
		return nil, template.RefusedError("Session variable " + strconv.Quote(name) + " not found")
	}
	return nil, template.RefusedError("Session variable name should be a string")
}

// requestScope is what the templates of a request see: the original request.
func requestScope(c Call, variables map[string]string) *scope {
	return newScope(variables, map[string]func() any{
		"$body":         func() any { return decodeBody(c.Body) },
		"$base_url":     func() any { return c.URL },
		"$query_params": func() any { return queryParams(c.URL) },
	})
}

// context is the scope of a request as one value.
func (s *scope) context() map[string]any {
	object := make(map[string]any, len(s.makers))
	for name := range s.makers {
		object[strings.TrimPrefix(name, "$")], _ = s.lookup(name)
	}
	return object
}

// queryParams is the query of an address as pairs.
func queryParams(address string) any {
	pairs := []any{}
	u, err := url.Parse(address)
	if err != nil {
		return pairs
	}
	for _, i := range readQuery(u.RawQuery) {
		var value any
		if i.hasValue {
			value = i.value
		}
		pairs = append(pairs, []any{i.key, value})
	}
	return pairs
}
