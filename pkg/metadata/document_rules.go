package metadata

import (
	"encoding/json"

	"queryengine/pkg/apierror"
)

// DocumentRule is which GraphQL documents a role may run.
type DocumentRule string

// The rules. Admin runs any document.
const (
	AnyDocument     DocumentRule = "any"
	KnownDocuments  DocumentRule = "known"  // of the query collections
	ListedDocuments DocumentRule = "listed" // of the collections that the allow list has for the role
)

// DocumentRules are the rules of roles. A role without one has the default, which follows from the setting of the allow list where it
// is empty.
type DocumentRules struct {
	Default DocumentRule            `json:"default,omitempty"`
	Roles   map[string]DocumentRule `json:"roles,omitempty"`
}

func (r *DocumentRules) isDefault() bool { return r.Default == "" && len(r.Roles) == 0 }

func (r *DocumentRules) check() error {
	if r.Default != "" {
		if err := r.Default.check(); err != nil {
			return apierror.At(err, "default")
		}
	}
	for role, rule := range r.Roles {
		if err := rule.check(); err != nil {
			return apierror.At(err, "roles", role)
		}
		if role == "" || role == "admin" {
			return apierror.At(apierror.Newf(apierror.ParseFailed, "role %q has no rule", role), "roles")
		}
	}
	return nil
}

func (r DocumentRule) check() error {
	switch r {
	case AnyDocument, KnownDocuments, ListedDocuments:
		return nil
	}
	return apierror.Newf(apierror.ParseFailed, "expected any, known or listed, but found %q", string(r))
}

// Of is the rule of a role other than admin. With listed, the setting of the allow list is on.
func (r *DocumentRules) Of(role string, listed bool) DocumentRule {
	if r != nil {
		if rule := r.Roles[role]; rule != "" {
			return rule
		}
		if r.Default != "" {
			return r.Default
		}
	}
	if listed {
		return ListedDocuments
	}
	return AnyDocument
}

// RulesOfDocuments are the rules of the metadata, nil for none.
func (d *Document) RulesOfDocuments() *DocumentRules {
	if len(d.DocumentRules) == 0 {
		return nil
	}
	r := &DocumentRules{}
	if err := decode(d.DocumentRules, r); err != nil {
		return &DocumentRules{Default: ListedDocuments} // stored values have been checked; nothing is opened by one that has not
	}
	return r
}

// SetDocumentRules are the arguments of set_document_rules.
type SetDocumentRules struct{ DocumentRules }

// Apply replaces the rules; none takes them away.
func (a *SetDocumentRules) Apply(v View) (*Result, error) {
	return v.changeSetting(&a.DocumentRules, VerdictAny, func(d *Document) *json.RawMessage { return &d.DocumentRules })
}
