package metadata

import "queryengine/pkg/apierror"

// UnavailableCommand is a command for a kind of sources that is known by name alone. It is always
// refused.
type UnavailableCommand struct {
	name   string
	source string // the source that the command is for, "" where it is for none or for several
}

// unavailable returns the arguments of a command.
func unavailable(name string) func() any {
	return func() any { return &UnavailableCommand{name: name} }
}

// sourceKey is the key of the arguments that names the command's source, "" when none does: the source
// is new, or each element of a list names its own.
func (a *UnavailableCommand) sourceKey() string {
	switch a.name {
	case "add_source", "track_tables", "untrack_tables":
		return ""
	case "update_source":
		return "name"
	case "test_connection_template":
		return "source_name"
	}
	return "source"
}

// UnmarshalJSON looks for the source, and at nothing else.
func (a *UnavailableCommand) UnmarshalJSON(raw []byte) error {
	key := a.sourceKey()
	if key == "" {
		return nil
	}
	if a.source = Key(raw, key); a.source == "" {
		a.source = DefaultSource
	}
	return nil
}

// Apply reports that there is no such source of the kind, or that the kind has no backend. That goes
// before the source's inconsistency, which nothing but another kind could mend.
func (a *UnavailableCommand) Apply(v View) (*Result, error) {
	if a.source != "" {
		if _, err := v.source(a.source); err != nil {
			return nil, err
		}
	}
	return nil, apierror.Newf(apierror.NotSupported, "sources of kind %s are not supported", v.Kind)
}
