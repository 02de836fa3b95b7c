package metadata

import (
	"encoding/json"
	"slices"

	"queryengine/pkg/apierror"
)

// AllowlistEntry permits the queries of a collection.
type AllowlistEntry struct {
	Collection string         `json:"collection" meta:"required,nonempty"`
	Scope      AllowlistScope `json:"scope"`
}

func (e *AllowlistEntry) check() error {
	if e.Scope.Roles == nil {
		e.Scope.Global = true // the scope was left out
	}
	return nil
}

// AllowlistScope is where an entry counts: for all roles, or for the listed ones.
type AllowlistScope struct {
	Global bool     `json:"global" meta:"required"`
	Roles  []string `json:"roles,omitempty"`
}

func (s *AllowlistScope) check() error {
	sorted := slices.Sorted(slices.Values(s.Roles))
	switch {
	case s.Global && s.Roles != nil:
		return apierror.New(apierror.ParseFailed, "roles are not allowed when global is true")
	case s.Global:
		return nil
	case s.Roles == nil:
		return missingKey("roles")
	case len(s.Roles) == 0:
		return apierror.At(apierror.New(apierror.ParseFailed, "parsing NonEmpty failed, unexpected empty list"), "roles")
	case slices.Contains(s.Roles, ""):
		return apierror.At(apierror.New(apierror.ParseFailed, "empty string not allowed"), "roles", slices.Index(s.Roles, ""))
	case len(slices.Compact(sorted)) < len(s.Roles):
		return apierror.New(apierror.ParseFailed, "duplicate roles are not allowed")
	}
	return nil
}

func allowlistCollection(e *AllowlistEntry) string { return e.Collection }

func (v View) withAllowlistEntry(e *AllowlistEntry) *Result {
	doc := *v.Document
	doc.Allowlist = inserted(doc.Allowlist, e, allowlistCollection)
	return &Result{Document: &doc, Verdict: VerdictAny}
}

func (v View) inAllowlist(collection string) error {
	if find(v.Document.Allowlist, allowlistCollection, collection) != nil {
		return nil
	}
	return apierror.Newf(apierror.NotFound, "collection %q doesn't exist in the allowlist", collection)
}

// AddCollectionToAllowlist are the arguments of add_collection_to_allowlist.
type AddCollectionToAllowlist struct{ AllowlistEntry }

// Apply adds the entry. An existing one stays as it is, and the answer reports that.
func (a *AddCollectionToAllowlist) Apply(v View) (*Result, error) {
	if _, err := v.collection(a.Collection); err != nil {
		return nil, apierror.At(err, "collection")
	}
	if v.inAllowlist(a.Collection) == nil {
		return &Result{Document: v.Document, Verdict: VerdictAny, Reply: a.alreadyThere}, nil
	}
	entry := a.AllowlistEntry
	return v.withAllowlistEntry(&entry), nil
}

func (a *AddCollectionToAllowlist) alreadyThere(View) (json.RawMessage, error) {
	return Encode(struct {
		Message string `json:"message"`
	}{`collection "` + a.Collection + `" already exists in the allowlist, scope ignored; ` +
		`to change scope, use update_scope_of_collection_in_allowlist`})
}

// UpdateScopeInAllowlist are the arguments of update_scope_of_collection_in_allowlist.
type UpdateScopeInAllowlist struct {
	Collection string         `json:"collection" meta:"required,nonempty"`
	Scope      AllowlistScope `json:"scope" meta:"required"`
}

// Apply replaces the scope of the entry.
func (a *UpdateScopeInAllowlist) Apply(v View) (*Result, error) {
	if err := v.inAllowlist(a.Collection); err != nil {
		return nil, err
	}
	return v.withAllowlistEntry(&AllowlistEntry{a.Collection, a.Scope}), nil
}

// DropCollectionFromAllowlist are the arguments of drop_collection_from_allowlist.
type DropCollectionFromAllowlist struct{ Collection string }

// UnmarshalJSON reads the object. Its error for a missing key names the type, as the wire
// format has it for this operation alone.
func (a *DropCollectionFromAllowlist) UnmarshalJSON(raw []byte) error {
	fields, err := object(raw)
	if err != nil {
		return err
	}
	if fields["collection"] == nil {
		return apierror.New(apierror.ParseFailed,
			`parsing Engine.RQL.Types.Allowlist.DropCollectionFromAllowlist(DropCollectionFromAllowlist) failed, key "collection" not found`)
	}
	var args struct {
		Collection string `json:"collection" meta:"required,nonempty"`
	}
	err = decode(raw, &args)
	a.Collection = args.Collection
	return err
}

// Apply removes the entry.
func (a *DropCollectionFromAllowlist) Apply(v View) (*Result, error) {
	if err := v.inAllowlist(a.Collection); err != nil {
		return nil, err
	}
	doc := *v.Document
	doc.Allowlist = removed(doc.Allowlist, allowlistCollection, a.Collection)
	return &Result{Document: &doc, Verdict: VerdictAny}, nil
}
