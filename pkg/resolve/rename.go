package resolve

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Renames are names of one source that change at the same time, so that two columns may
// swap theirs. All keys are the names before.
type Renames struct {
	Source        string
	Tables        map[catalog.Name]catalog.Name
	Columns       map[catalog.Name]map[string]string
	Relationships map[catalog.Name]map[string]string
}

// Rename returns the document with the names changed wherever they are used: in the tables
// themselves, and in the relationships and permissions of the source that lead there. s is
// the schema before the change. Objects that don't use the names are shared.
func (s *Schema) Rename(r Renames) (*metadata.Document, error) {
	source := s.Source(r.Source)
	if source == nil {
		return s.Document, nil
	}
	for table, columns := range r.Columns {
		t := source.Table(table)
		if t == nil {
			continue
		}
		for _, from := range sortedKeys(columns) {
			if to := columns[from]; t.fieldKind(to) == "relationship" {
				return nil, apierror.Newf(apierror.AlreadyExists,
					"cannot rename column %q to %q in table %q as a relationship with the name already exists", from, to, t.Display())
			}
		}
	}
	n := *source.Meta
	n.Tables = make([]*metadata.Table, len(source.Meta.Tables))
	for i, m := range source.Meta.Tables {
		w := renamer{Renames: r, source: source}
		n.Tables[i] = w.table(m)
	}
	slices.SortStableFunc(n.Tables, func(a, b *metadata.Table) int {
		return cmp.Or(strings.Compare(a.Table.Schema, b.Table.Schema), strings.Compare(a.Table.Name, b.Table.Name))
	})
	renamed := renamer{Renames: r, source: source}
	n.PublishedChanges = mapList(&renamed, source.Meta.PublishedChanges, renamed.published)
	doc := *s.Document
	doc.Sources = slices.Clone(s.Document.Sources)
	doc.Sources[slices.Index(doc.Sources, source.Meta)] = &n
	return &doc, nil
}

// RenameRelationship returns the document with one relationship renamed, in its table and
// wherever a permission walks through it.
func (s *Schema) RenameRelationship(id metadata.ObjectID, name string) (*metadata.Document, error) {
	return s.Rename(Renames{
		Source:        id.Source,
		Relationships: map[catalog.Name]map[string]string{id.Table: {id.Name: name}},
	})
}

// renamer rewrites the objects of one table. Its methods return what they were given when
// it holds none of the names.
type renamer struct {
	Renames
	source  *Source
	changed bool
}

// once runs f and reports whether it changed something.
func (w *renamer) once(f func()) bool {
	before := w.changed
	w.changed = false
	f()
	changed := w.changed
	w.changed = before || changed
	return changed
}

// published renames the tables whose changes are published.
func (w *renamer) published(m *metadata.PublishedChanges) *metadata.PublishedChanges {
	n := *m
	n.Tables = slices.Clone(m.Tables)
	if !w.once(func() {
		for i, name := range m.Tables {
			n.Tables[i] = w.tableName(name)
		}
	}) {
		return m
	}
	slices.SortFunc(n.Tables, catalog.Name.Compare)
	return &n
}

func (w *renamer) table(m *metadata.Table) *metadata.Table {
	n := *m
	changed := w.once(func() {
		n.Table = w.tableName(m.Table)
		n.Configuration = w.configuration(m.Table, m.Configuration)
		n.ObjectRelationships = w.relationships(m.Table, m.ObjectRelationships)
		n.ArrayRelationships = w.relationships(m.Table, m.ArrayRelationships)
		n.EventTriggers = mapList(w, m.EventTriggers, func(raw json.RawMessage) json.RawMessage { return w.trigger(m.Table, raw) })
		n.RemoteRelationships = mapList(w, m.RemoteRelationships, func(r *metadata.RemoteRelationship) *metadata.RemoteRelationship {
			return w.remoteRelationship(m.Table, r)
		})
		t := w.source.Table(m.Table)
		if t == nil {
			return // a table that can't be used has nothing that leads elsewhere
		}
		n.InsertPermissions = renamePermissions(w, m.InsertPermissions, func(p *metadata.InsertPermission) {
			if p.Columns != nil {
				p.Columns = &metadata.Columns{All: p.Columns.All, Names: w.columns(m.Table, p.Columns.Names)}
			}
			p.Set, p.Check = w.set(m.Table, p.Set), w.rule(t, p.Check)
		})
		n.SelectPermissions = renamePermissions(w, m.SelectPermissions, func(p *metadata.SelectPermission) {
			p.Columns.Names, p.Filter = w.columns(m.Table, p.Columns.Names), w.rule(t, p.Filter)
		})
		n.UpdatePermissions = renamePermissions(w, m.UpdatePermissions, func(p *metadata.UpdatePermission) {
			p.Columns.Names, p.Set = w.columns(m.Table, p.Columns.Names), w.set(m.Table, p.Set)
			p.Filter, p.Check = w.rule(t, p.Filter), w.rule(t, p.Check)
		})
		n.DeletePermissions = renamePermissions(w, m.DeletePermissions, func(p *metadata.DeletePermission) {
			p.Filter = w.rule(t, p.Filter)
		})
	})
	if !changed {
		return m
	}
	return &n
}

func renamePermissions[P any](w *renamer, list []*metadata.Permission[P], rewrite func(*P)) []*metadata.Permission[P] {
	return mapList(w, list, func(p *metadata.Permission[P]) *metadata.Permission[P] {
		n := *p
		n.Permission.Rules = slices.Clone(p.Permission.Rules)
		if !w.once(func() {
			for i := range n.Permission.Rules {
				rewrite(&n.Permission.Rules[i])
			}
		}) {
			return p
		}
		return &n
	})
}

// mapList applies f to every element; it returns list itself when nothing changed.
func mapList[T any](w *renamer, list []T, f func(T) T) []T {
	out := make([]T, len(list))
	if !w.once(func() {
		for i, e := range list {
			out[i] = f(e)
		}
	}) {
		return list
	}
	return out
}

func (w *renamer) name(names map[string]string, name string) string {
	if to, ok := names[name]; ok {
		w.changed = true
		return to
	}
	return name
}

func (w *renamer) tableName(name catalog.Name) catalog.Name {
	if to, ok := w.Tables[name]; ok {
		w.changed = true
		return to
	}
	return name
}

func (w *renamer) columns(table catalog.Name, list []string) []string {
	return mapList(w, list, func(c string) string { return w.name(w.Columns[table], c) })
}

func (w *renamer) configuration(table catalog.Name, c *metadata.TableConfiguration) *metadata.TableConfiguration {
	if c == nil {
		return nil
	}
	n := *c
	if !w.once(func() {
		n.ColumnConfig = renameKeys(w, w.Columns[table], c.ColumnConfig)
		n.CustomColumnNames = renameKeys(w, w.Columns[table], c.CustomColumnNames)
	}) {
		return c
	}
	return &n
}

func renameKeys[V any](w *renamer, names map[string]string, m map[string]V) map[string]V {
	n := make(map[string]V, len(m))
	if !w.once(func() {
		for key, v := range m {
			n[w.name(names, key)] = v
		}
	}) {
		return m
	}
	return n
}

func (w *renamer) relationships(table catalog.Name, list []*metadata.Relationship) []*metadata.Relationship {
	out := mapList(w, list, func(r *metadata.Relationship) *metadata.Relationship {
		n := *r
		if !w.once(func() {
			n.Name = w.name(w.Relationships[table], r.Name)
			n.Using = w.using(table, r.Using)
		}) {
			return r
		}
		return &n
	})
	if !slices.IsSortedFunc(out, compareRelationships) {
		slices.SortStableFunc(out, compareRelationships)
	}
	return out
}

func compareRelationships(a, b *metadata.Relationship) int { return strings.Compare(a.Name, b.Name) }

func (w *renamer) using(table catalog.Name, u metadata.RelationshipUsing) metadata.RelationshipUsing {
	switch {
	case u.Manual != nil:
		n := *u.Manual
		n.RemoteTable = w.tableName(n.RemoteTable)
		n.ColumnMapping = make(map[string]string, len(u.Manual.ColumnMapping))
		for local, remote := range u.Manual.ColumnMapping {
			n.ColumnMapping[w.name(w.Columns[table], local)] = w.name(w.Columns[u.Manual.RemoteTable], remote)
		}
		return metadata.RelationshipUsing{Manual: &n}
	case u.Remote != nil:
		return metadata.RelationshipUsing{Remote: &metadata.RemoteForeignKey{
			Table: w.tableName(u.Remote.Table), Columns: w.columns(u.Remote.Table, u.Remote.Columns),
		}}
	}
	return metadata.RelationshipUsing{Columns: w.columns(table, u.Columns)}
}

// set renames the columns of presets.
func (w *renamer) set(table catalog.Name, raw json.RawMessage) json.RawMessage {
	return w.object(raw, func(m member) member {
		m.key = w.name(w.Columns[table], m.key)
		return m
	})
}
