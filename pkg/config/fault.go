package config

import (
	"errors"
	"os"
	"slices"
	"strings"
)

// Fault is a setting that a program can't start with. Its text is a line for an operator.
type Fault struct {
	// Setting is how it was given or can be given: a variable, or a flag with its variable.
	Setting string
	Err     error
}

func (f *Fault) Error() string { return f.Setting + ": " + strings.TrimSpace(f.Err.Error()) }

// Unwrap is the fault of the setting.
func (f *Fault) Unwrap() error { return f.Err }

// Wrong is a Fault of the setting, whichever way it was given; nil stays nil.
func (s *Spec) Wrong(err error) error {
	if err == nil {
		return nil
	}
	return &Fault{s.Name(), err}
}

// Name is the flag with the variable: "--flag (VARIABLE)".
func (s *Spec) Name() string {
	if s.FlagOnly {
		return "--" + s.Flag
	}
	return "--" + s.Flag + " (" + s.Env() + ")"
}

var errReadCookie = errors.New("can only be used when CORS is disabled")

// NeedMetadataURL is an error for an empty MetadataURL.
func NeedMetadataURL(url string) error {
	if url != "" {
		return nil
	}
	text := "no metadata database: set " + DatabaseURL.spec.Name() + " or " + MetadataDatabaseURL.spec.Name()
	if vendor := VendorIn(os.Environ()); vendor != "" {
		text += "; for the settings of another engine, such as " + VendorPrefix(vendor) + DatabaseURL.spec.Variable + ", set " + VendorNames.spec.Name() + " to " + vendor
	}
	return errors.New(text)
}

// VendorIn is the engine whose address of a database, or whose credentials, are in an environment, "" for none.
func VendorIn(environ []string) string {
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		for _, s := range []*Spec{DatabaseURL.spec, MetadataDatabaseURL.spec, AdminSecret.spec, JWTSecret.spec} {
			vendor, ok := strings.CutSuffix(name, "_GRAPHQL_"+s.Variable)
			if ok && vendor != "" && value != "" && VendorPrefix(vendor) != VariablePrefix {
				return strings.ToLower(vendor)
			}
		}
	}
	return ""
}

// IgnoredVariables are the settings in an environment under the prefix of another engine whose names aren't taken: an
// installation that was moved would lack its secret, for one.
func IgnoredVariables(environ []string, v *Values) (names []string, vendor string) {
	if vendor = VendorIn(environ); vendor == "" || VendorNames.Get(v) != "" {
		return nil, ""
	}
	for _, variable := range environ {
		if name, _, _ := strings.Cut(variable, "="); vendorSetting(name, vendor) != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, vendor
}
