package metadata

import (
	"slices"

	"queryengine/pkg/apierror"
)

// Kinds of sources whose commands are known by name, but that can't be added.
const (
	KindCitus     = "citus"
	KindCockroach = "cockroach"
	KindMSSQL     = "mssql"
	KindBigQuery  = "bigquery"
)

// otherKinds says which commands the other kinds of sources have.
type otherKinds map[string]map[string]bool

// newOtherKinds makes them of the names of all commands of PostgreSQL sources.
func newOtherKinds(commands []string) otherKinds {
	functions := []string{
		"track_function", "untrack_function", "set_function_customization", "create_function_permission", "drop_function_permission",
	}
	events := []string{
		"create_event_trigger", "delete_event_trigger", "invoke_event_trigger", "redeliver_event",
		"get_event_logs", "get_event_invocation_logs", "get_event_by_id",
	}
	computed := []string{"add_computed_field", "drop_computed_field"}
	enums := []string{"set_table_is_enum"}
	template := []string{"test_connection_template"}
	kinds := otherKinds{}
	for kind, lacking := range map[string][]string{
		KindCitus:     slices.Concat(enums, events, computed),
		KindCockroach: slices.Concat(functions, events, computed),
		KindMSSQL:     slices.Concat(functions, enums, computed, template),
		KindBigQuery:  slices.Concat(functions, enums, events, template),
	} {
		kinds[kind] = map[string]bool{}
		for _, name := range commands {
			kinds[kind][name] = name != "get_source_trackables" && !slices.Contains(lacking, name)
		}
	}
	for _, name := range []string{"track_stored_procedure", "untrack_stored_procedure", "get_stored_procedure"} {
		kinds[KindMSSQL][name] = true
	}
	return kinds
}

// OtherKindCommand is a command for a kind of sources that can't be added. It is always refused.
type OtherKindCommand struct {
	name   string
	source string
}

// otherKindCommand returns the arguments of a command.
func otherKindCommand(name string) func() any {
	return func() any { return &OtherKindCommand{name: name} }
}

// UnmarshalJSON looks for the source, and at nothing else.
func (a *OtherKindCommand) UnmarshalJSON(raw []byte) error {
	key := "source"
	if a.name == "update_source" {
		key = "name"
	}
	if a.source = Key(raw, key); a.source == "" {
		a.source = DefaultSource
	}
	return nil
}

// Apply says that there is no such source, or that it can't be used.
func (a *OtherKindCommand) Apply(v View) (*Result, error) {
	if a.name != "add_source" {
		if _, err := v.usableSource(a.source); err != nil {
			return nil, err
		}
	}
	return nil, apierror.Newf(apierror.NotSupported, "sources of kind %s are not supported", v.Kind)
}
