package snapshot

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Apply returns the snapshot that c leads to; everything that c does not name is shared
// with s. It fails with ErrGap when c doesn't build on s, with ErrTooLarge when c is only
// a reference.
func (s *Snapshot) Apply(c *Change) (*Snapshot, error) {
	if c.StreamID != s.StreamID || c.Base != s.Version {
		return nil, fmt.Errorf("%w: change %d of stream %s on %d, snapshot %d of stream %s",
			ErrGap, c.Version, c.StreamID, c.Base, s.Version, s.StreamID)
	}
	if c.Reference {
		return nil, ErrTooLarge
	}
	return s.Overlay(c)
}

// Overlay is Apply without its conditions: it puts the objects of c on top of s.
func (s *Snapshot) Overlay(c *Change) (*Snapshot, error) {
	next := *s
	next.StreamID, next.Version = c.StreamID, c.Version
	a := newApplier(&next)
	for _, o := range c.Objects {
		if err := a.apply(o); err != nil {
			return nil, fmt.Errorf("%s %s %s in change %d: %w", o.Op, o.Kind, o.Name, c.Version, err)
		}
	}
	a.finish()
	return &next, nil
}

// applier collects the changes of lists, so that a list is copied once however many of its
// elements change.
type applier struct {
	next        *Snapshot
	document    *metadata.Document // copy of its own, nil while nothing changed
	tables      map[string]map[catalog.Name]*metadata.Table
	functions   map[string]map[catalog.Name]*metadata.Function
	collections map[catalog.Name]*metadata.QueryCollection
	allowlist   map[catalog.Name]*metadata.AllowlistEntry
	endpoints   map[catalog.Name]*metadata.RESTEndpoint
	remotes     map[catalog.Name]*metadata.RemoteSchema
	roles       map[catalog.Name]*metadata.InheritedRole
	lists       map[Kind]map[string]json.RawMessage
	catalogs    map[string]*catalog.Source
}

func newApplier(next *Snapshot) *applier {
	return &applier{
		next:        next,
		tables:      map[string]map[catalog.Name]*metadata.Table{},
		functions:   map[string]map[catalog.Name]*metadata.Function{},
		collections: map[catalog.Name]*metadata.QueryCollection{},
		allowlist:   map[catalog.Name]*metadata.AllowlistEntry{},
		endpoints:   map[catalog.Name]*metadata.RESTEndpoint{},
		remotes:     map[catalog.Name]*metadata.RemoteSchema{},
		roles:       map[catalog.Name]*metadata.InheritedRole{},
		lists:       map[Kind]map[string]json.RawMessage{},
		catalogs:    map[string]*catalog.Source{},
	}
}

func (a *applier) apply(o Object) error {
	switch o.Kind {
	case KindSource:
		return a.source(o)
	case KindTable:
		return setNamed(within(a.tables, o.Source), o)
	case KindFunction:
		return setNamed(within(a.functions, o.Source), o)
	case KindCollection:
		return setNamed(a.collections, o)
	case KindAllowlist:
		return setNamed(a.allowlist, o)
	case KindRESTEndpoint:
		return setNamed(a.endpoints, o)
	case KindRemoteSchema:
		return setNamed(a.remotes, o)
	case KindInheritedRole:
		return setNamed(a.roles, o)
	case KindCatalog, KindCatalogTable, KindCatalogFunction, KindCatalogEnum:
		return a.catalog(o)
	case KindSourceError:
		return setKey(&a.next.SourceErrors, o.Source, o)
	case KindRemoteIntrospection:
		return setKey(&a.next.Remotes, o.Name, o)
	case KindRemoteError:
		return setKey(&a.next.RemoteErrors, o.Name, o)
	case KindInconsistent:
		var list []inconsistency
		if err := json.Unmarshal(o.Value, &list); err != nil {
			return err
		}
		a.next.Inconsistent = decodeInconsistent(list)
		return nil
	}
	for _, part := range singleParts(a.doc()) {
		if part.kind == o.Kind {
			*part.value = o.Value
			return nil
		}
	}
	for _, part := range rawParts(a.doc()) {
		if part.kind == o.Kind {
			within(a.lists, o.Kind)[o.Name] = o.Value
			return nil
		}
	}
	// A kind that came with a later version: what can't be understood can't be used.
	return nil
}

// doc is the new document, a copy of its own.
func (a *applier) doc() *metadata.Document {
	if a.document == nil {
		d := *a.next.Document
		a.document = &d
		a.next.Document = a.document
	}
	return a.document
}

func (a *applier) source(o Object) error {
	d := a.doc()
	old := d.Source(o.Source)
	if o.Op == OpRemove {
		d.Sources = slices.DeleteFunc(slices.Clone(d.Sources), func(s *metadata.Source) bool { return s.Name == o.Source })
		return nil
	}
	var head sourceHead
	if err := json.Unmarshal(o.Value, &head); err != nil {
		return err
	}
	a.setSource(head.apply(old))
	return nil
}

func (a *applier) setSource(s *metadata.Source) {
	d := a.doc()
	i, found := slices.BinarySearchFunc(d.Sources, s.Name, func(s *metadata.Source, name string) int {
		return strings.Compare(s.Name, name)
	})
	d.Sources = slices.Clone(d.Sources)
	if found {
		d.Sources[i] = s
	} else {
		d.Sources = slices.Insert(d.Sources, i, s)
	}
}

func (a *applier) catalog(o Object) error {
	if o.Kind == KindCatalog && o.Op == OpRemove {
		a.next.Catalogs = maps.Clone(a.next.Catalogs)
		delete(a.next.Catalogs, o.Source)
		return nil
	}
	c := a.catalogs[o.Source]
	if c == nil {
		c = copyCatalog(a.next.Catalogs[o.Source])
		a.catalogs[o.Source] = c
	}
	switch o.Kind {
	case KindCatalogTable:
		return setNamed(c.Tables, o)
	case KindCatalogFunction:
		return setNamed(c.Functions, o)
	case KindCatalogEnum:
		return setNamed(c.Enums, o)
	}
	var head catalogHead
	if err := json.Unmarshal(o.Value, &head); err != nil {
		return err
	}
	c.Version, c.Extensions = head.Version, head.Extensions
	return nil
}

// finish merges what was collected.
func (a *applier) finish() {
	for _, name := range sortedKeys(a.tables) {
		a.changeSource(name, func(s *metadata.Source) {
			s.Tables = merged(s.Tables, a.tables[name], func(t *metadata.Table) catalog.Name { return t.Table })
		})
	}
	for _, name := range sortedKeys(a.functions) {
		a.changeSource(name, func(s *metadata.Source) {
			s.Functions = merged(s.Functions, a.functions[name], func(f *metadata.Function) catalog.Name { return f.Function })
		})
	}
	if len(a.roles) > 0 {
		d := a.doc()
		d.InheritedRoles = merged(d.InheritedRoles, a.roles, roleName)
	}
	if len(a.remotes) > 0 {
		d := a.doc()
		d.RemoteSchemas = merged(d.RemoteSchemas, a.remotes, remoteName)
	}
	if len(a.collections) > 0 {
		d := a.doc()
		d.QueryCollections = merged(d.QueryCollections, a.collections, collectionName)
	}
	if len(a.allowlist) > 0 {
		d := a.doc()
		d.Allowlist = merged(d.Allowlist, a.allowlist, entryName)
	}
	if len(a.endpoints) > 0 {
		d := a.doc()
		d.RESTEndpoints = merged(d.RESTEndpoints, a.endpoints, endpointName)
		slices.SortFunc(d.RESTEndpoints, metadata.CompareEndpoints)
	}
	if len(a.lists) > 0 {
		for _, part := range rawParts(a.doc()) {
			if edits := a.lists[part.kind]; edits != nil {
				*part.list = mergedRaw(*part.list, edits, part)
			}
		}
	}
	if len(a.catalogs) > 0 {
		catalogs := make(map[string]*catalog.Source, len(a.next.Catalogs)+len(a.catalogs))
		maps.Copy(catalogs, a.next.Catalogs)
		maps.Copy(catalogs, a.catalogs)
		a.next.Catalogs = catalogs
	}
}

func (a *applier) changeSource(name string, change func(*metadata.Source)) {
	if old := a.doc().Source(name); old != nil {
		s := *old
		change(&s)
		a.setSource(&s)
	}
}

func copyCatalog(old *catalog.Source) *catalog.Source {
	if old == nil {
		old = &catalog.Source{}
	}
	c := *old
	c.Tables = cloned(old.Tables)
	c.Functions = cloned(old.Functions)
	c.Enums = cloned(old.Enums)
	return &c
}

func cloned[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m)+1)
	maps.Copy(c, m)
	return c
}

func within[K, L comparable, V any](m map[K]map[L]V, key K) map[L]V {
	if m[key] == nil {
		m[key] = map[L]V{}
	}
	return m[key]
}

// setNamed decodes the value of o into the map under its qualified name. In the maps of
// document objects the zero value stands for a removal; catalogs forget at once.
func setNamed[V any](m map[catalog.Name]V, o Object) error {
	var v V
	if o.Op == OpSet {
		if err := json.Unmarshal(o.Value, &v); err != nil {
			return err
		}
	} else if o.Kind == KindCatalogTable || o.Kind == KindCatalogFunction || o.Kind == KindCatalogEnum {
		delete(m, o.qualified())
		return nil
	}
	m[o.qualified()] = v
	return nil
}

// setKey changes a copy of the map.
func setKey[V any](m *map[string]V, key string, o Object) error {
	*m = cloned(*m)
	if o.Op == OpRemove {
		delete(*m, key)
		return nil
	}
	var v V
	if err := json.Unmarshal(o.Value, &v); err != nil {
		return err
	}
	(*m)[key] = v
	return nil
}

// merged returns the sorted list with edits put in; an edit that is nil removes.
func merged[T any](list []*T, edits map[catalog.Name]*T, name func(*T) catalog.Name) []*T {
	out := make([]*T, 0, len(list)+len(edits))
	for _, e := range list {
		if _, edited := edits[name(e)]; !edited {
			out = append(out, e)
		}
	}
	for _, n := range sortedNames(edits) {
		if edits[n] != nil {
			out = append(out, edits[n])
		}
	}
	slices.SortFunc(out, func(a, b *T) int { return catalog.Name.Compare(name(a), name(b)) })
	return out
}

// mergedRaw is merged for elements that are kept as given.
func mergedRaw(list []json.RawMessage, edits map[string]json.RawMessage, part rawPart) []json.RawMessage {
	var out []json.RawMessage
	for _, raw := range list {
		if _, edited := edits[metadata.Key(raw, part.name)]; !edited {
			out = append(out, raw)
		}
	}
	for _, name := range sortedKeys(edits) {
		if edits[name] != nil {
			out = append(out, edits[name])
		}
	}
	slices.SortStableFunc(out, func(a, b json.RawMessage) int {
		return strings.Compare(metadata.Key(a, part.order), metadata.Key(b, part.order))
	})
	return out
}
