package resolve

import (
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
)

// generatedType is a type that is made for a table. Its name is that of the type of rows with a suffix.
type generatedType struct {
	suffix string
	kind   remoteschema.Kind
	// plain reports whether the name has the prefix and suffix of the source's types.
	plain bool
	// made reports whether admin's schema, which has all that others have, has the type for a table; nil is for
	// every table.
	made func(o *Options, t *Table) bool
}

// generatedTypes are the types that are made for the tables of sources of a dialect.
func generatedTypes(d backend.Dialect) []generatedType {
	insertable := func(_ *Options, t *Table) bool { return t.writable() && t.Catalog.Insertable }
	updatable := func(_ *Options, t *Table) bool { return t.writable() && t.Catalog.Updatable }
	upserts := func(o *Options, t *Table) bool {
		return insertable(o, t) && d.Tables().Upsert == backend.OnConflict && (t.Catalog.PrimaryKey != nil || len(t.Catalog.Uniques) > 0)
	}
	matches := func(o *Options, t *Table) bool {
		return insertable(o, t) && updatable(o, t) && d.Tables().Upsert == backend.IfMatched
	}
	table := func(_ *Options, t *Table) bool { return !t.IsModel() }
	list := []generatedType{
		{suffix: "bool_exp", kind: remoteschema.InputObject},
		{suffix: "order_by", kind: remoteschema.InputObject},
		{suffix: "select_column", kind: remoteschema.Enum},
		{suffix: "aggregate", kind: remoteschema.Object, made: table},
		{suffix: "aggregate_fields", kind: remoteschema.Object, made: table},
		{suffix: "stream_cursor_input", kind: remoteschema.InputObject, made: streams},
		{suffix: "stream_cursor_value_input", kind: remoteschema.InputObject, made: streams},
		{suffix: "groups", kind: remoteschema.Object, made: grouped},
		{suffix: "group_key", kind: remoteschema.Object, made: grouped},
		{suffix: "group_key_order_by", kind: remoteschema.InputObject, made: grouped},
		{suffix: "groups_order_by", kind: remoteschema.InputObject, made: grouped},
		{suffix: "groups_bool_exp", kind: remoteschema.InputObject, made: grouped},
		{suffix: "json_path_order_by", kind: remoteschema.InputObject, made: hasJSON},
		{suffix: "aggregate_order_by", kind: remoteschema.InputObject, made: isListed},
		{suffix: "aggregate_bool_exp", kind: remoteschema.InputObject, plain: true, made: isListed},
		{suffix: "enum", kind: remoteschema.Enum, made: func(_ *Options, t *Table) bool { return t.base.enum != nil }},
		{suffix: "mutation_response", kind: remoteschema.Object, made: func(o *Options, t *Table) bool { return insertable(o, t) || updatable(o, t) }},
		{suffix: "insert_input", kind: remoteschema.InputObject, made: insertable},
		{suffix: "obj_rel_insert_input", kind: remoteschema.InputObject, made: insertable},
		{suffix: "arr_rel_insert_input", kind: remoteschema.InputObject, made: insertable},
		{suffix: "on_conflict", kind: remoteschema.InputObject, made: upserts},
		{suffix: "constraint", kind: remoteschema.Enum, made: upserts},
		{suffix: "update_column", kind: remoteschema.Enum, made: func(o *Options, t *Table) bool { return upserts(o, t) || matches(o, t) }},
		{suffix: "if_matched", kind: remoteschema.InputObject, made: matches},
		{suffix: "insert_match_column", kind: remoteschema.Enum, made: matches},
		{suffix: "set_input", kind: remoteschema.InputObject, made: updatable},
		{suffix: "pk_columns_input", kind: remoteschema.InputObject, made: func(o *Options, t *Table) bool {
			return updatable(o, t) && t.Catalog.PrimaryKey != nil
		}},
		{suffix: "updates", kind: remoteschema.InputObject, made: func(o *Options, t *Table) bool {
			return updatable(o, t) && !o.HideUpdateManyFields
		}},
	}
	for op, suffix := range map[ir.AssignOp]string{
		ir.AssignInc: "inc_input", ir.AssignAppend: "append_input", ir.AssignPrepend: "prepend_input",
		ir.AssignDeleteKey: "delete_key_input", ir.AssignDeleteElem: "delete_elem_input", ir.AssignDeleteAtPath: "delete_at_path_input",
	} {
		if a := d.Tables().Assignment(op); a != nil && a.Takes != nil {
			list = append(list, generatedType{suffix: suffix, kind: remoteschema.InputObject, made: func(o *Options, t *Table) bool {
				return updatable(o, t) && slices.ContainsFunc(t.Columns, func(c *Column) bool { return a.Takes(c.Type, c.Scalar) })
			}})
		}
	}
	for op, suffix := range map[ir.AssignOp]string{ir.AssignMerge: "merge_input", ir.AssignSetAt: "set_at_input", ir.AssignDeleteAt: "delete_at_input"} {
		if d.Tables().Assignment(op) != nil {
			list = append(list, generatedType{suffix: suffix, kind: remoteschema.InputObject, made: func(o *Options, t *Table) bool { return updatable(o, t) && hasJSON(o, t) }})
		}
	}
	for i := range d.Tables().Aggregates {
		list = append(list,
			generatedType{suffix: d.Tables().Aggregates[i].Name + "_fields", kind: remoteschema.Object, made: aggregated(&d.Tables().Aggregates[i], table)},
			generatedType{suffix: d.Tables().Aggregates[i].Name + "_order_by", kind: remoteschema.InputObject, made: orderedBy(&d.Tables().Aggregates[i])})
	}
	for i := range d.Tables().Aggregates {
		list = append(list, generatedType{suffix: d.Tables().Aggregates[i].Name + "_bool_exp", kind: remoteschema.InputObject, made: aggregated(&d.Tables().Aggregates[i], grouped)})
	}
	for _, p := range d.Tables().Predicates {
		list = append(list,
			generatedType{suffix: "aggregate_bool_exp_" + p.Name, kind: remoteschema.InputObject, plain: true, made: isListed},
			generatedType{suffix: "aggregate_bool_exp_" + p.Name + "_arguments", kind: remoteschema.InputObject, plain: true, made: isListed})
	}
	return list
}

// grouped reports whether rows of the table can be grouped.
func grouped(_ *Options, t *Table) bool { return !t.IsModel() && t.Source.Groups() }

// hasJSON reports whether the table has columns or computed fields whose parts can be read and changed.
func hasJSON(_ *Options, t *Table) bool {
	return t.Source.JSONPaths() && (slices.ContainsFunc(t.Columns, func(c *Column) bool { return c.Scalar.Mergeable }) ||
		slices.ContainsFunc(t.ComputedFields, func(c *ComputedField) bool { return c.Returns == nil && c.Scalar.Mergeable }))
}

// writable reports whether there may be mutations of the table.
func (t *Table) writable() bool {
	return !t.IsModel() && metadata.KindNamed(t.Source.Kind).Can(metadata.Mutations)
}

func streams(o *Options, t *Table) bool { return !t.IsModel() && !o.HideStreamFields }

// aggregated is made for tables with a column that f takes.
func aggregated(f *backend.Aggregate, also func(*Options, *Table) bool) func(*Options, *Table) bool {
	return func(o *Options, t *Table) bool {
		return also(o, t) && (slices.ContainsFunc(t.Columns, func(c *Column) bool { return f.Takes(c.Type, c.Scalar) }) ||
			slices.ContainsFunc(t.ComputedFields, func(c *ComputedField) bool { return c.Returns == nil && f.Takes(c.Type, c.Scalar) }))
	}
}

// orderedBy is made where rows can be ordered by f of lists of the table's rows.
func orderedBy(f *backend.Aggregate) func(*Options, *Table) bool { return aggregated(f, isListed) }

// isListed reports whether a relationship or a computed field of a table leads to lists of the rows.
func isListed(_ *Options, of *Table) bool {
	for _, t := range of.Source.Tables {
		if slices.ContainsFunc(t.Relationships, func(r *Relationship) bool { return r.Array && r.Target == of }) ||
			slices.ContainsFunc(t.ComputedFields, func(f *ComputedField) bool { return f.Returns == of }) {
			return true
		}
	}
	return false
}

// typeNaming is how the names of types of some sources are made.
type typeNaming struct {
	head *head
	// types have their suffixes as the naming convention spells them.
	types []generatedType
}

// newTypeNaming spells the generated types of a source.
func newTypeNaming(h *head) *typeNaming {
	n := &typeNaming{head: h, types: generatedTypes(h.dialect)}
	for i := range n.types {
		n.types[i].suffix = h.convention.suffix(n.types[i].suffix)
	}
	return n
}

// suffix is what follows the name of the type of rows.
func (c Convention) suffix(words string) string {
	if c != ConventionGraphQL {
		return "_" + words
	}
	var b strings.Builder
	for _, w := range gqlname.Words(words) {
		b.WriteString(gqlname.Upper(w))
	}
	return b.String()
}

// split finds the generated types that may have a name, each with the name of the type of rows.
func (n *typeNaming) split(name string, f func(rows string, of *generatedType)) {
	prefix, suffix := n.head.wrapType(""), ""
	if c := n.head.customization; c != nil && c.TypeNames != nil {
		prefix, suffix = c.TypeNames.Prefix, c.TypeNames.Suffix
	}
	bare, wrapped := strings.CutSuffix(name, suffix)
	wrapped = wrapped && strings.HasPrefix(bare, prefix)
	for i := range n.types {
		of := &n.types[i]
		switch {
		case of.plain:
			if rows, ok := strings.CutSuffix(name, of.suffix); ok {
				f(n.head.wrapType(rows), of)
			}
		case wrapped:
			if rows, ok := strings.CutSuffix(bare, of.suffix); ok && len(rows) >= len(prefix) {
				if suffix != "" {
					rows += suffix
				}
				f(rows, of)
			}
		}
	}
}
