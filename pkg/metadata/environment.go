package metadata

import (
	"strings"

	"queryengine/pkg/apierror"
)

// Env looks up a variable of the environment, like os.LookupEnv.
type Env = func(name string) (value string, ok bool)

// Expand replaces each {{NAME}} of a text by a variable. Blanks belong to the name, and text
// without the closing braces stands for itself. The engine's own settings are refused: the text
// is sent to addresses that metadata chooses.
func Expand(template string, env Env) (string, error) {
	var b strings.Builder
	var missing []string
	for {
		before, rest, opened := strings.Cut(template, "{{")
		name, after, closed := strings.Cut(rest, "}}")
		if !opened || !closed {
			b.WriteString(template)
			break
		}
		if strings.HasPrefix(name, engineVariables) {
			return "", apierror.New(apierror.ParseFailed,
				`env variables starting with "`+engineVariables+`" are not allowed in templates: `+name)
		}
		value, ok := env(name)
		if !ok {
			missing = append(missing, name)
		}
		b.WriteString(before + value)
		template = after
	}
	if missing != nil {
		return "", apierror.New(apierror.Unexpected,
			"Value for environment variables not found: "+strings.Join(missing, ", ")).WithStatus(400)
	}
	return b.String(), nil
}

// Variable is the value of a variable that metadata names.
func Variable(name string, env Env) (string, error) {
	value, ok := env(name)
	if !ok {
		return "", apierror.New(apierror.NotFound, "environment variable '"+name+"' not set")
	}
	return value, nil
}

// Header is a header of calls that the engine makes: with a value, which may be a template,
// or with the variable that holds it.
type Header struct {
	Name         string  `json:"name" meta:"required,nonempty"`
	Value        *string `json:"value,omitempty"`
	ValueFromEnv string  `json:"value_from_env,omitempty"`
}

func (h *Header) check() error {
	switch {
	case h.Value == nil && h.ValueFromEnv == "":
		return apierror.New(apierror.ParseFailed, "expecting value or value_from_env keys")
	case h.Value != nil && h.ValueFromEnv != "":
		return apierror.New(apierror.ParseFailed, "expecting only one of value or value_from_env keys")
	case strings.HasPrefix(h.ValueFromEnv, engineVariables):
		return apierror.New(apierror.ParseFailed,
			`env variables starting with "`+engineVariables+`" are not allowed in value_from_env: `+h.ValueFromEnv)
	}
	return nil
}

// engineVariables begins the names of the engine's own settings, some of which are secret.
const engineVariables = "ENGINE_GRAPHQL_"

// Resolve is the header's value.
func (h *Header) Resolve(env Env) (string, error) {
	if h.Value != nil {
		return Expand(*h.Value, env)
	}
	return Variable(h.ValueFromEnv, env)
}
