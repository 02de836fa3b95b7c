package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Diff returns the change that leads from old to next, made at the given time. What both
// share by pointer is not looked at, what is equal is left out. old may be nil: the change
// then holds all, and has base 0.
func Diff(old, next *Snapshot, at time.Time) (*Change, error) {
	d := &differ{change: &Change{StreamID: next.StreamID, Version: next.Version, At: at.UTC(), Objects: []Object{}}}
	if old == nil {
		old = &Snapshot{Document: &metadata.Document{}}
	}
	d.change.Base = old.Version
	if old.Document != next.Document {
		d.document(old.Document, next.Document)
	}
	d.catalogs(old.Catalogs, next.Catalogs)
	for _, source := range sortedKeys(old.SourceErrors, next.SourceErrors) {
		d.compareTexts(Object{Kind: KindSourceError, Source: source}, old.SourceErrors, next.SourceErrors, source)
	}
	d.remotes(old, next)
	if !sameInconsistent(old.Inconsistent, next.Inconsistent) {
		d.compare(Object{Kind: KindInconsistent}, encodeInconsistent(old.Inconsistent), encodeInconsistent(next.Inconsistent))
	}
	return d.change, d.err
}

// differ collects objects; its first error stays.
type differ struct {
	change *Change
	err    error
}

// compare adds o when before and after, of which nil means absent, encode differently.
func (d *differ) compare(o Object, before, after any) {
	if d.err != nil {
		return
	}
	if after == nil {
		if before != nil {
			o.Op = OpRemove
			d.change.Objects = append(d.change.Objects, o)
		}
		return
	}
	value, err := metadata.Encode(after)
	if err != nil {
		d.err = fmt.Errorf("encode %s %s: %w", o.Kind, o.Name, err)
		return
	}
	if before != nil {
		old, err := metadata.Encode(before)
		if err != nil {
			d.err = fmt.Errorf("encode %s %s: %w", o.Kind, o.Name, err)
			return
		}
		if bytes.Equal(old, value) {
			return
		}
	}
	o.Op, o.Value = OpSet, value
	d.change.Objects = append(d.change.Objects, o)
}

func (d *differ) compareTexts(o Object, old, next map[string]string, key string) {
	before, was := old[key]
	after, is := next[key]
	d.compare(o, given(was, before), given(is, after))
}

// remotes compares what remote schemas answered.
func (d *differ) remotes(old, next *Snapshot) {
	for _, name := range sortedKeys(old.Remotes, next.Remotes) {
		before, after := old.Remotes[name], next.Remotes[name]
		if !bytes.Equal(before, after) {
			d.compare(Object{Kind: KindRemoteIntrospection, Name: name}, givenJSON(before), givenJSON(after))
		}
	}
	for _, name := range sortedKeys(old.RemoteErrors, next.RemoteErrors) {
		d.compareTexts(Object{Kind: KindRemoteError, Name: name}, old.RemoteErrors, next.RemoteErrors, name)
	}
}

func (d *differ) document(old, next *metadata.Document) {
	for _, name := range sourceNames(old, next) {
		before, after := old.Source(name), next.Source(name)
		if before != after {
			d.source(name, before, after)
		}
	}
	nextLists := rawParts(next)
	for i, list := range rawParts(old) {
		before, after := byKey(*list.list, list.name), byKey(*nextLists[i].list, list.name)
		for _, name := range sortedKeys(before, after) {
			if !bytes.Equal(before[name], after[name]) {
				d.compare(Object{Kind: list.kind, Name: name}, givenJSON(before[name]), givenJSON(after[name]))
			}
		}
	}
	nextParts := singleParts(next)
	for i, part := range singleParts(old) {
		if !bytes.Equal(*part.value, *nextParts[i].value) {
			d.compare(Object{Kind: part.kind}, givenJSON(*part.value), givenJSON(*nextParts[i].value))
		}
	}
	diffList(d, KindRemoteSchema, "", old.RemoteSchemas, next.RemoteSchemas, remoteName)
	diffList(d, KindCollection, "", old.QueryCollections, next.QueryCollections, collectionName)
	diffList(d, KindAllowlist, "", old.Allowlist, next.Allowlist, entryName)
	diffList(d, KindRESTEndpoint, "", old.RESTEndpoints, next.RESTEndpoints, endpointName)
	diffList(d, KindInheritedRole, "", old.InheritedRoles, next.InheritedRoles, roleName)
}

// source compares two sources of one name, of which one may be nil. The objects of a
// source that goes are not named: they go with it.
func (d *differ) source(name string, before, after *metadata.Source) {
	o := Object{Kind: KindSource, Source: name}
	if after == nil {
		d.compare(o, before, nil)
		return
	}
	if before == nil {
		before = &metadata.Source{}
		d.compare(o, nil, sourceHeadOf(after))
	} else {
		d.compare(o, sourceHeadOf(before), sourceHeadOf(after))
	}
	diffList(d, KindTable, name, before.Tables, after.Tables, func(t *metadata.Table) catalog.Name { return t.Table })
	diffList(d, KindFunction, name, before.Functions, after.Functions, func(f *metadata.Function) catalog.Name { return f.Function })
}

// diffList compares two lists of named objects, by pointer first.
func diffList[T any](d *differ, kind Kind, source string, before, after []*T, name func(*T) catalog.Name) {
	old := make(map[catalog.Name]*T, len(before))
	for _, e := range before {
		old[name(e)] = e
	}
	for _, e := range after {
		n := name(e)
		if old[n] != e {
			d.compare(Object{Kind: kind, Source: source, Schema: n.Schema, Name: n.Name}, pointer(old[n]), e)
		}
		delete(old, n)
	}
	for _, n := range sortedNames(old) {
		d.compare(Object{Kind: kind, Source: source, Schema: n.Schema, Name: n.Name}, old[n], nil)
	}
}

func (d *differ) catalogs(old, next map[string]*catalog.Source) {
	for _, name := range sortedKeys(old, next) {
		before, after := old[name], next[name]
		if before == after {
			continue
		}
		o := Object{Kind: KindCatalog, Source: name}
		if after == nil {
			d.compare(o, before, nil)
			continue
		}
		if before == nil {
			before = &catalog.Source{}
			d.compare(o, nil, headOf(after))
		} else {
			d.compare(o, headOf(before), headOf(after))
		}
		diffMap(d, KindCatalogTable, name, before.Tables, after.Tables, func(a, b *catalog.Table) bool { return a == b })
		diffMap(d, KindCatalogFunction, name, before.Functions, after.Functions, slices.Equal[[]*catalog.Function])
		diffMap(d, KindCatalogEnum, name, before.Enums, after.Enums, slices.Equal[[]catalog.EnumValue])
	}
}

func diffMap[V any](d *differ, kind Kind, source string, before, after map[catalog.Name]V, same func(a, b V) bool) {
	if reflect.ValueOf(before).Pointer() == reflect.ValueOf(after).Pointer() {
		return
	}
	for _, n := range sortedNames(after) {
		old, was := before[n]
		if !was || !same(old, after[n]) {
			d.compare(Object{Kind: kind, Source: source, Schema: n.Schema, Name: n.Name}, given(was, old), after[n])
		}
	}
	for _, n := range sortedNames(before) {
		if _, is := after[n]; !is {
			d.compare(Object{Kind: kind, Source: source, Schema: n.Schema, Name: n.Name}, before[n], nil)
		}
	}
}

// given is v, or nil for what isn't there.
func given[V any](there bool, v V) any {
	if !there {
		return nil
	}
	return v
}

func givenJSON(raw json.RawMessage) any { return given(raw != nil, raw) }

func pointer[T any](p *T) any { return given(p != nil, p) }

func byKey(list []json.RawMessage, key string) map[string]json.RawMessage {
	m := make(map[string]json.RawMessage, len(list))
	for _, raw := range list {
		m[metadata.Key(raw, key)] = raw
	}
	return m
}

func sourceNames(docs ...*metadata.Document) []string {
	names := map[string]bool{}
	for _, d := range docs {
		for _, s := range d.Sources {
			names[s.Name] = true
		}
	}
	return sortedKeys(names)
}

func sameInconsistent(a, b []metadata.Inconsistency) bool {
	return len(a) == 0 && len(b) == 0 || len(a) == len(b) && &a[0] == &b[0]
}
