package metadata

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
)

// Permission is the permission of one role on one table for one operation.
type Permission[P any] struct {
	Role       string        `json:"role" meta:"required,nonempty"`
	Permission Definition[P] `json:"permission" meta:"required"`
	Comment    *string       `json:"comment,omitempty"`
}

// Definition is what a permission allows: one rule, or a list of rules that each allow something.
type Definition[P any] struct {
	Rules []P
	// List reports whether JSON has a list. One rule may be a list, too.
	List bool
}

// maxRules bounds the rules of a list: each is part of every statement.
const maxRules = 50

// decode implements decoder.
func (d *Definition[P]) decode(raw json.RawMessage) error {
	if JSONType(raw) != "Array" {
		*d = Definition[P]{Rules: make([]P, 1)}
		return decode(raw, &d.Rules[0])
	}
	d.List = true
	if err := decode(raw, &d.Rules); err != nil {
		return err
	}
	switch n := len(d.Rules); {
	case n == 0:
		return apierror.New(apierror.ParseFailed, "a list of rules can't be empty")
	case n > maxRules:
		return apierror.Newf(apierror.ParseFailed, "%d rules: a list has at most %d", n, maxRules)
	}
	names := make(map[string]bool, len(d.Rules))
	for i := range d.Rules {
		name := nameOfRule(&d.Rules[i])
		if name != "" && names[name] {
			return apierror.At(apierror.Newf(apierror.ParseFailed, "two rules have the name %q", name), i, "name")
		}
		names[name] = true
	}
	return nil
}

// UnmarshalJSON reads a rule, or a list of rules.
func (d *Definition[P]) UnmarshalJSON(raw []byte) error {
	*d = Definition[P]{}
	if d.List = JSONType(raw) == "Array"; d.List {
		return json.Unmarshal(raw, &d.Rules)
	}
	d.Rules = make([]P, 1)
	return json.Unmarshal(raw, &d.Rules[0])
}

// MarshalJSON writes the rule, or the list of rules.
func (d Definition[P]) MarshalJSON() ([]byte, error) {
	if !d.List && len(d.Rules) == 1 {
		return Encode(d.Rules[0])
	}
	return Encode(d.Rules)
}

// Shape has the keys of the rules.
func (d *Definition[P]) Shape() any { return []P{} }

// RuleName is how reports name the rule of that index: by its name, or by its place from 1 on.
func (d Definition[P]) RuleName(i int) string {
	if name := nameOfRule(&d.Rules[i]); name != "" {
		return name
	}
	return strconv.Itoa(i + 1)
}

func nameOfRule(rule any) string {
	switch p := rule.(type) {
	case *InsertPermission:
		return p.Name
	case *SelectPermission:
		return p.Name
	case *UpdatePermission:
		return p.Name
	case *DeletePermission:
		return p.Name
	}
	return ""
}

// Columns is a list of column names, or all ("*").
type Columns struct {
	All   bool
	Names []string
}

// MarshalJSON writes the list, or "*".
func (c Columns) MarshalJSON() ([]byte, error) {
	if c.All {
		return []byte(`"*"`), nil
	}
	if c.Names == nil {
		return []byte("[]"), nil
	}
	return Encode(c.Names)
}

// UnmarshalJSON reads the list, or "*".
func (c *Columns) UnmarshalJSON(raw []byte) error {
	*c = Columns{}
	if JSONType(raw) != "String" {
		return decode(raw, &c.Names)
	}
	if string(raw) != `"*"` {
		return apierror.New(apierror.ParseFailed, "unexpected string value for 'columns': only \"*\" is allowed")
	}
	c.All = true
	return nil
}

// InsertPermission defines what may be inserted. Expressions are kept as given.
type InsertPermission struct {
	// Name is for reports about a rule of a list.
	Name  string          `json:"name,omitempty"`
	Check json.RawMessage `json:"check" meta:"required"`
	// Set holds the presets in the given order.
	Set           json.RawMessage `json:"set,omitempty"`
	Columns       *Columns        `json:"columns,omitempty"`
	BackendOnly   bool            `json:"backend_only,omitempty"`
	ValidateInput json.RawMessage `json:"validate_input,omitempty"`
}

func (p *InsertPermission) check() error {
	p.Set = omitEmpty(p.Set)
	p.ValidateInput = omitEmpty(p.ValidateInput)
	return firstError(checkObject(p.Check, "check"), checkObject(p.Set, "set"), checkValidateInput(p.ValidateInput))
}

// SelectPermission defines what may be read.
type SelectPermission struct {
	// Name is for reports about a rule of a list.
	Name    string  `json:"name,omitempty"`
	Columns Columns `json:"columns" meta:"required"`
	// Mask holds what columns show instead of their values, by their names: see ParseMask.
	Mask                   map[string]json.RawMessage `json:"mask,omitempty"`
	ComputedFields         []string                   `json:"computed_fields,omitempty"`
	Filter                 json.RawMessage            `json:"filter" meta:"required"`
	Limit                  *int                       `json:"limit,omitempty"`
	AllowAggregations      bool                       `json:"allow_aggregations,omitempty"`
	QueryRootFields        *[]string                  `json:"query_root_fields,omitempty"`
	SubscriptionRootFields *[]string                  `json:"subscription_root_fields,omitempty"`
}

func (p *SelectPermission) check() error {
	return firstError(
		checkObject(p.Filter, "filter"),
		checkRootFieldList(p.QueryRootFields, "query_root_fields", "select", "select_by_pk", "select_aggregate"),
		checkRootFieldList(p.SubscriptionRootFields, "subscription_root_fields",
			"select", "select_by_pk", "select_aggregate", "select_stream"),
	)
}

// UpdatePermission defines what may be changed.
type UpdatePermission struct {
	// Name is for reports about a rule of a list.
	Name          string          `json:"name,omitempty"`
	Columns       Columns         `json:"columns" meta:"required"`
	Filter        json.RawMessage `json:"filter" meta:"required"`
	Check         json.RawMessage `json:"check"` // null for none
	Set           json.RawMessage `json:"set,omitempty"`
	BackendOnly   bool            `json:"backend_only,omitempty"`
	ValidateInput json.RawMessage `json:"validate_input,omitempty"`
}

func (p *UpdatePermission) check() error {
	p.Set = omitEmpty(p.Set)
	p.ValidateInput = omitEmpty(p.ValidateInput)
	return firstError(checkObject(p.Filter, "filter"), checkObject(p.Check, "check"),
		checkObject(p.Set, "set"), checkValidateInput(p.ValidateInput))
}

// DeletePermission defines what may be deleted.
type DeletePermission struct {
	// Name is for reports about a rule of a list.
	Name          string          `json:"name,omitempty"`
	Filter        json.RawMessage `json:"filter" meta:"required"`
	BackendOnly   bool            `json:"backend_only,omitempty"`
	ValidateInput json.RawMessage `json:"validate_input,omitempty"`
}

func (p *DeletePermission) check() error {
	p.ValidateInput = omitEmpty(p.ValidateInput)
	return firstError(checkObject(p.Filter, "filter"), checkValidateInput(p.ValidateInput))
}

// permission is any of the four kinds of permissions.
type permission interface {
	InsertPermission | SelectPermission | UpdatePermission | DeletePermission
}

// CreatePermission are the arguments of create_insert_permission and its like.
type CreatePermission[P permission] struct {
	Source string       `json:"source" meta:"default=default"`
	Table  catalog.Name `json:"table" meta:"required"`
	Permission[P]
}

// Apply adds the permission.
func (a *CreatePermission[P]) Apply(v View) (*Result, error) {
	kind := permissionKind[P]()
	r, err := v.changeTable(a.Source, a.Table, func(t *Table) error {
		list := permissionsOf[P](t)
		if a.Role == adminRole || find(*list, roleOf, a.Role) != nil {
			return apierror.Newf(apierror.AlreadyExists,
				"%s permission already defined on table %q with role %q", kind, v.display(a.Source, a.Table), a.Role)
		}
		permission := a.Permission
		*list = inserted(*list, &permission, roleOf)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Objects = []ObjectID{permissionID(kind, a.Source, a.Table, a.Role)}
	return v.warnOf(r, ruleSetOf(&a.Permission, tableText(a.Source, v.display(a.Source, a.Table)))), nil
}

// DropPermission are the arguments of drop_insert_permission and its like.
type DropPermission[P permission] struct {
	Source string       `json:"source" meta:"default=default"`
	Table  catalog.Name `json:"table" meta:"required"`
	Role   string       `json:"role" meta:"required,nonempty"`
}

// Object names the permission.
func (a *DropPermission[P]) Object() ObjectID {
	return permissionID(permissionKind[P](), a.Source, a.Table, a.Role)
}

// Apply removes the permission.
func (a *DropPermission[P]) Apply(v View) (*Result, error) {
	kind := permissionKind[P]()
	r, err := v.changeTable(a.Source, a.Table, func(t *Table) error {
		list := permissionsOf[P](t)
		if find(*list, roleOf, a.Role) == nil {
			return apierror.Newf(apierror.PermissionDenied,
				"%s permission on %q for role %q does not exist", kind, v.display(a.Source, a.Table), a.Role)
		}
		*list = removed(*list, roleOf, a.Role)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Verdict = VerdictAny
	return r, nil
}

// SetPermissionComment are the arguments of set_permission_comment.
type SetPermissionComment struct {
	Source     string       `json:"source" meta:"default=default"`
	Table      catalog.Name `json:"table" meta:"required"`
	Role       string       `json:"role" meta:"required,nonempty"`
	Permission string       `json:"permission" meta:"required,alias=type"`
	Comment    *string      `json:"comment"`
}

func (a *SetPermissionComment) check() error {
	switch a.Permission {
	case "insert", "select", "update", "delete":
		return nil
	}
	return apierror.At(apierror.New(apierror.ParseFailed,
		"perm_type should be one of 'insert', 'select', 'update', 'delete'"), "permission")
}

// Apply sets the comment, or removes it when none is given.
func (a *SetPermissionComment) Apply(v View) (*Result, error) {
	table := v.display(a.Source, a.Table)
	return v.changeTable(a.Source, a.Table, func(t *Table) error {
		switch a.Permission {
		case "insert":
			return comment[InsertPermission](t, a, table)
		case "select":
			return comment[SelectPermission](t, a, table)
		case "update":
			return comment[UpdatePermission](t, a, table)
		}
		return comment[DeletePermission](t, a, table)
	})
}

func comment[P permission](t *Table, a *SetPermissionComment, table string) error {
	list := permissionsOf[P](t)
	old := find(*list, roleOf, a.Role)
	if old == nil {
		return apierror.Newf(apierror.PermissionDenied,
			"'%s' permission on %q for role %q does not exist", a.Permission, table, a.Role)
	}
	n := *old
	n.Comment = a.Comment
	*list = inserted(*list, &n, roleOf)
	return nil
}

const adminRole = "admin"

func permissionKind[P permission]() string {
	var p P
	switch any(p).(type) {
	case InsertPermission:
		return "insert"
	case SelectPermission:
		return "select"
	case UpdatePermission:
		return "update"
	}
	return "delete"
}

func permissionsOf[P permission](t *Table) *[]*Permission[P] {
	var list any
	switch permissionKind[P]() {
	case "insert":
		list = &t.InsertPermissions
	case "select":
		list = &t.SelectPermissions
	case "update":
		list = &t.UpdatePermissions
	default:
		list = &t.DeletePermissions
	}
	return list.(*[]*Permission[P])
}

func permissionID(kind, source string, table catalog.Name, role string) ObjectID {
	return ObjectID{Kind: kind + "_permission", Source: source, Table: table, Role: role}
}

func roleOf[P any](p *Permission[P]) string { return p.Role }

func sortByRole[P any](list []*Permission[P]) {
	slices.SortFunc(list, func(a, b *Permission[P]) int { return strings.Compare(a.Role, b.Role) })
}

func checkObject(raw json.RawMessage, key string) error {
	if raw == nil || isNull(raw) {
		return nil
	}
	if got := JSONType(raw); got != "Object" {
		return apierror.At(typeMismatch("Object", "Object", got), key)
	}
	return nil
}

func checkRootFieldList(list *[]string, key string, allowed ...string) error {
	if list == nil {
		return nil
	}
	for i, name := range *list {
		if !slices.Contains(allowed, name) {
			return apierror.At(apierror.Newf(apierror.ParseFailed,
				"unexpected root field %q; expected one of: %s", name, strings.Join(allowed, ", ")), key, i)
		}
	}
	return nil
}

func checkValidateInput(raw json.RawMessage) error {
	_, err := ParseValidateInput(raw)
	return apierror.At(err, "validate_input")
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
