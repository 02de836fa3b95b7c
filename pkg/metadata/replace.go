package metadata

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
)

// ReplaceMetadata are the arguments of replace_metadata, in both versions.
type ReplaceMetadata struct {
	AllowInconsistent bool            `json:"allow_inconsistent_metadata"`
	AllowWarnings     bool            `json:"allow_warnings" meta:"default=true"`
	Metadata          json.RawMessage `json:"metadata" meta:"required"`
	// VendorNames is the name of the engine that the document was written for: its names
	// are mapped to those of this one.
	VendorNames string `json:"vendor_names"`
	// DryRun asks what would change, without changing it.
	DryRun bool `json:"dry_run"`

	// report asks for the answer of version 2, with the inconsistent objects; at is where
	// the document stands in the arguments.
	report bool
	at     []any
	// bare reports whether the request is of version 2 and has no arguments of that version.
	bare bool
	// unknown warns of keys next to the document.
	unknown []Warning
}

func (a *ReplaceMetadata) configure(_ API, e *Envelope) {
	a.bare = e.Version == 2 && !a.report
	if a.report {
		type arguments ReplaceMetadata
		a.unknown = unknownKeys(e.Args, reflect.TypeFor[arguments](), nil, "", "args")
	}
}

// AsksDryRun reports whether nothing is to be changed.
func (a *ReplaceMetadata) AsksDryRun() bool { return a.DryRun }

// UnmarshalJSON distinguishes version 2 from a bare document by the key "metadata".
func (a *ReplaceMetadata) UnmarshalJSON(raw []byte) error {
	fields, err := object(raw)
	if err != nil {
		return err
	}
	if fields["metadata"] == nil {
		a.Metadata, a.AllowWarnings = raw, true
		return nil
	}
	type arguments ReplaceMetadata
	if err := decode(raw, (*arguments)(a)); err != nil {
		return err
	}
	a.report, a.at = true, []any{"metadata"}
	// An export of version 2 may be given as it is.
	if inner, err := object(a.Metadata); err == nil && inner["metadata"] != nil && inner["sources"] == nil {
		a.Metadata, a.at = inner["metadata"], append(a.at, "metadata")
	}
	return nil
}

// Apply replaces the document. Objects that are equal in both stay shared.
func (a *ReplaceMetadata) Apply(v View) (*Result, error) {
	if a.bare {
		return nil, missingKey("metadata")
	}
	given := a.Metadata
	var err error
	if a.VendorNames != "" {
		if given, err = mapVendorNames(given, a.VendorNames); err != nil {
			return nil, err
		}
	}
	doc, err := Parse(given, v.Document, v.Kinds)
	if err != nil {
		return nil, apierror.At(err, a.at...)
	}
	warnings := slices.Concat(a.unknown, unknownKeys(given, reflect.TypeFor[Document](), v.Kinds, ""), doc.triggerWarnings(), doc.unusedParts(v.Kinds), v.ruleWarnings(doc, doc.permissionRules()...))
	if len(warnings) > 0 && !a.AllowWarnings {
		return nil, apierror.New(MetadataWarnings, "failed due to metadata warnings").WithInternal(warnings)
	}
	if name := doc.repeatedTrigger(); name != "" {
		return nil, apierror.Newf(apierror.NotSupported, "Event trigger with duplicate names not allowed: %q", name)
	}
	if err := doc.keepHidden(v.Document); err != nil {
		return nil, err
	}
	r := &Result{Document: doc.sharing(v.Document), Introspect: Introspection{All: true, AllRemotes: true}, Verdict: VerdictConsistent}
	if a.AllowInconsistent {
		r.Verdict = VerdictNone
	}
	switch {
	case a.report:
		r.Reply = func(after View) (json.RawMessage, error) { return consistency(after, warnings) }
	default:
		r.Reply = replyOf(warnings)
	}
	return r, nil
}

// Restore puts a document of the history instead of the current one.
func Restore(doc, current *Document, allowInconsistent bool) *Result {
	r := &Result{
		Document: doc.sharing(current), Introspect: Introspection{All: true, AllRemotes: true}, Verdict: VerdictConsistent, Reply: inconsistencyReport,
	}
	if allowInconsistent {
		r.Verdict = VerdictNone
	}
	return r
}

// MetadataWarnings is the code of a request that forbids warnings.
const MetadataWarnings apierror.Code = "metadata-warnings"

// SuccessWith is the body of a success with warnings.
func SuccessWith(warnings []Warning) (json.RawMessage, error) {
	return Encode(struct {
		Message  string    `json:"message"`
		Warnings []Warning `json:"warnings"`
	}{"success", warnings})
}

// triggerWarnings warn of event triggers whose names may not work everywhere.
func (d *Document) triggerWarnings() []Warning {
	var list []Warning
	for _, s := range d.Sources {
		for _, t := range s.Tables {
			for _, trigger := range t.EventTriggers {
				if name := rawName(trigger); !isPlainName(name) {
					list = append(list, Warning{
						Message: fmt.Sprintf("The event trigger with name %q may not work as expected, engine suggests to use only "+
							"alphanumeric, underscore and hyphens in an event trigger name", name),
						Type: ObjectEventTrigger,
						Name: fmt.Sprintf("event_trigger %s in table %s in source %s", name, s.Display(t.Table), s.Name),
						Code: "illegal-event-trigger-name",
					})
				}
			}
		}
	}
	return list
}

// isPlainName reports whether a name has only letters, digits, underscores and hyphens.
func isPlainName(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

// keepHidden takes the cron triggers over that an export doesn't show.
func (d *Document) keepHidden(old *Document) error {
	for _, trigger := range old.CronTriggers {
		if !isHidden(trigger) {
			continue
		}
		name := rawName(trigger)
		if find(d.CronTriggers, rawName, name) != nil {
			return apierror.Newf(apierror.AlreadyExists,
				"cron trigger with name %s already exists as a cron trigger with \"included_in_metadata\" as false", name)
		}
		d.CronTriggers = inserted(d.CronTriggers, trigger, rawName)
	}
	return nil
}

// repeatedTrigger is the name of an event trigger that occurs twice, in any tables.
func (d *Document) repeatedTrigger() string {
	seen := map[string]bool{}
	for _, s := range d.Sources {
		for _, t := range s.Tables {
			for _, trigger := range t.EventTriggers {
				name := rawName(trigger)
				if seen[name] {
					return name
				}
				seen[name] = true
			}
		}
	}
	return ""
}

// sharing is d with every source, table, function and role that equals one of old replaced
// by it.
func (d *Document) sharing(old *Document) *Document {
	n := *d
	n.InheritedRoles = share(d.InheritedRoles, old.InheritedRoles, roleName)
	n.RemoteSchemas = share(d.RemoteSchemas, old.RemoteSchemas, remoteSchemaName)
	n.QueryCollections = share(d.QueryCollections, old.QueryCollections, collectionName)
	n.Allowlist = share(d.Allowlist, old.Allowlist, allowlistCollection)
	n.RESTEndpoints = share(d.RESTEndpoints, old.RESTEndpoints, endpointName)
	n.Sources = mapped(d.Sources, func(s *Source) *Source {
		o := old.Source(s.Name)
		if o == nil {
			return s
		}
		c := *s
		c.Tables = share(s.Tables, o.Tables, func(t *Table) string { return qualified(t.Table.Schema, t.Table.Name) })
		c.Functions = share(s.Functions, o.Functions, func(f *Function) string {
			return qualified(f.Function.Schema, f.Function.Name)
		})
		c.ShareModels(o)
		return &c
	})
	n.Sources = share(n.Sources, old.Sources, func(s *Source) string { return s.Name })
	return &n
}

func qualified(schema, name string) string { return strconv.Quote(schema) + strconv.Quote(name) }
