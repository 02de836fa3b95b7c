package schema

import (
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
)

// What the fields, inputs and values of mutations mean.
type (
	// InsertRows is a root field that inserts rows.
	InsertRows struct{ *Writable }
	// InsertRow is a root field that inserts one row.
	InsertRow struct{ *Writable }
	// UpdateRows is a root field that updates the rows of a condition.
	UpdateRows struct{ *Writable }
	// UpdateByPK is a root field that updates the row of a key.
	UpdateByPK struct{ *Writable }
	// UpdateMany is a root field that updates once for each of a list.
	UpdateMany struct{ *Writable }
	// DeleteRows is a root field that deletes the rows of a condition.
	DeleteRows struct{ *Writable }
	// DeleteByPK is a root field that deletes the row of a key.
	DeleteByPK struct{ *Writable }

	// AffectedRows is the field of a mutation's answer that counts rows.
	AffectedRows struct{}
	// Returning is the field of a mutation's answer that holds rows.
	Returning struct{ Table *Table }

	// Assign is an operator of an update.
	Assign struct{ Op ir.AssignOp }
	// WrittenColumn is a column that is written: an input, or its name as a value.
	WrittenColumn struct{ *resolve.Column }
	// Constraint is a constraint that a conflict is about.
	Constraint struct{ *catalog.Constraint }
)

func (InsertRows) fieldMeaning()      {}
func (InsertRow) fieldMeaning()       {}
func (UpdateRows) fieldMeaning()      {}
func (UpdateByPK) fieldMeaning()      {}
func (UpdateMany) fieldMeaning()      {}
func (DeleteRows) fieldMeaning()      {}
func (DeleteByPK) fieldMeaning()      {}
func (AffectedRows) fieldMeaning()    {}
func (Returning) fieldMeaning()       {}
func (*InsertRelation) inputMeaning() {}
func (Assign) inputMeaning()          {}
func (WrittenColumn) inputMeaning()   {}
func (WrittenColumn) valueMeaning()   {}
func (Constraint) valueMeaning()      {}

// The arguments of mutations, and the fields of their inputs.
const (
	ArgObjects       Argument = "objects"
	ArgObject        Argument = "object"
	ArgOnConflict    Argument = "on_conflict"
	ArgData          Argument = "data"
	ArgConstraint    Argument = "constraint"
	ArgMatchColumns  Argument = "match_columns"
	ArgUpdateColumns Argument = "update_columns"
	ArgKey           Argument = "pk_columns"
	ArgUpdates       Argument = "updates"
)

// insertInputs are the fields of a row to be inserted.
func (w *Writable) insertInputs() []Input {
	columns := offered(w.Insert.Columns)
	inputs := make([]Input, 0, len(columns)+len(w.InsertRelations()))
	for _, c := range columns {
		inputs = append(inputs, w.columnInput(c))
	}
	for _, r := range w.InsertRelations() {
		of := objectInsertInput
		if r.Array {
			of = arrayInsertInput
		}
		inputs = append(inputs, Input{Name: r.Name, Type: Named(r.Target.writing(of)), Meaning: r})
	}
	return w.role.orPlaceholder(inputs)
}

func (w *Writable) columnInput(c *resolve.Column) Input {
	return Input{Name: c.Field, Description: text(c.Description), Type: w.columnType(c), Meaning: WrittenColumn{c}}
}

// dataInputs are the fields of related rows to be inserted.
func (w *Writable) dataInputs(data Ref) []Input {
	return append([]Input{{Name: "data", Type: data, Meaning: ArgData}}, w.conflictInput()...)
}

// upsertInput is the upsert clause of rows that aren't related to others.
func (w *Writable) upsertInput() []Input {
	if w.Source.Dialect.Tables().Upsert != backend.IfMatched {
		return w.conflictInput()
	}
	if !w.Readable || w.Update == nil {
		return nil
	}
	return []Input{{
		Name: w.naming.field("if_matched"), Description: "upsert condition",
		Type: Named(w.writing(ifMatched)), Meaning: ArgOnConflict,
	}}
}

func (w *Writable) matchInputs() []Input {
	columns := func(argument Argument, part writePart) Input {
		return Input{Name: w.naming.field(string(argument)), Default: "[]", Meaning: argument, Type: NonNull(List(NonNull(Named(w.writing(part)))))}
	}
	return []Input{
		columns(ArgMatchColumns, matchColumn), columns(ArgUpdateColumns, updateColumn),
		{Name: "where", Type: Named(w.BoolExp()), Meaning: ArgWhere},
	}
}

// matchColumnValues are the columns that the role can read: whether a row is there is otherwise not its business.
func (w *Writable) matchColumnValues() []Value {
	var values []Value
	for i := range w.Permission.Columns {
		if c := w.Permission.Columns[i].Column; c.Field != "" && c.Scalar.Valid {
			values = append(values, Value{Name: c.Field, Description: "column name", Meaning: WrittenColumn{c}})
		}
	}
	return orPlaceholder(values)
}

// conflictInput is the upsert clause, for a table where conflicts can be.
func (w *Writable) conflictInput() []Input {
	if w.Source.Dialect.Tables().Upsert != backend.OnConflict || len(w.constraints()) == 0 {
		return nil
	}
	return []Input{{
		Name: w.naming.field("on_conflict"), Description: "upsert condition",
		Type: Named(w.writing(onConflict)), Meaning: ArgOnConflict,
	}}
}

func (w *Writable) conflictInputs() []Input {
	return []Input{
		{Name: "constraint", Type: NonNull(Named(w.writing(constraint))), Meaning: ArgConstraint},
		{
			Name: w.naming.field("update_columns"), Default: "[]", Meaning: ArgUpdateColumns,
			Type: NonNull(List(NonNull(Named(w.writing(updateColumn))))),
		},
		{Name: "where", Type: Named(w.BoolExp()), Meaning: ArgWhere},
	}
}

func (w *Writable) constraintValues() []Value {
	var values []Value
	for _, c := range w.constraints() {
		values = append(values, Value{
			Name: c.Name, Meaning: Constraint{c},
			Description: `unique or primary key constraint on columns "` + strings.Join(c.Columns, `", "`) + `"`,
		})
	}
	return values
}

func (w *Writable) updateColumnValues() []Value {
	var values []Value
	for _, c := range w.UpdatableColumns() {
		values = append(values, Value{Name: c.Field, Description: "column name", Meaning: WrittenColumn{c}})
	}
	return orPlaceholder(values)
}

// operatorInputs are the operators of an update, those that some column has.
func (w *Writable) operatorInputs() []Input {
	var inputs []Input
	for i := range updateOperators {
		o := &updateOperators[i]
		if len(w.takenBy(o)) > 0 {
			inputs = append(inputs, Input{
				Name: w.naming.field(string(o.op)), Description: o.argument,
				Type: Named(w.writing(o.part)), Meaning: Assign{o.op},
			})
		}
	}
	return inputs
}

// takenBy are the columns that an operator can change.
func (w *Writable) takenBy(o *updateOperator) []*resolve.Column {
	a := w.Source.Dialect.Tables().Assignment(o.op)
	if a == nil || a.Takes == nil || a.Parts && !w.Source.JSONPaths() {
		return nil
	}
	var list []*resolve.Column
	for _, c := range w.UpdatableColumns() {
		if c.Enum != nil && o.op != ir.AssignSet {
			continue // a value of an enum is one of its values, and nothing that can be added to
		}
		if a.Takes(c.Type, c.Scalar) {
			list = append(list, c)
		}
	}
	return list
}

// columnInputs are the columns of an operator, each with what the operator is given.
func (w *Writable) columnInputs(o *updateOperator) []Input {
	var inputs []Input
	for _, c := range w.takenBy(o) {
		in := w.columnInput(c)
		switch o.op {
		case ir.AssignDeleteKey:
			in.Type = Named(w.role.scalar("String"))
		case ir.AssignDeleteElem:
			in.Type = Named(w.role.scalar("Int"))
		case ir.AssignDeleteAtPath:
			in.Type = List(NonNull(Named(w.role.scalar("String"))))
		case ir.AssignSetAt, ir.AssignDeleteAt:
			in.Type = List(NonNull(Named(w.edit(o.op, c))))
		}
		inputs = append(inputs, in)
	}
	return inputs
}

const (
	updateWhere = "filter the rows which have to be updated"
	deleteWhere = "filter the rows which have to be deleted"
)

func (w *Writable) whereInput(description string) Input {
	return Input{Name: "where", Description: description, Type: NonNull(Named(w.BoolExp())), Meaning: ArgWhere}
}
