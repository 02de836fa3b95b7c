package dataop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
)

// explainArgs asks what a role may do with a row.
type explainArgs struct {
	user *session.Session
	key  object
}

func readExplain(args object) (*explainArgs, error) {
	raw, err := args.required("role")
	if err != nil {
		return nil, err
	}
	role, err := readText(raw)
	if err == nil && (role == session.Admin || role == "") {
		err = apierror.New(apierror.ValidationFailed, "expected a role with permissions: no rule binds admin")
	}
	if err != nil {
		return nil, apierror.At(err, "role")
	}
	variables, err := readOptional(args, "session", func(raw []byte) (map[string]string, error) {
		var given map[string]string
		if json.Unmarshal(raw, &given) != nil {
			return nil, apierror.New(apierror.ParseFailed, "expected an object of texts")
		}
		return session.Own(given), nil
	})
	if err != nil {
		return nil, err
	}
	if variables == nil {
		variables = map[string]string{}
	}
	variables[session.RoleHeader] = role
	a := &explainArgs{user: &session.Session{Role: role, Variables: variables}}
	if raw, err = args.required("key"); err != nil {
		return nil, err
	}
	a.key, err = readObject("key", raw)
	return a, apierror.At(err, "key")
}

// rowExplained is what a role may do with a row, and why.
type rowExplained struct {
	Found  bool                `json:"found"`
	Select *operationExplained `json:"select,omitempty"`
	Update *operationExplained `json:"update,omitempty"`
	Delete *operationExplained `json:"delete,omitempty"`
}

type operationExplained struct {
	Allowed bool `json:"allowed"`
	// Reason is why it isn't allowed.
	Reason  string            `json:"reason,omitempty"`
	Rules   []ruleExplained   `json:"rules,omitempty"`
	Columns []columnExplained `json:"columns,omitempty"`
}

type ruleExplained struct {
	Role    string `json:"role"`
	Rule    string `json:"rule"`
	Matches bool   `json:"matches"`
}

// columnExplained is a column that the role reads, or may set.
type columnExplained struct {
	Name string `json:"name"`
	// Shows is "value", "mask" or "null"; empty for a column to set.
	Shows string `json:"shows,omitempty"`
	// Role and Rule are those that show the column, or let it be set.
	Role  string          `json:"role,omitempty"`
	Rule  string          `json:"rule,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// explanation is a plan whose row tells which rules match, and what the role reads.
type explanation struct {
	table     *resolve.Table
	role      string
	marker    ir.Column // it isn't NULL
	fields    []ir.Field
	selects   []resolve.GrantedRule[resolve.SelectPermission]
	updates   []resolve.GrantedRule[resolve.UpdatePermission]
	deletions []resolve.GrantedRule[resolve.DeletePermission]
}

// explain plans the statement of an explanation.
func (p *planner) explain(t *resolve.Table, a *explainArgs) (*ir.Select, *explanation, error) {
	where, err := keyOf(t, a.key)
	if err != nil {
		return nil, nil, apierror.At(err, "key")
	}
	x := &explanation{
		table: t, role: p.role, marker: irColumn(t.PrimaryKey[0]),
		selects: t.SelectRules(p.role), updates: t.UpdateRules(p.role), deletions: t.DeleteRules(p.role),
	}
	for i, r := range x.selects {
		x.match("select", i, r.Rule.Filter)
	}
	for i, r := range x.updates {
		x.match("update", i, r.Rule.Filter)
	}
	for i, r := range x.deletions {
		x.match("delete", i, r.Rule.Filter)
	}
	if permission := t.SelectPermission(p.role); permission != nil {
		for i, c := range permission.Columns {
			x.fields = append(x.fields, ir.Field{Alias: "column" + strconv.Itoa(i), Value: ir.Scalar{Expr: c.Expr(), Type: c.Column.Type}})
		}
	}
	x.fields = append(x.fields, ir.Field{Alias: "found", Value: ir.Scalar{Expr: x.marker, Type: x.marker.Type}})
	return &ir.Select{Rows: ir.Rows{From: ir.TableOf(t.Catalog), Where: where, Estimate: 1}, Fields: x.fields}, x, nil
}

// keyOf is the condition on the row of a key, which has all columns of the primary key.
func keyOf(t *resolve.Table, key object) (ir.BoolExp, error) {
	if len(t.PrimaryKey) == 0 {
		return nil, apierror.Newf(apierror.NotSupported, "table %q has no primary key", t.Display())
	}
	var exps []ir.BoolExp
	for _, c := range t.PrimaryKey {
		value := key.get(c.Name)
		if value == nil {
			return nil, missingKey(c.Name)
		}
		condition, err := json.Marshal(map[string]any{c.Name: map[string]json.RawMessage{"_eq": value}})
		if err != nil {
			return nil, err
		}
		exp, err := resolve.ParseWhere(t, session.Admin, condition)
		if err != nil {
			return nil, err
		}
		exps = append(exps, exp)
	}
	for _, m := range key {
		if !slices.ContainsFunc(t.PrimaryKey, func(c *resolve.Column) bool { return c.Name == m.key }) {
			return nil, apierror.At(apierror.Newf(apierror.NotExists, "%q is no column of the primary key", m.key), m.key)
		}
	}
	return ir.And{Exps: exps}, nil
}

// match adds a field that is NULL unless a rule matches the row.
func (x *explanation) match(operation string, i int, filter ir.BoolExp) {
	var e ir.Expr = x.marker
	if filter != nil {
		e = ir.Redacted{Expr: e, When: ir.Rule{Exp: filter}}
	}
	x.fields = append(x.fields, ir.Field{Alias: operation + strconv.Itoa(i), Value: ir.Scalar{Expr: e, Type: x.marker.Type}})
}

// answer is the explanation by the answer of its statement.
func (x *explanation) answer(raw []byte) ([]byte, error) {
	var rows []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &rows); err != nil {
		return nil, fmt.Errorf("read the row: %w", err)
	}
	out := rowExplained{Found: len(rows) == 1}
	if out.Found {
		out.Select, out.Update, out.Delete = x.reading(rows[0]), x.updating(rows[0]), x.deleting(rows[0])
	}
	return json.Marshal(out)
}

// operation tells which rules match; permitted is set for a role with a permission.
func operation[P any](x *explanation, name string, row map[string]json.RawMessage, rules []resolve.GrantedRule[P], permitted bool) *operationExplained {
	o := &operationExplained{}
	for i, r := range rules {
		matches := permitted && string(row[name+strconv.Itoa(i)]) != "null"
		o.Rules = append(o.Rules, ruleExplained{r.Role, r.Name, matches})
		o.Allowed = o.Allowed || matches
	}
	switch {
	case o.Allowed:
	case permitted:
		o.Reason = "no rule matches the row"
	case len(rules) > 0:
		o.Reason = fmt.Sprintf("the roles that %q inherits from have different permissions", x.role)
	default:
		o.Reason = fmt.Sprintf("role %q has no permission", x.role)
	}
	return o
}

func (x *explanation) reading(row map[string]json.RawMessage) *operationExplained {
	permission := x.table.SelectPermission(x.role)
	o := operation(x, "select", row, x.selects, permission != nil)
	if !o.Allowed {
		return o
	}
	for i, c := range permission.Columns {
		shown := columnExplained{Name: c.Column.Name, Shows: "null", Value: row["column"+strconv.Itoa(i)]}
		for n, r := range x.selects {
			seen, listed := r.Rule.Column(c.Column.Name)
			if !listed || !o.Rules[n].Matches {
				continue
			}
			if seen.Hidden == nil {
				shown.Shows, shown.Role, shown.Rule = "value", r.Role, r.Name
				break
			}
			if shown.Shows == "null" {
				shown.Shows, shown.Role, shown.Rule = "mask", r.Role, r.Name
			}
		}
		o.Columns = append(o.Columns, shown)
	}
	return o
}

func (x *explanation) updating(row map[string]json.RawMessage) *operationExplained {
	permission := x.table.UpdatePermission(x.role)
	o := operation(x, "update", row, x.updates, permission != nil)
	if !o.Allowed {
		return o
	}
	for _, c := range permission.Columns {
		for n, r := range x.updates {
			if o.Rules[n].Matches && slices.Contains(r.Rule.Columns, c) {
				o.Columns = append(o.Columns, columnExplained{Name: c.Name, Role: r.Role, Rule: r.Name})
				break
			}
		}
	}
	return o
}

func (x *explanation) deleting(row map[string]json.RawMessage) *operationExplained {
	return operation(x, "delete", row, x.deletions, x.table.DeletePermission(x.role) != nil)
}
