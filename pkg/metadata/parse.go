package metadata

import (
	"encoding/json"
	"slices"

	"queryengine/pkg/apierror"
)

// Parse reads a metadata object of version 1, 2 or 3. Unknown keys are ignored, omitted
// ones take their defaults, and the lists are brought into the order of the export.
//
// Objects of version 1 and 2 have no sources: their tables and functions go to source "default" of
// current, and everything that such objects can't express is taken from current too.
func Parse(raw json.RawMessage, current *Document, kinds Kinds) (*Document, error) {
	fields, err := object(raw)
	if err != nil {
		return nil, err
	}
	version, err := documentVersion(fields)
	if err != nil {
		return nil, err
	}
	if version < 3 {
		return parseWithoutSources(raw, version, current)
	}
	d := &Document{Version: 3}
	switch sources, given := fields["sources"]; {
	case !given:
		return nil, missingKey("sources")
	case isNull(sources):
		return nil, apierror.At(typeMismatch("[]", "Array", "Null"), "sources")
	}
	if err := decode(raw, d); err != nil {
		return nil, err
	}
	if err := d.checkConfigurations(kinds); err != nil {
		return nil, err
	}
	return d, d.normalise()
}

func documentVersion(fields map[string]json.RawMessage) (int, error) {
	raw, given := fields["version"]
	switch {
	case !given && fields["sources"] != nil:
		return 3, nil
	case !given:
		return 1, nil
	}
	var version int
	if err := decode(raw, &version); err != nil {
		return 0, apierror.At(err, "version")
	}
	if version < 1 || version > 3 {
		return 0, apierror.At(apierror.Newf(apierror.ParseFailed, "expected 1, 2 or 3, encountered %d", version), "version")
	}
	return version, nil
}

// parseWithoutSources reads version 1, where functions are only names, and version 2.
func parseWithoutSources(raw json.RawMessage, version int, current *Document) (*Document, error) {
	old := current.Source(DefaultSource)
	if old == nil || old.IsForeign() {
		return nil, apierror.New(apierror.NotSupported, "cannot import metadata without sources since no default source is defined")
	}
	var lists struct {
		Tables    []*Table          `json:"tables"`
		Functions []json.RawMessage `json:"functions"`
	}
	if err := decode(raw, &lists); err != nil {
		return nil, err
	}
	source := *old
	source.Tables = append([]*Table{}, lists.Tables...)
	source.Functions = nil
	for i, item := range lists.Functions {
		f := &Function{}
		var err error
		if version == 1 {
			err = decode(item, &f.Function)
		} else {
			err = decode(item, f)
		}
		if err != nil {
			return nil, apierror.At(err, "functions", i)
		}
		source.Functions = append(source.Functions, f)
	}
	if err := source.check(); err != nil {
		return nil, err
	}
	d := &Document{}
	if err := decode(raw, d); err != nil {
		return nil, err
	}
	if d.RESTEndpoints == nil {
		d.RESTEndpoints = current.RESTEndpoints
	}
	d.Version = 3
	d.APILimits, d.MetricsConfig, d.InheritedRoles, d.Network = nil, nil, nil, nil
	d.BackendConfigs, d.OpenTelemetry, d.Introspection, d.DocumentRules = nil, nil, nil, nil
	d.Sources = slices.Clone(current.Sources)
	return d.withSource(&source), d.normalise()
}

// normalise completes names, sorts the lists, refuses names that occur twice, and removes empty parts.
func (d *Document) normalise() error {
	d.qualify(d)
	slices.SortFunc(d.Sources, func(a, b *Source) int { return compareText(a.Name, b.Name) })
	slices.SortFunc(d.InheritedRoles, func(a, b *InheritedRole) int { return compareText(a.Name, b.Name) })
	if names := duplicates(d.Sources, func(s *Source) string { return s.Name }); names != "" {
		return duplicateError("sources", names)
	}
	if names := duplicates(d.InheritedRoles, roleName); names != "" {
		return duplicateError("inherited roles", names)
	}
	for _, s := range d.rawLists() {
		for i, raw := range *s.list {
			if Key(raw, s.unique) == "" {
				return apierror.At(missingKey(s.unique), s.key, i)
			}
		}
		if names := duplicates(*s.list, func(raw json.RawMessage) string { return Key(raw, s.unique) }); names != "" {
			return duplicateError(s.things, names)
		}
		*s.list = sortedBy(*s.list, s.order)
	}
	if err := d.normaliseCronTriggers(); err != nil {
		return err
	}
	if err := firstError(d.normaliseRemoteSchemas(), d.normaliseActions(), d.normaliseCustomTypes()); err != nil {
		return err
	}
	if err := d.normaliseStored(); err != nil {
		return err
	}
	if err := d.normaliseSettings(); err != nil {
		return err
	}
	for _, part := range []*json.RawMessage{&d.Introspection, &d.BackendConfigs} {
		if saysNothing(*part) {
			*part = nil
		}
	}
	return d.checkRoleCycles()
}

// rawList is a list of objects that are kept as given.
type rawList struct {
	list *[]json.RawMessage
	// key is the list's key in the document, things what errors call its elements.
	key, things string
	// unique is the key of an element's name, order the key of what it is sorted by.
	unique, order string
}

func (d *Document) rawLists() []rawList {
	return []rawList{
		{&d.Actions, "actions", "actions", "name", "name"},
		{&d.CronTriggers, "cron_triggers", "cron triggers", "name", "name"},
	}
}

// normaliseStored is normalise for collections, the allow list and endpoints.
func (d *Document) normaliseStored() error {
	if names := duplicates(d.QueryCollections, collectionName); names != "" {
		return duplicateError("query collections", names)
	}
	if names := duplicates(d.Allowlist, allowlistCollection); names != "" {
		return duplicateError("allowlist entries", names)
	}
	if names := duplicates(d.RESTEndpoints, endpointName); names != "" {
		return duplicateError("rest endpoints", names)
	}
	slices.SortFunc(d.QueryCollections, func(a, b *QueryCollection) int { return compareText(a.Name, b.Name) })
	slices.SortFunc(d.Allowlist, func(a, b *AllowlistEntry) int { return compareText(a.Collection, b.Collection) })
	slices.SortFunc(d.RESTEndpoints, CompareEndpoints)
	return nil
}

// saysNothing reports whether a part only holds nulls, falses, and empty texts, lists and
// objects.
func saysNothing(raw json.RawMessage) bool {
	switch JSONType(raw) {
	case "Null":
		return true
	case "Boolean":
		return string(raw) == "false"
	case "String":
		return string(raw) == `""`
	case "Array":
		return string(raw) == "[]"
	case "Object":
		fields, err := object(raw)
		if err != nil {
			return false
		}
		for _, field := range fields {
			if !saysNothing(field) {
				return false
			}
		}
		return true
	}
	return false
}
