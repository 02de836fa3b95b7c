package metadata

import (
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
	"queryengine/pkg/session"
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
		if err := checkVariable(name, "templates"); err != nil {
			return "", err
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
		return checkVariable(h.ValueFromEnv, "value_from_env")
	}
	return nil // documents of before --vendor-names are read as they are; Resolve refuses the rest
}

// checkVariable refuses variables that are the engine's own settings. Of those with another
// engine's prefix that are its secrets: users name variables of their own so, too.
func checkVariable(name, place string) error {
	switch {
	case strings.HasPrefix(name, engineVariables):
		return apierror.New(apierror.ParseFailed, `env variables starting with "`+engineVariables+`" are not allowed in `+place+`: `+name)
	case config.IsVendorSecret(name, session.Vendor()):
		return apierror.New(apierror.ParseFailed, "secrets of the engine are not allowed in "+place+": "+name)
	}
	return nil
}

// engineVariables begins the names of the engine's own settings, some of which are secret.
const engineVariables = config.VariablePrefix

// Resolve is the header's value.
func (h *Header) Resolve(env Env) (string, error) {
	if h.Value != nil {
		return Expand(*h.Value, env)
	}
	if err := checkVariable(h.ValueFromEnv, "value_from_env"); err != nil {
		return "", err
	}
	return Variable(h.ValueFromEnv, env)
}
