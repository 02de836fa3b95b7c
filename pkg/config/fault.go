package config

import (
	"errors"
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
	return errors.New("no metadata database: set " + DatabaseURL.spec.Name() + " or " + MetadataDatabaseURL.spec.Name())
}
