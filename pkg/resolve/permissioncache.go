package resolve

import (
	"slices"

	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// permissionKind is the operation that a permission is for.
type permissionKind int

const (
	insertKind permissionKind = iota
	selectKind
	updateKind
	deleteKind
)

// permissionKinds in the order in which they are checked.
var permissionKinds = [...]permissionKind{insertKind, selectKind, updateKind, deleteKind}

func (k permissionKind) String() string {
	return [...]string{"insert", "select", "update", "delete"}[k]
}

// object is the kind of metadata.ObjectID.
func (k permissionKind) object() string { return k.String() + "_permission" }

type permissionKey struct {
	kind permissionKind
	role string
}

// permissionEntry is a parsed permission.
type permissionEntry struct {
	deps deps
	// roles is the graph that an inherited permission was merged along.
	roles *roleSet
	value any // *SelectPermission, ...; nil for none
	err   error
	// conflict reports whether the role's parents have unequal permissions.
	conflict bool
}

// noPermission is the entry of a role without a permission.
var noPermission = &permissionEntry{}

func value[P any](e *permissionEntry) *P {
	p, _ := e.value.(*P)
	return p
}

// permission returns the entry of a role, parsed on first use. Entries live with the base,
// so later versions find them, and are good as long as what they rest on is the same.
func (t *Table) permission(kind permissionKind, role string) *permissionEntry {
	if t.fieldsOf != nil {
		role = session.Admin // they are reached through the computed field alone, and its permission is for all of them
	}
	key := permissionKey{kind, role}
	t.base.mu.Lock()
	e := t.base.permissions[key]
	t.base.mu.Unlock()
	if e != nil && (e.roles == nil || e.roles == t.Source.roles) && e.deps.hold(t.Source) {
		return e
	}
	if e = t.parsePermission(kind, role); e == noPermission {
		return e // roles are names that anyone may invent: those without a permission aren't kept
	}
	t.base.mu.Lock()
	defer t.base.mu.Unlock()
	if t.base.permissions == nil {
		t.base.permissions = map[permissionKey]*permissionEntry{}
	}
	t.base.permissions[key] = e
	return e
}

func (t *Table) parsePermission(kind permissionKind, role string) *permissionEntry {
	if role == session.Admin {
		return t.adminPermission(kind)
	}
	var k tracker
	definition := t.definition(kind, role)
	if definition == nil {
		if t.Source.roles.byName[role] != nil {
			return t.inheritPermission(kind, role)
		}
		return noPermission
	}
	value, err := parseDefinition(t, role, definition, &k)
	e := &permissionEntry{deps: k.deps, err: err}
	if err == nil {
		e.value = value
	}
	return e
}

// definition is the permission that the document gives to a role: a pointer to a
// metadata.Definition, or nil.
func (t *Table) definition(kind permissionKind, role string) any {
	switch kind {
	case insertKind:
		return definitionOf(t.Meta.InsertPermissions, role)
	case selectKind:
		return definitionOf(t.Meta.SelectPermissions, role)
	case updateKind:
		return definitionOf(t.Meta.UpdatePermissions, role)
	default:
		return definitionOf(t.Meta.DeletePermissions, role)
	}
}

func definitionOf[P any](list []*metadata.Permission[P], role string) any {
	for _, p := range list {
		if p.Role == role {
			return &p.Permission
		}
	}
	return nil
}

// adminPermission allows everything.
func (t *Table) adminPermission(kind permissionKind) *permissionEntry {
	var k tracker
	e := &permissionEntry{}
	switch kind {
	case insertKind:
		e.value = &InsertPermission{Columns: mutable(t.Columns)}
	case selectKind:
		p := &SelectPermission{Aggregations: true}
		for _, c := range t.Columns {
			p.Columns = append(p.Columns, SelectColumn{Column: c})
		}
		for _, f := range t.ComputedFields {
			if f.Returns == nil || f.Listed {
				p.ComputedFields = append(p.ComputedFields, SelectComputedField{Field: f})
			}
		}
		for _, f := range t.Meta.ComputedFields {
			t.trackComputedField(f, &k)
		}
		e.value = p
	case updateKind:
		e.value = &UpdatePermission{Columns: mutable(t.Columns)}
	default:
		e.value = &DeletePermission{}
	}
	e.deps = k.deps
	return e
}

// trackComputedField notes what the resolution of a computed field rests on.
func (t *Table) trackComputedField(m *metadata.ComputedField, k *tracker) {
	name := m.Definition.Function
	k.function(t.Source, name)
	if overloads := t.Source.Catalog.Functions[name]; len(overloads) == 1 && overloads[0].ReturnTable != nil {
		k.table(t.Source, *overloads[0].ReturnTable)
	}
	if m.Definition.ReturnTable != nil {
		k.table(t.Source, *m.Definition.ReturnTable)
	}
}

func mutable(columns []*Column) []*Column {
	if !slices.ContainsFunc(columns, func(c *Column) bool { return !c.Mutable() }) {
		return slices.Clip(columns) // nearly every table's
	}
	var list []*Column
	for _, c := range columns {
		if c.Mutable() {
			list = append(list, c)
		}
	}
	return list
}

// always turns a true condition into nil.
func always(e ir.BoolExp) ir.BoolExp {
	if and, ok := e.(ir.And); ok && len(and.Exps) == 0 {
		return nil
	}
	return e
}
