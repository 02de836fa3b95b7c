package resolve

import (
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
)

// enumRefs lists the enum tables that columns of c refer to by a foreign key of one column,
// in the order of the foreign keys; nil for none.
func enumRefs(c *catalog.Table, enums map[catalog.Name]*Enum) []*Enum {
	if c == nil || len(enums) == 0 {
		return nil
	}
	var refs []*Enum
	for _, k := range c.ForeignKeys {
		if e := enums[k.Target]; e != nil && len(k.Columns) == 1 {
			refs = append(refs, e)
		}
	}
	return refs
}

// enumOf is the enum table that the column refers to, nil for none.
func enumOf(c *catalog.Table, column string, refs []*Enum) *Enum {
	if list := enumsOf(c, column, refs); len(list) > 0 {
		return list[0]
	}
	return nil
}

func enumsOf(c *catalog.Table, column string, refs []*Enum) []*Enum {
	var list []*Enum
	for _, k := range c.ForeignKeys {
		if len(k.Columns) != 1 || k.Columns[0] != column {
			continue
		}
		for _, e := range refs {
			if e.Table == k.Target {
				list = append(list, e)
				break
			}
		}
	}
	return list
}

// multipleEnums is the problem of a column that refers to more than one enum table.
func (h *head) multipleEnums(c *catalog.Table, refs []*Enum) string {
	if len(refs) < 2 {
		return ""
	}
	for _, column := range c.Columns {
		list := enumsOf(c, column.Name, refs)
		var names []string
		for _, e := range list {
			if name := quote(h.display(e.Table)); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) > 1 {
			return fmt.Sprintf("column %q in table %q references multiple enum tables (%s)",
				column.Name, h.display(c.Name), strings.Join(names, ", "))
		}
	}
	return ""
}

// enumProblem returns why a table can't be used as an enum, "" when it can.
func (h *head) enumProblem(c *catalog.Table, values []catalog.EnumValue) string {
	reasons := enumShape(h.dialect, c)
	if len(reasons) == 0 {
		reasons = enumContent(values)
	}
	if len(reasons) == 0 {
		return ""
	}
	return fmt.Sprintf("the table %q cannot be used as an enum %s", h.display(c.Name), because(reasons))
}

// EnumRefusal is why a table can't be an enum, whatever rows it has; "" when it can be one.
func (s *Schema) EnumRefusal(source string, t *catalog.Table) string {
	src := s.Source(source)
	if src == nil {
		return "" // its own inconsistency says why
	}
	reasons := enumShape(src.head.dialect, t)
	if len(reasons) == 0 {
		return ""
	}
	return fmt.Sprintf("the table %q cannot be used as an enum %s", src.head.display(t.Name), because(reasons))
}

// enumShape looks at the columns: a text primary key, and at most a text comment besides.
func enumShape(d backend.TypeSystem, c *catalog.Table) []string {
	var reasons []string
	key, text := "", typeName(d, d.Builtin(backend.TypeText))
	switch {
	case c.PrimaryKey == nil:
		reasons = append(reasons, "the table must have a primary key")
	case len(c.PrimaryKey.Columns) > 1:
		reasons = append(reasons, "the table’s primary key must not span multiple columns ("+quoteAll(c.PrimaryKey.Columns)+")")
	default:
		key = c.PrimaryKey.Columns[0]
		if column := c.Column(key); column != nil && !backend.Is(d, column.Type, backend.TypeText) {
			reasons = append(reasons, fmt.Sprintf("the table’s primary key (%q) must have type %q, not type %q", key, text, typeName(d, column.Type)))
		}
	}
	if len(c.Columns) > 2 {
		names := make([]string, len(c.Columns))
		for i, column := range c.Columns {
			names[i] = column.Name
		}
		return append(reasons, fmt.Sprintf("the table must have exactly one primary key and optionally one comment column, not %d columns (%s)",
			len(names), quoteAll(names)))
	}
	for _, column := range c.Columns {
		if key != "" && column.Name != key && !backend.Is(d, column.Type, backend.TypeText) {
			reasons = append(reasons, fmt.Sprintf("the table’s comment column (%q) must have type %q, not type %q", column.Name, text, typeName(d, column.Type)))
		}
	}
	return reasons
}

// enumContent looks at the rows.
func enumContent(values []catalog.EnumValue) []string {
	if len(values) == 0 {
		return []string{"the table must have at least one row"}
	}
	var invalid []string
	for _, v := range values {
		if !isEnumValue(v.Value) {
			invalid = append(invalid, v.Value)
		}
	}
	switch len(invalid) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("the value %q is not a valid GraphQL enum value name", invalid[0])}
	}
	last := len(invalid) - 1
	return []string{fmt.Sprintf("the values %s, and %q are not valid GraphQL enum value names", quoteAll(invalid[:last]), invalid[last])}
}

func isEnumValue(s string) bool {
	return gqlname.Definable(s) && s != "true" && s != "false" && s != "null"
}

// typeName is the name of a type in messages.
func typeName(d backend.TypeSystem, t catalog.Type) string {
	name := d.Scalar(t).SQL
	if t.IsArray() {
		name += "[]"
	}
	return name
}

// because joins the reasons why something can't be done.
func because(reasons []string) string {
	if len(reasons) == 1 {
		return "because " + reasons[0]
	}
	var b strings.Builder
	b.WriteString("for the following reasons:\n")
	for _, r := range reasons {
		b.WriteString("  • " + r + "\n")
	}
	return b.String()
}

func quote(s string) string { return `"` + s + `"` }

func quoteAll(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return strings.Join(quoted, ", ")
}
