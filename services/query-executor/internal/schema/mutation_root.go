package schema

import (
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// buildMutation makes the mutation root.
func (r *Role) buildMutation() content {
	namespace := "mutation_frontend"
	if r.options.BackendOnly {
		namespace = "mutation_backend"
	}
	fields := r.rootFields(namespace, func(s *resolve.Source) []Field {
		var fields []Field
		for _, t := range s.Tables {
			if w := r.Writable(t); w != nil {
				fields = append(fields, w.writeFields()...)
			}
		}
		for _, f := range s.Functions {
			if seen := r.Table(f.Returns); seen != nil && f.Mutation && r.allowed(f) {
				fields = append(fields, seen.functionField(f))
			}
		}
		return fields
	})
	fields = append(fields, r.actionFields(metadata.ActionMutation)...)
	return content{fields: append(fields, r.remoteRoots(remoteMutation)...)}
}

// writeFields are the root fields that write to a table.
func (w *Writable) writeFields() []Field {
	roots := w.RootFields
	fields := make([]Field, 0, 7)
	add := func(root *resolve.RootField, of Ref, means FieldMeaning, a args) {
		fields = append(fields, Field{Name: root.Name, Type: of, Meaning: means, doc: (*rootDoc)(root), args: a})
	}
	rows, row := Named(w.writing(response)), Named(w.Type())
	if w.Insert != nil {
		add(&roots.Insert, rows, InsertRows{w}, (*insertArgs)(w))
		if w.Readable {
			add(&roots.InsertOne, row, InsertRow{w}, (*insertOneArgs)(w))
		}
	}
	if w.Update != nil {
		add(&roots.Update, rows, UpdateRows{w}, (*updateArgs)(w))
		if w.ReadsPrimaryKey() {
			add(&roots.UpdateByPK, row, UpdateByPK{w}, (*updateByPKArgs)(w))
		}
		if !w.role.options.HideUpdateManyFields {
			add(&roots.UpdateMany, List(rows), UpdateMany{w}, (*updateManyArgs)(w))
		}
	}
	if w.Delete != nil {
		add(&roots.Delete, rows, DeleteRows{w}, (*deleteArgs)(w))
		if w.ReadsPrimaryKey() {
			add(&roots.DeleteByPK, row, DeleteByPK{w}, (*keyArgs)(w.Table))
		}
	}
	return fields
}

// responseFields are the fields of a mutation's answer.
func (w *Writable) responseFields() []Field {
	fields := []Field{{
		Name: w.naming.field("affected_rows"), Type: NonNull(Named(w.role.scalar("Int"))), Meaning: AffectedRows{},
		doc: words("number of rows affected by the mutation"),
	}}
	if w.Readable && len(w.Type().Fields()) > 0 {
		fields = append(fields, Field{
			Name: "returning", Type: w.listType(), Meaning: Returning{w.Table},
			doc: words("data from the rows affected by the mutation"),
		})
	}
	return fields
}

// Response is the type of the answer of a mutation.
func (w *Writable) Response() *Type { return w.writing(response) }

// InsertInput is the type of rows to be inserted.
func (w *Writable) InsertInput() *Type { return w.writing(insertInput) }

// The arguments of the root fields.
type (
	insertArgs     Writable
	insertOneArgs  Writable
	updateArgs     Writable
	updateByPKArgs Writable
	updateManyArgs Writable
	deleteArgs     Writable
)

func (a *insertArgs) inputs() []Input {
	w := (*Writable)(a)
	return append([]Input{{
		Name: "objects", Description: "the rows to be inserted", Meaning: ArgObjects,
		Type: NonNull(List(NonNull(Named(w.writing(insertInput))))),
	}}, w.upsertInput()...)
}

func (a *insertOneArgs) inputs() []Input {
	w := (*Writable)(a)
	return append([]Input{{
		Name: "object", Description: "the row to be inserted", Meaning: ArgObject,
		Type: NonNull(Named(w.writing(insertInput))),
	}}, w.upsertInput()...)
}

func (a *updateArgs) inputs() []Input {
	w := (*Writable)(a)
	return append(w.operatorInputs(), w.whereInput(updateWhere))
}

func (a *updateByPKArgs) inputs() []Input {
	w := (*Writable)(a)
	return append(w.operatorInputs(), Input{
		Name: w.naming.field("pk_columns"), Type: NonNull(Named(w.writing(keyInput))), Meaning: ArgKey,
	})
}

func (a *updateManyArgs) inputs() []Input {
	w := (*Writable)(a)
	return []Input{{
		Name: "updates", Description: "updates to execute, in order", Meaning: ArgUpdates,
		Type: NonNull(List(NonNull(Named(w.writing(updates))))),
	}}
}

func (a *deleteArgs) inputs() []Input {
	return []Input{(*Writable)(a).whereInput(deleteWhere)}
}
