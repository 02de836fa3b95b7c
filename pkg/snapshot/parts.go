package snapshot

import (
	"encoding/json"
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// sourceHead is a source without its tables and functions.
type sourceHead struct {
	Name             string                       `json:"name"`
	Kind             string                       `json:"kind"`
	NativeQueries    []*metadata.NativeQuery      `json:"native_queries,omitempty"`
	StoredProcedures []*metadata.StoredProcedure  `json:"stored_procedures,omitempty"`
	LogicalModels    []*metadata.LogicalModel     `json:"logical_models,omitempty"`
	PublishedChanges []*metadata.PublishedChanges `json:"published_changes,omitempty"`
	Configuration    json.RawMessage              `json:"configuration,omitempty"`
	QueryTags        json.RawMessage              `json:"query_tags,omitempty"`
	Customization    *metadata.Customization      `json:"customization,omitempty"`
	HealthCheck      json.RawMessage              `json:"health_check,omitempty"`
	Foreign          json.RawMessage              `json:"foreign,omitempty"`
}

func sourceHeadOf(s *metadata.Source) sourceHead {
	return sourceHead{
		s.Name, s.Kind, s.NativeQueries, s.StoredProcedures, s.LogicalModels, s.PublishedChanges,
		s.Configuration, s.QueryTags, s.Customization, s.HealthCheck, s.Foreign,
	}
}

// apply returns a source with this head and the tables and functions of old, which may be
// nil.
func (h sourceHead) apply(old *metadata.Source) *metadata.Source {
	s := &metadata.Source{
		Name: h.Name, Kind: h.Kind, NativeQueries: h.NativeQueries, StoredProcedures: h.StoredProcedures,
		LogicalModels: h.LogicalModels, PublishedChanges: h.PublishedChanges, Configuration: h.Configuration, QueryTags: h.QueryTags,
		Customization: h.Customization, HealthCheck: h.HealthCheck, Tables: []*metadata.Table{},
		Foreign: h.Foreign,
	}
	if old != nil {
		s.Tables, s.Functions = old.Tables, old.Functions
		s.ShareModels(old)
	}
	return s
}

// catalogHead is a catalog without its tables, functions and enums.
type catalogHead struct {
	Version    int               `json:"version"`
	Extensions map[string]string `json:"extensions,omitempty"`
}

func headOf(c *catalog.Source) catalogHead { return catalogHead{c.Version, c.Extensions} }

// rawPart is a list of the document whose elements are kept as given.
type rawPart struct {
	kind Kind
	list *[]json.RawMessage
	// name is the key of an element's name, order the key of what the list is sorted by.
	name, order string
}

func rawParts(d *metadata.Document) []rawPart {
	return []rawPart{
		{KindAction, &d.Actions, "name", "name"},
		{KindCronTrigger, &d.CronTriggers, "name", "name"},
	}
}

// singlePart is a part of the document that there is one of.
type singlePart struct {
	kind  Kind
	value *json.RawMessage
}

func singleParts(d *metadata.Document) []singlePart {
	return []singlePart{
		{KindCustomTypes, &d.CustomTypes},
		{KindAPILimits, &d.APILimits},
		{KindMetricsConfig, &d.MetricsConfig},
		{KindIntrospection, &d.Introspection},
		{KindDocumentRules, &d.DocumentRules},
		{KindNetwork, &d.Network},
		{KindBackends, &d.BackendConfigs},
		{KindOpenTelemetry, &d.OpenTelemetry},
	}
}

// The names of the elements of lists that belong to no source.

func collectionName(c *metadata.QueryCollection) catalog.Name { return catalog.Name{Name: c.Name} }

func entryName(e *metadata.AllowlistEntry) catalog.Name  { return catalog.Name{Name: e.Collection} }
func endpointName(e *metadata.RESTEndpoint) catalog.Name { return catalog.Name{Name: e.Name} }
func remoteName(s *metadata.RemoteSchema) catalog.Name   { return catalog.Name{Name: s.Name} }
func roleName(r *metadata.InheritedRole) catalog.Name    { return catalog.Name{Name: r.Name} }

func sortedNames[V any](m map[catalog.Name]V) []catalog.Name {
	names := make([]catalog.Name, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.SortFunc(names, catalog.Name.Compare)
	return names
}

func sortedKeys[V any](ms ...map[string]V) []string {
	var keys []string
	for _, m := range ms {
		for k := range m {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
