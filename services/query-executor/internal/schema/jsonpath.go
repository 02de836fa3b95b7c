package schema

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
)

// Parts of JSON values, in the schemas of sources with the setting json_paths.
type (
	// AtPath is a list of conditions on parts of a JSON value, or an ordering by a part of a column.
	AtPath struct{}
	// PathExists is the condition that a JSON value has a part at a path.
	PathExists struct{}
	// JSONKind is what the part of a JSON value is read as: a condition on it, or an ordering by it.
	JSONKind struct{ *backend.JSONKind }
)

func (AtPath) inputMeaning()     {}
func (PathExists) inputMeaning() {}
func (JSONKind) inputMeaning()   {}

// ArgPartValue is what the part of a JSON value becomes.
const ArgPartValue Argument = "part value"

const (
	atPath     = "_at"
	pathExists = "_path_exists"
)

// readsParts reports whether a source has conditions on parts of values of a type.
func readsParts(s *resolve.Source, t catalog.Type) bool {
	return s.JSONPaths() && s.Dialect.Scalar(t).Mergeable
}

// jsonConditions are the conditions on parts of a JSON value. Sources that share the comparisons of a type have them all, or
// none of them does.
func (r *Role) jsonConditions(s *resolve.Source, n naming, t catalog.Type) []Input {
	suffix := s.Dialect.Tables().TypeSuffix
	if !slices.ContainsFunc(r.source.Sources, func(other *resolve.Source) bool {
		return other.Dialect.Tables().TypeSuffix == suffix && readsParts(other, t)
	}) || !s.Dialect.Scalar(t).Mergeable {
		return nil
	}
	path := NonNull(List(NonNull(Named(r.scalar("String")))))
	kinds := r.named(n.shared("json_path_comparison_exp"+suffix), InputObject, "Conditions on the part of a JSON value at a path, which all hold.", func() content {
		inputs := []Input{r.jsonPath(path)}
		for i := range s.Dialect.Tables().JSONKinds {
			k := &s.Dialect.Tables().JSONKinds[i]
			inputs = append(inputs, Input{Name: k.Name, Type: Named(r.comparison(s, n, k.Shown)), Meaning: JSONKind{k}})
		}
		return content{inputs: inputs}
	})
	return []Input{
		{Name: n.field(atPath), Description: "are there parts that satisfy the conditions", Type: List(NonNull(Named(kinds))), Meaning: AtPath{}},
		{Name: n.field(pathExists), Description: "is there a part at the path", Type: path.Nullable(), Meaning: PathExists{}},
	}
}

func (r *Role) jsonPath(of Ref) Input {
	return Input{Name: "path", Description: "keys and indexes that lead to the part", Type: of, Meaning: ArgPath}
}

// edit is a change of a part of a JSON column.
func (w *Writable) edit(op ir.AssignOp, c *resolve.Column) *Type {
	r, suffix := w.role, w.Source.Dialect.Tables().TypeSuffix
	inputs := []Input{r.jsonPath(NonNull(List(NonNull(Named(r.scalar("String"))))))}
	if op == ir.AssignDeleteAt {
		return r.named(w.naming.shared("json_delete_at"+suffix), InputObject, "A part of a JSON value.", func() content { return content{inputs: inputs} })
	}
	inputs = append(inputs, Input{Name: "value", Description: "what the part becomes", Type: r.valueType(c.Type, w.Source), Meaning: ArgPartValue})
	return r.named(w.naming.shared("json_set_at"+suffix), InputObject, "A part of a JSON value, and what it becomes.", func() content { return content{inputs: inputs} })
}

// partedColumns calls one of its functions for each column and computed field whose values have parts.
func (t *Table) partedColumns(column func(*resolve.SelectColumn), computed func(*resolve.SelectComputedField)) {
	t.columns(func(c *resolve.SelectColumn) {
		if c.Column.Enum == nil && readsParts(t.Source, c.Column.Type) {
			column(c)
		}
	})
	t.scalars(func(c *resolve.SelectComputedField) {
		if len(c.Field.Args) == 0 && readsParts(t.Source, c.Field.Type) {
			computed(c)
		}
	})
}

// jsonOrder is the ordering by parts of JSON values, none for a table without JSON.
func (t *Table) jsonOrder(order Ref) []Input {
	found := false
	t.partedColumns(func(*resolve.SelectColumn) { found = true }, func(*resolve.SelectComputedField) { found = true })
	if !found {
		return nil
	}
	return []Input{{Name: t.naming.field(atPath), Description: "parts of JSON values", Type: Named(t.part(jsonPathOrderBy)), Meaning: AtPath{}}}
}

// buildJSONOrder makes the ordering by parts of JSON values.
func (t *Table) buildJSONOrder() content {
	r, order := t.role, Named(t.role.order(t.Source, t.naming))
	tables := t.Source.Dialect.Tables()
	kinds := Named(r.named(t.naming.shared("json_path_order_by"+tables.TypeSuffix), InputObject, "Orderings by the part of a JSON value at a path.", func() content {
		inputs := []Input{r.jsonPath(NonNull(List(NonNull(Named(r.scalar("String"))))))}
		for i := range tables.JSONKinds {
			if k := &tables.JSONKinds[i]; !k.Unordered {
				inputs = append(inputs, Input{Name: k.Name, Type: order, Meaning: JSONKind{k}})
			}
		}
		return content{inputs: inputs}
	}))
	var inputs []Input
	t.partedColumns(func(c *resolve.SelectColumn) {
		inputs = append(inputs, Input{Name: c.Column.Field, Description: text(c.Column.Description), Type: kinds, Meaning: Column{c}})
	}, func(c *resolve.SelectComputedField) {
		inputs = append(inputs, Input{Name: c.Field.Name, Description: c.Field.Description, Type: kinds, Meaning: Computed{c}})
	})
	return content{inputs: inputs}
}
