package metadata

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"queryengine/pkg/apierror"
)

// API is an endpoint, which decides how operations are named and errors are placed.
type API int

// The endpoints.
const (
	APIMetadata API = iota // POST /v1/metadata
	APIQueryV1             // POST /v1/query
	APIQueryV2             // POST /v2/query
)

// Envelope is a request whose arguments were not looked at.
type Envelope struct {
	Type    string          `json:"type" meta:"required"`
	Version int             `json:"version"`
	Args    json.RawMessage `json:"args"`
	// ResourceVersion is the version that the request builds on, nil for the newest.
	ResourceVersion *int64 `json:"resource_version"`
	// DryRun asks what the request would change, without changing it.
	DryRun bool `json:"dry_run"`
}

func (e *Envelope) check() error {
	if e.Version == 0 {
		e.Version = 1
	}
	if e.Version != 1 && e.Version != 2 {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "expected 1 or 2, encountered %d", e.Version), "version")
	}
	if e.Args == nil {
		e.Args = json.RawMessage("{}")
	}
	return nil
}

// ParseEnvelope reads the body of a request, or an element of a bulk request.
func ParseEnvelope(body json.RawMessage) (*Envelope, error) {
	e := &Envelope{}
	if err := Decode(body, e); err != nil {
		return nil, err
	}
	return e, nil
}

// Decode reads the body of a request that is no operation of the metadata API, with the same
// errors; into is a pointer.
func Decode(body json.RawMessage, into any) error {
	if !json.Valid(body) {
		return apierror.New(apierror.InvalidJSON, json.Unmarshal(body, new(json.RawMessage)).Error())
	}
	return decode(body, into)
}

// Operation is a request with its arguments read.
type Operation struct {
	// Kind is the kind of sources that the name asks for, "" for commands of no source.
	Kind string
	// Args is a Command, a Query or a Batch.
	Args any
}

// DecodeArgs reads arguments as the endpoint's errors want it; into is a pointer. It is
// for operations that aren't in the registry.
func DecodeArgs(api API, e *Envelope, into any) error {
	return argsError(api, decode(e.Args, into))
}

func argsError(api API, err error) error {
	if api == APIQueryV1 {
		return err
	}
	return apierror.At(err, "args")
}

// kindArgs are arguments that a part of is read by the kind of the command.
type kindArgs interface{ ofKind(k *Kind) error }

// configured are arguments whose meaning depends on the envelope.
type configured interface{ configure(api API, version int) }

// Operation finds the operation of e and reads its arguments.
func (r *Registry) Operation(api API, e *Envelope) (*Operation, error) {
	o := &Operation{}
	command := e.Type
	var args func() any
	var err error
	if api == APIMetadata {
		if e.Version == 2 && e.Type != "replace_metadata" && e.Type != "export_metadata" {
			return nil, apierror.Newf(apierror.ParseFailed, "unknown metadata command %q for version 2", e.Type)
		}
		o.Kind, command, args, err = r.lookup(e.Type)
	} else {
		o.Kind, args, err = r.lookupDeprecated(e)
	}
	if err != nil {
		return nil, err
	}
	o.Args = args()
	err = DecodeArgs(api, e, o.Args)
	if a, ok := o.Args.(kindArgs); ok && err == nil {
		err = argsError(api, a.ofKind(r.kinds[o.Kind]))
	}
	if err != nil {
		if api == APIMetadata && o.Kind != "" {
			err = commandError(command, err)
		}
		return nil, err
	}
	if c, ok := o.Args.(configured); ok {
		c.configure(api, e.Version)
	}
	return o, nil
}

func (r *Registry) lookup(name string) (kind, command string, args func() any, err error) {
	if args := r.plain[name]; args != nil {
		return "", name, args, nil
	}
	prefix, command, _ := strings.Cut(name, "_")
	k := KindNamed(prefix)
	if k == nil {
		return "", "", nil, apierror.Newf(apierror.ParseFailed,
			"unknown metadata command %q; %q was not recognized as a valid backend name", name, prefix)
	}
	if args = r.ofSource(k, command); args == nil {
		return "", "", nil, apierror.Newf(apierror.ParseFailed, "unknown metadata command %q for backend %s", command, k.Name)
	}
	return k.Name, command, args, nil
}

// lookupDeprecated finds an operation of /v1/query, where names have no prefix.
func (r *Registry) lookupDeprecated(e *Envelope) (kind string, args func() any, err error) {
	switch e.Type {
	case "add_existing_table_or_view":
		return DefaultKind, r.source["track_table"].args, nil
	case "set_table_custom_fields":
		if e.Version == 2 {
			return DefaultKind, of[SetTableCustomFields](), nil
		}
	case "track_table", "track_function":
		return DefaultKind, r.source[e.Type].args, nil
	case "replace_metadata":
		return "", r.plain[e.Type], nil
	default:
		if e.Version == 2 || !atQueryV1[e.Type] {
			break
		}
		if args := r.source[e.Type].args; args != nil {
			return DefaultKind, args, nil
		}
		if args := r.plain[e.Type]; args != nil {
			return "", args, nil
		}
	}
	return "", nil, apierror.Newf(apierror.ParseFailed, "unknown type %q for version %d", e.Type, e.Version)
}

// atQueryV1 are the operations of the deprecated endpoint, without prefix. What came after
// it is only at /v1/metadata.
var atQueryV1 = wordSet(`
	track_table untrack_table set_table_is_enum set_table_customization
	track_function untrack_function
	create_object_relationship create_array_relationship drop_relationship set_relationship_comment rename_relationship
	add_computed_field drop_computed_field
	create_remote_relationship update_remote_relationship delete_remote_relationship
	create_insert_permission create_select_permission create_update_permission create_delete_permission
	drop_insert_permission drop_select_permission drop_update_permission drop_delete_permission set_permission_comment
	export_metadata replace_metadata reload_metadata clear_metadata
	get_inconsistent_metadata drop_inconsistent_metadata dump_internal_state
	add_remote_schema update_remote_schema remove_remote_schema reload_remote_schema introspect_remote_schema
	add_remote_schema_permissions drop_remote_schema_permissions
	create_event_trigger delete_event_trigger redeliver_event invoke_event_trigger
	create_cron_trigger delete_cron_trigger create_scheduled_event
	create_query_collection rename_query_collection drop_query_collection add_query_to_collection drop_query_from_collection
	add_collection_to_allowlist drop_collection_from_allowlist
	create_rest_endpoint drop_rest_endpoint
	create_action update_action drop_action create_action_permission drop_action_permission set_custom_types`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// commandError is how the commands of sources word the errors of their arguments.
func commandError(command string, err error) error {
	var e *apierror.Error
	if !errors.As(err, &e) || e.Code != apierror.ParseFailed {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf("Error when parsing command %s.\nSee our documentation at docs/metadata-api.md.\nInternal error message: %s",
		command, e.Message)
	return &c
}
