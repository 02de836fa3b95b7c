package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// InheritedPermission is the type of an inconsistency that only informs: parents of an
// inherited role have unequal permissions, so that the role has none.
const InheritedPermission = "inherited role permission inconsistency"

// Inconsistencies checks every object of the document and returns those that can't be
// used, sorted. What did not change since the schema before isn't checked again.
func (s *Schema) Inconsistencies() []metadata.Inconsistency {
	var list []metadata.Inconsistency
	for _, m := range s.Document.Sources {
		if reason := s.sourceProblem(m); reason != "" {
			list = append(list, inconsistent(metadata.ObjectID{Kind: metadata.ObjectSource, Source: m.Name}, m.Name, reason))
		}
	}
	for _, source := range s.Sources {
		for _, t := range source.Tables {
			list = append(list, t.check().problems...)
			list = append(list, t.checkInherited().problems...)
		}
		list = append(list, source.brokenTables()...)
		list = append(list, source.checkFunctions()...)
	}
	list = append(list, s.checkRoles()...)
	list = append(list, s.checkRoots()...)
	slices.SortStableFunc(list, compareInconsistencies)
	return list
}

func (s *Schema) sourceProblem(m *metadata.Source) string {
	if reason := s.sourceErrors[m.Name]; reason != "" {
		return reason
	}
	if s.options.Dialects[m.Kind] == nil {
		return fmt.Sprintf("sources of kind %q are not supported", m.Kind)
	}
	if s.catalogs[m.Name] == nil {
		return fmt.Sprintf("source %q has not been introspected", m.Name)
	}
	return ""
}

// brokenTables are the tables that can't be used at all. Their own objects aren't reported.
func (s *Source) brokenTables() []metadata.Inconsistency {
	if len(s.Tables) == len(s.Meta.Tables) {
		return nil
	}
	var list []metadata.Inconsistency
	for _, m := range s.Meta.Tables {
		if b := s.bases[m.Table]; b.problem != "" {
			id := metadata.ObjectID{Kind: metadata.ObjectTable, Source: s.Name, Table: m.Table}
			list = append(list, inconsistent(id, m.Table, b.problem))
		}
	}
	return list
}

// tableCheck is the result of checking a table's own objects.
type tableCheck struct {
	deps     deps
	problems []metadata.Inconsistency
	objects  []objectNeeds
}

// inheritedCheck is the result of checking what roles inherit on a table.
type inheritedCheck struct {
	of       *tableCheck
	roles    *roleSet
	problems []metadata.Inconsistency
}

// check checks the relationships, computed fields and permissions of the table. The result
// is kept with the base and good as long as what it rests on is the same.
func (t *Table) check() *tableCheck {
	t.base.mu.Lock()
	c := t.base.check
	t.base.mu.Unlock()
	if c != nil && c.deps.hold(t.Source) {
		return c
	}
	checker := tableChecker{table: t, result: &tableCheck{}}
	checker.run()
	t.base.mu.Lock()
	defer t.base.mu.Unlock()
	t.base.check = checker.result
	return checker.result
}

// tableChecker checks the objects of one table.
type tableChecker struct {
	table  *Table
	result *tableCheck
}

func (c *tableChecker) run() {
	t := c.table
	for _, conflict := range t.base.conflicts {
		c.conflict(conflict)
	}
	for _, m := range t.Meta.ObjectRelationships {
		c.relationship(m, false)
	}
	for _, m := range t.Meta.ArrayRelationships {
		c.relationship(m, true)
	}
	for _, m := range t.Meta.ComputedFields {
		c.computedField(m)
	}
	for _, p := range t.Meta.InsertPermissions {
		c.permission(insertKind, p.Role, &p.Permission, p.Comment)
	}
	for _, p := range t.Meta.SelectPermissions {
		c.permission(selectKind, p.Role, &p.Permission, p.Comment)
	}
	for _, p := range t.Meta.UpdatePermissions {
		c.permission(updateKind, p.Role, &p.Permission, p.Comment)
	}
	for _, p := range t.Meta.DeletePermissions {
		c.permission(deleteKind, p.Role, &p.Permission, p.Comment)
	}
	for _, column := range t.Columns {
		if column.Enum != nil {
			c.done(columnID(t, column.Name), &tracker{needs: []need{{id: tableID(t.Source.Table(column.Enum.Table))}}})
		}
	}
}

// done notes what an object needs and what its check rests on.
func (c *tableChecker) done(id metadata.ObjectID, k *tracker) {
	all := tracker{deps: c.result.deps}
	all.join(k.deps)
	c.result.deps = all.deps
	if len(k.needs) > 0 {
		c.result.objects = append(c.result.objects, objectNeeds{id, k.needs})
	}
}

func (c *tableChecker) report(id metadata.ObjectID, definition any, context string, p problem) {
	if p.reason == "" {
		return
	}
	if !p.bare {
		p.reason = fmt.Sprintf("in table %q: %s%s", id.Table, context, p.reason)
	}
	c.result.problems = append(c.result.problems, inconsistent(id, definition, p.reason))
}

// conflict reports fields of one name: one of them by itself, several as a group.
func (c *tableChecker) conflict(k conflict) {
	objects := make([]metadata.InconsistentObject, len(k.fields))
	for i, f := range k.fields {
		id := fieldID(c.table, f.kind, f.name)
		objects[i] = metadata.InconsistentObject{ID: id, Definition: c.fieldDefinition(f), Name: objectName(id), Type: id.Kind}
	}
	if len(objects) == 1 {
		o := objects[0]
		c.report(o.ID, o.Definition, "", problem{reason: k.reason, bare: true})
		return
	}
	c.result.problems = append(c.result.problems, conflicting(k.reason, objects))
}

func (c *tableChecker) fieldDefinition(f field) any {
	switch m := f.meta.(type) {
	case *metadata.Relationship:
		return c.relationshipDefinition(m)
	case *metadata.ComputedField:
		return c.computedFieldDefinition(m)
	}
	return f.meta
}

func (c *tableChecker) relationshipDefinition(m *metadata.Relationship) any {
	return struct {
		Using   metadata.RelationshipUsing `json:"using"`
		Name    string                     `json:"name"`
		Source  string                     `json:"source"`
		Comment *string                    `json:"comment"`
		Table   catalog.Name               `json:"table"`
	}{m.Using, m.Name, c.table.Source.Name, m.Comment, c.table.Meta.Table}
}

func (c *tableChecker) computedFieldDefinition(m *metadata.ComputedField) any {
	return struct {
		Definition metadata.ComputedFieldDefinition `json:"definition"`
		Name       string                           `json:"name"`
		Source     string                           `json:"source"`
		Comment    *string                          `json:"comment"`
		Table      catalog.Name                     `json:"table"`
	}{m.Definition, m.Name, c.table.Source.Name, m.Comment, c.table.Meta.Table}
}

func (c *tableChecker) relationship(m *metadata.Relationship, array bool) {
	t := c.table
	if t.base.excluded[m.Name] {
		return
	}
	kind := metadata.ObjectObjectRelation
	if array {
		kind = metadata.ObjectArrayRelation
	}
	k := tracker{wanted: true}
	k.table(t.Source, t.relationshipTarget(m))
	r, problem := t.relationship(m, array)
	if problem.reason == "" {
		r.need(t, &k)
	}
	id := fieldID(t, kind, m.Name)
	c.report(id, c.relationshipDefinition(m), fmt.Sprintf("in relationship %q: ", m.Name), problem)
	c.done(id, &k)
}

// need notes what the relationship can't be without.
func (r *Relationship) need(t *Table, k *tracker) {
	k.need(tableID(r.Target))
	switch u := r.Meta.Using; {
	case u.Manual != nil:
		for _, j := range r.Join {
			k.need(columnID(t, j.Outer))
			k.need(columnID(r.Target, j.Inner))
		}
	case u.Remote != nil:
		key, _ := oneKey(r.Target.Catalog.ForeignKeys, u.Remote.Columns, &t.Catalog.Name)
		k.need(constraintID(r.Target, key.Name))
		for _, column := range key.Columns {
			k.need(columnID(r.Target, column))
		}
	default:
		key, _ := oneKey(t.Catalog.ForeignKeys, u.Columns, nil)
		k.need(constraintID(t, key.Name))
		for _, column := range key.Columns {
			k.need(columnID(t, column))
		}
	}
}

func (c *tableChecker) computedField(m *metadata.ComputedField) {
	t := c.table
	if t.base.excluded[m.Name] {
		return
	}
	k := tracker{wanted: true}
	t.trackComputedField(m, &k)
	f, problem := t.computedField(m)
	if f != nil {
		k.need(metadata.ObjectID{Kind: metadata.ObjectFunction, Source: t.Source.Name, Table: m.Definition.Function})
		if f.Returns != nil {
			k.need(tableID(f.Returns))
		}
	}
	id := fieldID(t, metadata.ObjectComputedField, m.Name)
	c.report(id, c.computedFieldDefinition(m), fmt.Sprintf("in computed field %q: ", m.Name), problem)
	c.done(id, &k)
}

func (c *tableChecker) permission(kind permissionKind, role string, definition any, comment *string) {
	t := c.table
	k := tracker{wanted: true}
	var p problem
	if role == session.Admin {
		p.reason = "cannot define permission for admin role"
	} else if _, err := parseDefinition(t, role, definition, &k); err != nil {
		p.reason = apierror.From(err).Message
	}
	id := permissionID(t, kind, role)
	c.report(id, struct {
		Source     string       `json:"source"`
		Table      catalog.Name `json:"table"`
		Role       string       `json:"role"`
		Permission any          `json:"permission"`
		Comment    *string      `json:"comment"`
	}{t.Source.Name, t.Meta.Table, role, definition, comment}, fmt.Sprintf("in permission for role %q: ", role), p)
	c.done(id, &k)
}

// checkInherited finds roles whose parents have unequal permissions on the table.
func (t *Table) checkInherited() *inheritedCheck {
	own := t.check()
	t.base.mu.Lock()
	c := t.base.inherited
	t.base.mu.Unlock()
	if c != nil && c.roles == t.Source.roles && c.of == own {
		return c
	}
	c = &inheritedCheck{of: own, roles: t.Source.roles}
	for _, role := range sortedKeys(t.Source.roles.byName) {
		for _, kind := range permissionKinds {
			if kind != selectKind && t.definition(kind, role) == nil && t.permission(kind, role).conflict {
				c.problems = append(c.problems, t.notInherited(kind, role))
			}
		}
	}
	t.base.mu.Lock()
	defer t.base.mu.Unlock()
	t.base.inherited = c
	return c
}

func (t *Table) notInherited(kind permissionKind, role string) metadata.Inconsistency {
	entity := fmt.Sprintf("%s permission, table: %s, source: '%s'", kind, t.Meta.Table, t.Source.Name)
	return metadata.Inconsistency{
		Reason: fmt.Sprintf("Could not inherit permission for the role '%s' for the entity: '%s'", role, entity),
		Name:   role,
		Type:   InheritedPermission,
		Entity: map[string]string{
			"permission_type": kind.String(), "source": t.Source.Name, "table": t.Meta.Table.String(),
		},
	}
}

// needs lists what the objects of the source need.
func (s *Source) needs() []objectNeeds {
	var list []objectNeeds
	for _, t := range s.Tables {
		list = append(list, t.check().objects...)
	}
	for _, f := range s.Functions {
		id := functionID(f)
		list = append(list, objectNeeds{id, []need{{id: tableID(f.Returns)}}})
		for _, p := range f.Meta.Permissions {
			list = append(list, objectNeeds{
				metadata.ObjectID{Kind: metadata.ObjectFunctionPermission, Source: s.Name, Table: f.Meta.Function, Role: p.Role},
				[]need{{id: id}, {id: permissionID(f.Returns, selectKind, p.Role)}},
			})
		}
	}
	return list
}

// checkFunctions checks the tracked functions and their permissions.
func (s *Source) checkFunctions() []metadata.Inconsistency {
	var list []metadata.Inconsistency
	for _, m := range s.Meta.Functions {
		i := slices.IndexFunc(s.Functions, func(f *Function) bool { return f.Meta == m })
		if i < 0 {
			_, p := s.function(m)
			if !p.bare {
				p.reason = fmt.Sprintf("in function %q: %s", m.Function, p.reason)
			}
			id := metadata.ObjectID{Kind: metadata.ObjectFunction, Source: s.Name, Table: m.Function}
			list = append(list, inconsistent(id, m, p.reason))
			continue
		}
		returns := s.Functions[i].Returns
		for _, p := range m.Permissions {
			if returns.SelectPermission(p.Role) != nil {
				continue
			}
			id := metadata.ObjectID{Kind: metadata.ObjectFunctionPermission, Source: s.Name, Table: m.Function, Role: p.Role}
			list = append(list, inconsistent(id, struct {
				Function catalog.Name `json:"function"`
				Source   string       `json:"source"`
				Role     string       `json:"role"`
			}{m.Function, s.Name, p.Role}, fmt.Sprintf("no select permission defined on table %q for role %q", returns.Meta.Table, p.Role)))
		}
	}
	return list
}

func inconsistent(id metadata.ObjectID, definition any, reason string) metadata.Inconsistency {
	return metadata.Inconsistency{
		ID: id, Definition: definition, Name: objectName(id), Reason: "Inconsistent object: " + reason, Type: id.Kind,
	}
}

func conflicting(reason string, objects []metadata.InconsistentObject) metadata.Inconsistency {
	return metadata.Inconsistency{Reason: "Conflicting objects: " + reason, Objects: objects}
}

// objectName is the name of an object in inconsistencies.
func objectName(id metadata.ObjectID) string {
	inTable := fmt.Sprintf(" in table %s in source %s", id.Table, id.Source)
	switch id.Kind {
	case metadata.ObjectSource:
		return "source " + id.Source
	case metadata.ObjectInheritedRole:
		return "inherited_role inherited role " + id.Role
	case metadata.ObjectTable, metadata.ObjectFunction:
		return fmt.Sprintf("%s %s in source %s", id.Kind, id.Table, id.Source)
	case metadata.ObjectFunctionPermission:
		return fmt.Sprintf("%s %s permission for function %s in source %s", id.Kind, id.Role, id.Table, id.Source)
	}
	if id.Role != "" {
		return id.Kind + " " + id.Role + inTable
	}
	return id.Kind + " " + id.Name + inTable
}

// kindOrder is the order in which inconsistent objects are listed.
var kindOrder = []string{
	metadata.ObjectSource, metadata.ObjectTable, metadata.ObjectObjectRelation, metadata.ObjectArrayRelation,
	metadata.ObjectComputedField, metadata.ObjectRemoteRelationship,
	metadata.ObjectInsertPermission, metadata.ObjectSelectPermission, metadata.ObjectUpdatePermission, metadata.ObjectDeletePermission,
	metadata.ObjectEventTrigger, metadata.ObjectFunction, metadata.ObjectFunctionPermission, metadata.ObjectInheritedRole,
}

// compareInconsistencies orders by kind, source and name; groups come after single
// objects, and what only informs comes last.
func compareInconsistencies(a, b metadata.Inconsistency) int {
	return cmp.Or(
		cmp.Compare(kindRank(a), kindRank(b)),
		strings.Compare(a.ID.Source, b.ID.Source),
		strings.Compare(a.ID.Table.Schema, b.ID.Table.Schema),
		strings.Compare(a.ID.Table.Name, b.ID.Table.Name),
		strings.Compare(a.Name, b.Name),
		strings.Compare(a.Reason, b.Reason),
	)
}

func kindRank(i metadata.Inconsistency) int {
	switch {
	case len(i.Objects) > 0:
		return len(kindOrder)
	case i.Entity != nil:
		return len(kindOrder) + 1
	}
	return slices.Index(kindOrder, i.Type)
}
