package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// fileSuffix ends the name of a variable that names a file with the value.
const fileSuffix = "_FILE"

// Values are the texts that flags and variables gave, checked.
type Values struct {
	service   Service
	set       map[string]string // by flag
	variables map[string]string // names of those that gave a value, by flag
}

func (v *Values) text(s *Spec) string {
	if text, ok := v.set[s.Flag]; ok {
		return text
	}
	return s.Default
}

// ErrHelp reports that --help was requested, and printed.
var ErrHelp = errors.New("help was requested")

// UsageError is a wrong flag; the usage text belongs to it.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// Load reads the settings of a service from flags and from variables (env is
// os.LookupEnv). It fails with ErrHelp after it wrote the help to out, else with all that is
// wrong, joined: a *Fault for each value, a *UsageError for flags.
func Load(service Service, args []string, env func(string) (string, bool), out io.Writer) (*Values, error) {
	v := &Values{service: service, set: map[string]string{}, variables: map[string]string{}}
	prefixes := variablePrefixes(service, args, env)
	var wrong []error
	for _, r := range table() {
		if !r.Spec().ReadBy(service) || r.Spec().FlagOnly {
			continue
		}
		text, name, err := fromEnvironment(r.Spec(), prefixes, env)
		if err == nil && name != "" {
			err = r.check(text)
		}
		if err != nil {
			wrong = append(wrong, &Fault{name, err})
		}
		if err != nil || name == "" {
			continue
		}
		v.set[r.Spec().Flag] = text
		if !strings.HasSuffix(name, fileSuffix) {
			v.variables[r.Spec().Flag] = name
		}
	}
	err := v.parseFlags(service, args, out)
	if errors.Is(err, ErrHelp) {
		return nil, err
	}
	wrong = append(wrong, err)
	if WebSocketReadCookie.Get(v) && !DisableCORS.Get(v) {
		wrong = append(wrong, WebSocketReadCookie.spec.Wrong(errReadCookie))
	}
	if err := errors.Join(append(wrong, v.joinDatabase())...); err != nil {
		return nil, err
	}
	return v, nil
}

// variablePrefixes are how names of variables begin: ours, and that of the engine which
// VendorNames names, for what ours don't set.
func variablePrefixes(service Service, args []string, env func(string) (string, bool)) []string {
	v := &Values{service: service, set: map[string]string{}, variables: map[string]string{}}
	text, name, err := fromEnvironment(VendorNames.spec, []string{VariablePrefix}, env)
	if err == nil && name != "" {
		v.set[VendorNames.spec.Flag] = text
	}
	_ = v.parseFlags(service, args, io.Discard) // Load reports their faults
	if vendor := VendorNames.Get(v); vendor != "" {
		return []string{VariablePrefix, VendorPrefix(vendor)}
	}
	return []string{VariablePrefix}
}

// VendorPrefix starts the names of the environment variables of another engine.
func VendorPrefix(vendor string) string { return strings.ToUpper(vendor) + "_GRAPHQL_" }

// IsVendorSecret reports whether a variable is a secret setting by another engine's prefix, or
// names the file of one.
func IsVendorSecret(variable, vendor string) bool {
	s := vendorSetting(variable, vendor)
	return s != nil && s.Secret
}

// OwnVariable is our name of a variable that is a setting by another engine's prefix; ok is false
// for all others, which are users' own.
func OwnVariable(variable, vendor string) (own string, ok bool) {
	if vendorSetting(variable, vendor) == nil {
		return "", false
	}
	return VariablePrefix + strings.TrimPrefix(variable, VendorPrefix(vendor)), true
}

// vendorSetting is the row that a variable with another engine's prefix belongs to, nil for none.
func vendorSetting(variable, vendor string) *Spec {
	name, ok := strings.CutPrefix(variable, VendorPrefix(vendor))
	if !ok || vendor == "" {
		return nil
	}
	name = strings.TrimSuffix(name, fileSuffix)
	for _, r := range table() {
		if s := r.Spec(); !s.FlagOnly && (s.Variable == name || s.OldVariable != "" && s.OldVariable == name) {
			return s
		}
	}
	return nil
}

// fromEnvironment finds the value of a setting in NAME, in the file that NAME_FILE names,
// or under the older name, for the first of the prefixes that gives one; name is the variable
// that it found.
func fromEnvironment(s *Spec, prefixes []string, env func(string) (string, bool)) (text, name string, err error) {
	var names []string
	for _, prefix := range prefixes {
		names = append(names, prefix+s.Variable)
		if s.OldVariable != "" {
			names = append(names, prefix+s.OldVariable)
		}
	}
	for _, name := range names {
		if text, from, err := Variable(name, env); from != "" || err != nil {
			return text, from, err
		}
	}
	return "", "", nil
}

// Variable finds the value of NAME in that variable, or in the file that NAME_FILE names; from is the variable that it found, "" for
// neither.
func Variable(name string, env func(string) (string, bool)) (text, from string, err error) {
	if text, ok := env(name); ok {
		return text, name, nil
	}
	name += fileSuffix
	path, ok := env(name)
	if !ok {
		return "", "", nil
	}
	data, err := os.ReadFile(path)
	return strings.TrimRight(string(data), "\r\n"), name, err
}

// parseFlags takes the values of flags. Values that are wrong are all told, and an argument that
// isn't known ends it: what follows may belong to it.
func (v *Values) parseFlags(service Service, args []string, out io.Writer) error {
	var wrong []error
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--help" || arg == "-h" {
			WriteHelp(out, service)
			return ErrHelp
		}
		name, value, hasValue := strings.Cut(arg, "=")
		r := find(service, name)
		if r == nil {
			return errors.Join(append(wrong, &UsageError{fmt.Sprintf("unknown argument %q%s", name, DidYouMean(name, arguments(service)))})...)
		}
		switch {
		case hasValue:
		case r.Spec().Switch:
			value = strconv.FormatBool(r.Spec().Default != "true")
		case len(args) == 0:
			return errors.Join(append(wrong, &UsageError{fmt.Sprintf("option %s needs a value", name)})...)
		default:
			value, args = args[0], args[1:]
		}
		if err := r.check(value); err != nil {
			wrong = append(wrong, &UsageError{fmt.Sprintf("option %s: %s", name, strings.TrimSpace(err.Error()))})
			continue
		}
		v.set[r.Spec().Flag] = value
		delete(v.variables, r.Spec().Flag)
	}
	return errors.Join(wrong...)
}

// arguments are the flags that a service knows, "--flag".
func arguments(service Service) []string {
	list := []string{"--help"}
	for _, s := range Table() {
		if s.ReadBy(service) {
			list = append(list, "--"+s.Flag)
		}
	}
	return list
}

// find gives the row of an argument, "--flag" or "-f".
func find(service Service, argument string) row {
	for _, r := range table() {
		s := r.Spec()
		if s.ReadBy(service) && (argument == "--"+s.Flag || s.Short != "" && argument == "-"+s.Short) {
			return r
		}
	}
	return nil
}
