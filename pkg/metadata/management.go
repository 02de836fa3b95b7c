package metadata

import (
	"encoding/json"
	"slices"

	"queryengine/pkg/apierror"
)

// ExportMetadata is export_metadata. Version 2 adds the resource version.
type ExportMetadata struct{ version int }

func (a *ExportMetadata) configure(_ API, e *Envelope) { a.version = e.Version }

// Answer is the document as it is imported.
func (a *ExportMetadata) Answer(v View) (json.RawMessage, error) {
	doc := *v.Document
	doc.CronTriggers = slices.DeleteFunc(slices.Clone(doc.CronTriggers), isHidden)
	if a.version != 2 {
		return Encode(&doc)
	}
	return Encode(struct {
		Version  int64     `json:"resource_version"`
		Metadata *Document `json:"metadata"`
	}{v.Version, &doc})
}

// isHidden reports whether a cron trigger is not part of the exported document.
func isHidden(trigger json.RawMessage) bool { return Key(trigger, "include_in_metadata") == "false" }

// ReloadMetadata are the arguments of reload_metadata.
type ReloadMetadata struct {
	RemoteSchemas  *Selection `json:"reload_remote_schemas"`
	Sources        *Selection `json:"reload_sources"`
	DataConnectors *Selection `json:"reload_data_connectors"`
	EventTriggers  *Selection `json:"recreate_event_triggers"`
}

// Selection is all of something, or the named ones.
type Selection struct {
	All   bool
	Names []string
}

// UnmarshalJSON reads a boolean or a list of names.
func (s *Selection) UnmarshalJSON(raw []byte) error {
	*s = Selection{}
	if JSONType(raw) == "Boolean" {
		return decode(raw, &s.All)
	}
	return decode(raw, &s.Names)
}

// Apply changes nothing: the named parts are introspected again.
func (a *ReloadMetadata) Apply(v View) (*Result, error) {
	r := &Result{Document: v.Document, Verdict: VerdictNone, Reply: reloadReport}
	if a.Sources == nil || a.Sources.All {
		r.Introspect.All = true
	} else {
		r.Introspect.Sources = a.Sources.Names
		for _, name := range a.Sources.Names {
			if v.Document.Source(name) == nil {
				return nil, apierror.Newf(apierror.NotExists, "Source with name %q not found in metadata", name)
			}
		}
	}
	if a.EventTriggers != nil {
		for _, name := range a.EventTriggers.Names {
			if v.Document.Source(name) == nil {
				return nil, apierror.Newf(apierror.NotExists, "Source with name %q not found in metadata", name)
			}
		}
	}
	r.Introspect.AllRemotes = a.RemoteSchemas == nil || a.RemoteSchemas.All
	if a.RemoteSchemas != nil {
		r.Introspect.Remotes = a.RemoteSchemas.Names
		for _, name := range a.RemoteSchemas.Names {
			if v.Document.RemoteSchema(name) == nil {
				return nil, apierror.Newf(apierror.NotExists, "Remote schema with name %q not found in metadata", name)
			}
		}
	}
	if a.DataConnectors != nil {
		for _, name := range a.DataConnectors.Names {
			return nil, apierror.Newf(apierror.NotExists, "Data connector with name %q not found in metadata", name)
		}
	}
	return r, nil
}

// ClearMetadata is clear_metadata.
type ClearMetadata struct{}

// Apply forgets everything but the default source, which loses its tables.
func (a *ClearMetadata) Apply(v View) (*Result, error) {
	doc := Empty()
	if old := v.Document.Source(DefaultSource); old != nil && !old.IsForeign() {
		doc.Sources = append(doc.Sources, &Source{
			Name:          old.Name,
			Kind:          old.Kind,
			Tables:        []*Table{},
			Configuration: old.Configuration,
			Customization: old.Customization,
		})
	}
	return &Result{Document: doc, Verdict: VerdictNone}, nil
}

// GetInconsistentMetadata is get_inconsistent_metadata. At /v1/query the answer is a bare
// list.
type GetInconsistentMetadata struct{ bare bool }

func (a *GetInconsistentMetadata) configure(api API, _ *Envelope) { a.bare = api == APIQueryV1 }

// Answer lists the inconsistent objects.
func (a *GetInconsistentMetadata) Answer(v View) (json.RawMessage, error) {
	if a.bare {
		return Encode(append([]Inconsistency{}, v.Inconsistent...))
	}
	return inconsistencyReport(v)
}

// DropInconsistentMetadata is drop_inconsistent_metadata.
type DropInconsistentMetadata struct{}

// Apply removes every inconsistent object with its dependents.
func (a *DropInconsistentMetadata) Apply(v View) (*Result, error) {
	var ids []ObjectID
	for _, i := range v.Inconsistent {
		ids = append(ids, i.IDs()...)
	}
	doc := v.Document.Without(slices.Concat(ids, v.Schema.Dependents(ids...))...)
	return &Result{Document: doc, Verdict: VerdictNew}, nil
}

// DumpInternalState is dump_internal_state.
type DumpInternalState struct{}

// Answer is what a service keeps in memory: for debugging only, in no fixed shape.
func (a *DumpInternalState) Answer(v View) (json.RawMessage, error) {
	sources := map[string]any{}
	for name, c := range v.Catalogs {
		tables := map[string]any{}
		for n, t := range c.Tables {
			tables[v.display(name, n)] = t
		}
		functions := map[string]any{}
		for n, f := range c.Functions {
			functions[v.display(name, n)] = f
		}
		sources[name] = map[string]any{"version": c.Version, "extensions": c.Extensions, "tables": tables, "functions": functions}
	}
	return Encode(map[string]any{
		"resource_version":     v.Version,
		"metadata":             v.Document,
		"catalogs":             sources,
		"inconsistent_objects": append([]Inconsistency{}, v.Inconsistent...),
	})
}

// ListSourceKinds is list_source_kinds.
type ListSourceKinds struct{}

// Answer lists the kinds of sources that can be added.
func (a *ListSourceKinds) Answer(View) (json.RawMessage, error) {
	type listed struct {
		Kind      string `json:"kind"`
		Builtin   bool   `json:"builtin"`
		Available bool   `json:"available"`
		Display   string `json:"display_name"`
	}
	var list []listed
	for _, k := range kinds {
		list = append(list, listed{k.Prefixes[0], true, true, k.Prefixes[0]})
	}
	return Encode(struct {
		Sources []listed `json:"sources"`
	}{list})
}

func inconsistencyReport(v View) (json.RawMessage, error) { return consistency(v, nil) }

func consistency(v View, warnings []Warning) (json.RawMessage, error) {
	return Encode(struct {
		Consistent   bool            `json:"is_consistent"`
		Inconsistent []Inconsistency `json:"inconsistent_objects"`
		Warnings     []Warning       `json:"warnings,omitempty"`
	}{len(v.Inconsistent) == 0, append([]Inconsistency{}, v.Inconsistent...), warnings})
}

func reloadReport(v View) (json.RawMessage, error) {
	return Encode(struct {
		Message      string          `json:"message"`
		Consistent   bool            `json:"is_consistent"`
		Inconsistent []Inconsistency `json:"inconsistent_objects,omitempty"`
	}{"success", len(v.Inconsistent) == 0, v.Inconsistent})
}
