package metadata

import "queryengine/pkg/apierror"

// UnavailableCommand is a command for a kind of sources that is known by name alone. It is always
// refused.
type UnavailableCommand struct {
	name   string
	source string
}

// unavailable returns the arguments of a command.
func unavailable(name string) func() any {
	return func() any { return &UnavailableCommand{name: name} }
}

// UnmarshalJSON looks for the source, and at nothing else.
func (a *UnavailableCommand) UnmarshalJSON(raw []byte) error {
	key := "source"
	if a.name == "update_source" {
		key = "name"
	}
	if a.source = Key(raw, key); a.source == "" {
		a.source = DefaultSource
	}
	return nil
}

// Apply reports that there is no such source, or that it can't be used.
func (a *UnavailableCommand) Apply(v View) (*Result, error) {
	if a.name != "add_source" {
		if _, err := v.usableSource(a.source); err != nil {
			return nil, err
		}
	}
	return nil, apierror.Newf(apierror.NotSupported, "sources of kind %s are not supported", v.Kind)
}
