package resolve

import (
	"fmt"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// tableCheck is the result of checking a table's own objects.
type tableCheck struct {
	deps     deps
	problems []metadata.Inconsistency
	// lookups are the permissions whose rules take something from other sources.
	lookups []lookupUse
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

// needs lists what the table's own objects need. It isn't kept: few ask for it, and about
// few tables.
func (t *Table) needs() []objectNeeds {
	checker := tableChecker{table: t, result: &tableCheck{}, wanted: true}
	checker.run()
	return checker.objects
}

// tableChecker checks the objects of one table, and lists what they need when that is
// wanted.
type tableChecker struct {
	table   *Table
	result  *tableCheck
	wanted  bool
	objects []objectNeeds
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
	for _, raw := range t.Meta.EventTriggers {
		c.eventTrigger(raw)
	}
	for _, column := range t.Columns {
		if column.Enum != nil {
			// Rules may rest on the values, but nothing needs them: without the enum table the
			// column is an ordinary one.
			var k tracker
			k.table(t.Source, column.Enum.Table)
			c.done(columnID(t, column.Name), &k)
		}
	}
}

// done notes what an object needs and what its check rests on.
func (c *tableChecker) done(id metadata.ObjectID, k *tracker) {
	all := tracker{deps: c.result.deps}
	all.join(k.deps)
	c.result.deps = all.deps
	if len(k.needs) > 0 {
		c.objects = append(c.objects, objectNeeds{id, k.needs})
	}
}

func (c *tableChecker) report(id metadata.ObjectID, definition any, context string, p problem) {
	if p.reason == "" {
		return
	}
	reason := p.reason
	if !p.bare {
		reason = fmt.Sprintf("in table %q: %s%s", c.table.Source.head.display(id.Table), context, reason)
	}
	i := inconsistent(id, definition, reason)
	i.Path = p.path
	if p.unsupported {
		i.Unsupported = p.reason
	}
	c.result.problems = append(c.result.problems, i)
}

// conflict reports fields of one name: one of them by itself, several as a group.
func (c *tableChecker) conflict(k conflict) {
	objects := make([]metadata.InconsistentObject, len(k.fields))
	for i, f := range k.fields {
		id := fieldID(c.table, f.kind, f.name)
		objects[i] = metadata.InconsistentObject{ID: id, Definition: c.fieldDefinition(f), Name: objectName(id, c.table.Display()), Type: id.Kind}
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
	case *metadata.RemoteRelationship:
		return c.remoteDefinition(m)
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

func (c *tableChecker) remoteDefinition(m *metadata.RemoteRelationship) any {
	return struct {
		Definition metadata.RemoteRelationshipDefinition `json:"definition"`
		Name       string                                `json:"name"`
		Source     string                                `json:"source"`
		Table      catalog.Name                          `json:"table"`
	}{m.Definition, m.Name, c.table.Source.Name, c.table.Meta.Table}
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
	k := tracker{wanted: c.wanted}
	k.table(t.Source, t.relationshipTarget(m))
	r, problem := t.relationship(m, array)
	if problem.reason == "" && c.wanted {
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
	k := tracker{wanted: c.wanted}
	t.trackComputedField(m, &k)
	f, problem := t.computedField(m)
	if f != nil {
		k.need(metadata.ObjectID{Kind: metadata.ObjectFunction, Source: t.Source.Name, Table: m.Definition.Function})
		if f.Returns != nil && !f.Listed {
			k.need(tableID(f.Returns))
		}
		for _, column := range f.Mapped {
			k.needType(columnID(t, column.Name))
		}
	}
	id := fieldID(t, metadata.ObjectComputedField, m.Name)
	c.report(id, c.computedFieldDefinition(m), fmt.Sprintf("in computed field %q: ", m.Name), problem)
	c.done(id, &k)
}

func (c *tableChecker) permission(kind permissionKind, role string, definition any, comment *string) {
	t := c.table
	k := tracker{wanted: c.wanted}
	var p problem
	if role == session.Admin {
		p = problem{reason: "cannot define permission for admin role", path: "$.role"}
	} else if _, err := parseDefinition(t, role, definition, &k); err != nil {
		p = permissionProblem(err)
	}
	id := permissionID(t, kind, role)
	shown := struct {
		Source     string       `json:"source"`
		Table      catalog.Name `json:"table"`
		Role       string       `json:"role"`
		Permission any          `json:"permission"`
		Comment    *string      `json:"comment"`
	}{t.Source.Name, t.Meta.Table, role, definition, comment}
	c.report(id, shown, fmt.Sprintf("in permission for role %q: ", role), p)
	for _, l := range k.lookups {
		c.result.lookups = append(c.result.lookups, lookupUse{id, shown, l})
	}
	c.done(id, &k)
}

// permissionProblem is the error of parseDefinition, whose path is relative to the permission.
func permissionProblem(err error) problem {
	e := apierror.From(apierror.At(err, "permission"))
	return problem{reason: e.Message, path: e.Path}
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
	what := fmt.Sprintf("%s permission, table: %s, source: '%s'", kind, t.Display(), t.Source.Name)
	return notInherited(role, what, map[string]string{
		"permission_type": kind.String(), "source": t.Source.Name, "table": t.Display(),
	})
}

// notInherited reports that a role has no permission because those of its parents differ.
func notInherited(role, what string, entity any) metadata.Inconsistency {
	return metadata.Inconsistency{
		Reason: fmt.Sprintf("Could not inherit permission for the role '%s' for the entity: '%s'", role, what),
		Name:   role, Type: inheritedPermission, Entity: entity,
	}
}
