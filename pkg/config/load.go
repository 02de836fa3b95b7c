package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Values are the texts that flags and variables gave, checked.
type Values struct {
	set map[string]string // by flag
}

func (v *Values) text(s *Spec) string {
	if text, ok := v.set[s.Flag]; ok {
		return text
	}
	return s.Default
}

// ErrHelp says that --help was asked for, and printed.
var ErrHelp = errors.New("help was asked for")

// UsageError is a wrong flag; the usage text belongs to it.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// Load reads the settings of a service from flags and from variables (env is
// os.LookupEnv). It fails with a *UsageError for a wrong flag, with ErrHelp after it wrote
// the help to out, else with the line that the program should end with.
func Load(service Service, args []string, env func(string) (string, bool), out io.Writer) (*Values, error) {
	v := &Values{set: map[string]string{}}
	for _, r := range table {
		if !r.Spec().ReadBy(service) {
			continue
		}
		text, name, ok, err := fromEnvironment(r.Spec(), env)
		if err == nil && ok {
			err = r.check(text)
		}
		if err != nil {
			return nil, fmt.Errorf("Fatal Error:- Environment variable %s: %w", name, err) //nolint:staticcheck // wire text
		}
		if ok {
			v.set[r.Spec().Flag] = text
		}
	}
	return v, v.parseFlags(service, args, out)
}

// fromEnvironment finds the value of a setting in NAME, or in the file that NAME_FILE names.
func fromEnvironment(s *Spec, env func(string) (string, bool)) (text, name string, ok bool, err error) {
	name = s.Env()
	if text, ok = env(name); ok {
		return text, name, true, nil
	}
	path, ok := env(name + "_FILE")
	if !ok {
		return "", name, false, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", name + "_FILE", false, err
	}
	return strings.TrimRight(string(data), "\r\n"), name, true, nil
}

func (v *Values) parseFlags(service Service, args []string, out io.Writer) error {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--help" || arg == "-h" {
			WriteHelp(out, service)
			return ErrHelp
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		r := find(service, name)
		if r == nil || !strings.HasPrefix(arg, "--") {
			return &UsageError{fmt.Sprintf("unknown argument %q", arg)}
		}
		switch {
		case hasValue:
		case r.Spec().Switch:
			value = "true"
		case len(args) == 0:
			return &UsageError{fmt.Sprintf("option --%s needs a value", name)}
		default:
			value, args = args[0], args[1:]
		}
		if err := r.check(value); err != nil {
			return &UsageError{fmt.Sprintf("option --%s: %s", name, err)}
		}
		v.set[r.Spec().Flag] = value
	}
	return nil
}

func find(service Service, flag string) row {
	for _, r := range table {
		if r.Spec().Flag == flag && r.Spec().ReadBy(service) {
			return r
		}
	}
	return nil
}
