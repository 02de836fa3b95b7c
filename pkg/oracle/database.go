package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// SQL makes the database. Texts are ordered by their bytes.
func (m *Model) SQL() string {
	var b strings.Builder
	for _, t := range m.Tables {
		if t.base != nil {
			fmt.Fprintf(&b, "CREATE VIEW %s AS SELECT * FROM %s WHERE %s;\n", quote(t.Name), quote(t.base.Name), t.where)
			continue
		}
		var columns []string
		for _, c := range t.Columns {
			columns = append(columns, m.dialect.column(t, c))
		}
		if m.dialect.tenants {
			columns = append(columns, m.tenantKeys(t)...)
		}
		fmt.Fprintf(&b, "CREATE TABLE %s (%s);\n", quote(t.Name), strings.Join(columns, ", "))
		for _, r := range t.rows {
			var values []string
			for _, c := range t.Columns {
				values = append(values, m.dialect.literal(c.Kind, r[c.Name]))
			}
			fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", quote(t.Name), strings.Join(values, ", "))
		}
	}
	b.WriteString(m.placed())
	for _, t := range m.Tables {
		for _, c := range t.Computed {
			fmt.Fprintf(&b, "CREATE FUNCTION %s(%s) RETURNS %s LANGUAGE sql STABLE AS $$ %s $$;\n",
				t.functionOf(c), t.arguments(c), c.returns(), c.body)
		}
	}
	for _, f := range m.Functions {
		set := "SETOF "
		if f.Single {
			set = ""
		}
		fmt.Fprintf(&b, "CREATE FUNCTION %s(n int) RETURNS %s LANGUAGE sql STABLE AS $$ %s $$;\n", f.Name, set+quote(f.Returns.Name), f.body)
	}
	if m.databaseRole != "" {
		b.WriteString(m.policies())
	}
	return b.String()
}

// tenantKeys are the constraints of a table in which each key has the tenant.
func (m *Model) tenantKeys(t *Table) []string {
	list := []string{"PRIMARY KEY (" + tenant + ", id)"}
	for _, c := range t.Columns {
		if c.unique {
			list = append(list, "UNIQUE ("+tenant+", "+quote(c.Name)+")")
		}
		if c.target != nil {
			list = append(list, "FOREIGN KEY ("+tenant+", "+quote(c.Name)+") REFERENCES "+quote(c.target.Name)+" ("+tenant+", id)")
		}
	}
	return list
}

// column is the definition of a column.
func (d *Dialect) column(t *Table, c *Column) string {
	text := quote(c.Name) + " " + d.definition(c.Kind)
	if c.Kind == Text || c.Kind == Texts {
		text += d.collation
	}
	if !c.Nullable {
		text += " NOT NULL"
	}
	if d.tenants {
		return text
	}
	if c.Name == "id" {
		text += " PRIMARY KEY"
	}
	if c.unique && t.place != distributed {
		text += " UNIQUE"
	}
	if c.target != nil && t.keyTo(c.target, false) {
		text += " REFERENCES " + quote(c.target.Name) + " (id)"
		if !d.plainKeys && d.layout == nil {
			text += " DEFERRABLE INITIALLY DEFERRED"
		}
	}
	return text
}

// functionOf is the name of the function of a computed field.
func (t *Table) functionOf(c *Computed) string { return strings.ToLower(t.Name) + "_" + c.Name }

func (t *Table) arguments(c *Computed) string {
	text := "r " + quote(t.Name)
	if c.mapped != nil {
		return "k bigint"
	}
	if c.argument {
		text += ", n int"
	}
	if c.session {
		text += ", s json"
	}
	return text
}

func (c *Computed) returns() string {
	if c.Returns != nil {
		return "SETOF " + quote(c.Returns.Name)
	}
	return string(c.Kind)
}

// literal spells a value as SQL.
func literal(k Kind, v any) string {
	text := ""
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		text = v
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, literal(Text, item))
		}
		return "ARRAY[" + strings.Join(items, ", ") + "]::text[]"
	case map[string]any:
		raw, _ := json.Marshal(v)
		text = string(raw)
	default:
		text = fmt.Sprint(v)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'::" + string(k)
}

// Metadata is the document of the model. The database's address is the variable DATABASE.
func (m *Model) Metadata() []byte {
	var tables, functions, inherited []any
	for _, t := range m.Tables {
		tables = append(tables, m.tableMetadata(t))
	}
	for _, f := range m.Functions {
		functions = append(functions, object{{"function", tableName(f.Name)}})
	}
	for _, role := range slices.Sorted(maps.Keys(m.parents)) {
		inherited = append(inherited, object{{"role_name", role}, {"role_set", m.parents[role]}})
	}
	raw, _ := json.Marshal(object{
		{"version", 3},
		{"sources", []any{object{
			{"name", "default"},
			{"kind", m.dialect.kind},
			{"configuration", m.dialect.configuration},
			{"customization", object{{"json_paths", m.dialect.parts}, {"groups", m.dialect.groups}}},
			{"tables", tables},
			{"functions", functions},
		}}},
		{"inherited_roles", inherited},
	})
	if m.dialect.inside != "" {
		raw = bareNames.ReplaceAll(raw, []byte(`{`+m.dialect.inside+`,$1}`))
	}
	return raw
}

// bareNames are the names of tables and functions, which have nothing but a name.
var bareNames = regexp.MustCompile(`\{("name":"[^"]*")\}`)

func (m *Model) tableMetadata(t *Table) object {
	config := object{}
	for _, c := range t.Columns {
		if c.Field != c.Name {
			config = append(config, member{c.Name, object{{"custom_name", c.Field}}})
		}
	}
	settings := object{{"column_config", config}}
	if m.dialect.inside != "" { // types and fields are called like the table alone
		settings = append(settings, member{"custom_name", t.Name})
	}
	one, many, computed := []any{}, []any{}, []any{}
	for _, r := range t.Relations {
		item := object{{"name", r.Name}, {"using", r.using}}
		if r.Array {
			many = append(many, item)
		} else {
			one = append(one, item)
		}
	}
	for _, c := range t.Computed {
		definition := object{{"function", tableName(t.functionOf(c))}}
		if c.session {
			definition = append(definition, member{"session_argument", "s"})
		}
		if c.mapped != nil {
			definition = append(definition, member{"argument_mapping", object{{"k", c.mapped.Name}}}, member{"return_table", tableName(c.Returns.Name)})
		}
		computed = append(computed, object{{"name", c.Name}, {"definition", definition}})
	}
	return append(object{
		{"table", tableName(t.Name)},
		{"configuration", settings},
		{"object_relationships", one},
		{"array_relationships", many},
		{"computed_fields", computed},
	}, m.permissionMetadata(t)...)
}

func (m *Model) permissionMetadata(t *Table) object {
	var selects, updates, deletes []any
	add := func(list *[]any, role string, permission any) {
		*list = append(*list, object{{"role", role}, {"permission", permission}})
	}
	for _, role := range m.Roles {
		if p := t.perms[role]; p != nil {
			if m.databaseRole != "" {
				all := *p
				p, all.filter = &all, conjunction{}
			}
			add(&selects, role, p.metadata(t))
		}
		if list := t.lists[role]; list != nil {
			rules := make([]object, len(list))
			for i, p := range list {
				rules[i] = p.metadata(t)
			}
			add(&selects, role, rules)
		}
		if rules := t.updates[role]; rules != nil {
			add(&updates, role, spelledRules(rules, func(r writeRule) object {
				var columns any = "*"
				if r.columns != nil {
					names := []string{}
					for _, c := range r.columns {
						names = append(names, c.Name)
					}
					columns = names
				}
				return object{{"columns", columns}, {"filter", rule(r.filter)}, {"check", nil}}
			}))
		}
		if rules := t.deletes[role]; rules != nil {
			add(&deletes, role, spelledRules(rules, func(r writeRule) object { return object{{"filter", rule(r.filter)}} }))
		}
	}
	return object{{"select_permissions", selects}, {"update_permissions", updates}, {"delete_permissions", deletes}}
}

// spelledRules are one object, or a list of several.
func spelledRules(rules []writeRule, spell func(writeRule) object) any {
	if len(rules) == 1 {
		return spell(rules[0])
	}
	list := make([]object, len(rules))
	for i, r := range rules {
		list[i] = spell(r)
	}
	return list
}

func (p *permission) metadata(t *Table) object {
	columns, computed, masks := []string{}, []string{}, object{}
	for _, c := range t.Columns {
		by, masked := p.masks[c.Name]
		switch {
		case masked && by.expression != nil:
			masks = append(masks, member{c.Name, strings.ReplaceAll(by.expression.sql, "$", quote(c.Name))})
		case masked && by.name != "":
			masks = append(masks, member{c.Name, by.name})
		case masked:
			masks = append(masks, member{c.Name, object{{"value", by.constant}}})
		}
		if p.names[c.Name] && (!masked || len(c.Name)%2 == 0) { // a rule may list what it masks
			columns = append(columns, c.Name)
		}
	}
	for _, c := range t.Computed {
		if p.names[c.Name] {
			computed = append(computed, c.Name)
		}
	}
	o := object{
		{"columns", columns},
		{"mask", masks},
		{"computed_fields", computed},
		{"filter", rule(p.filter)},
		{"allow_aggregations", p.aggregations},
	}
	if p.limit >= 0 {
		o = append(o, member{"limit", p.limit})
	}
	return o
}
