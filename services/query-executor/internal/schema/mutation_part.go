package schema

// writePart is one of the types that a table has because it can be written to.
type writePart uint8

const (
	response writePart = iota
	insertInput
	objectInsertInput
	arrayInsertInput
	onConflict
	constraint
	updateColumn
	ifMatched
	matchColumn
	updates
	keyInput
	setInput
	incInput
	appendInput
	prependInput
	deleteKeyInput
	deleteElemInput
	deleteAtPathInput
	mergeInput
	setAtInput
	deleteAtInput
	writeParts // their number
)

// writePartNames are the ends of the names of the types.
var writePartNames = [writeParts]string{
	response:          "mutation_response",
	insertInput:       "insert_input",
	objectInsertInput: "obj_rel_insert_input",
	arrayInsertInput:  "arr_rel_insert_input",
	onConflict:        "on_conflict",
	constraint:        "constraint",
	updateColumn:      "update_column",
	ifMatched:         "if_matched",
	matchColumn:       "insert_match_column",
	updates:           "updates",
	keyInput:          "pk_columns_input",
	setInput:          "set_input",
	incInput:          "inc_input",
	appendInput:       "append_input",
	prependInput:      "prepend_input",
	deleteKeyInput:    "delete_key_input",
	deleteElemInput:   "delete_elem_input",
	deleteAtPathInput: "delete_at_path_input",
	mergeInput:        "merge_input",
	setAtInput:        "set_at_input",
	deleteAtInput:     "delete_at_input",
}

func (p writePart) kind() Kind {
	switch p {
	case response:
		return Object
	case constraint, updateColumn, matchColumn:
		return Enum
	}
	return InputObject
}

// writing is a type that the table has because it can be written to.
func (w *Writable) writing(p writePart) *Type {
	w.role.mu.Lock()
	defer w.role.mu.Unlock()
	t := w.own[p]
	if p == response {
		t = w.answer
	}
	if t != nil {
		return t
	}
	t = &Type{Name: w.naming.typeName(w.base, writePartNames[p]), Kind: p.kind(), definition: writtenPart{w, p}}
	switch {
	case p == response:
		w.answer = t
	case w.own == nil:
		w.own = map[writePart]*Type{p: t}
	default:
		w.own[p] = t
	}
	return t
}

// writtenPart is the definition of a part.
type writtenPart struct {
	*Writable
	is writePart
}

func (w writtenPart) describe() string {
	switch w.is {
	case response:
		return "response of any mutation on the table " + w.display()
	case insertInput:
		return "input type for inserting data into table " + w.display()
	case objectInsertInput:
		return "input type for inserting object relation for remote table " + w.display()
	case arrayInsertInput:
		return "input type for inserting array relation for remote table " + w.display()
	case onConflict:
		return "on_conflict condition type for table " + w.display()
	case constraint:
		return "unique or primary key constraints on table " + w.display()
	case updateColumn:
		return "update columns of table " + w.display()
	case ifMatched:
		return "upsert condition type for table " + w.display()
	case matchColumn:
		return "select match_columns of table " + w.display()
	case keyInput:
		return "primary key columns input for table: " + w.Name
	}
	for i := range updateOperators {
		if o := &updateOperators[i]; o.part == w.is {
			if o.ofTable {
				return o.input + w.display()
			}
			return o.input
		}
	}
	return ""
}

func (w writtenPart) build() content {
	switch w.is {
	case response:
		return content{fields: w.responseFields()}
	case insertInput:
		return content{inputs: w.insertInputs()}
	case objectInsertInput:
		return content{inputs: w.dataInputs(NonNull(Named(w.writing(insertInput))))}
	case arrayInsertInput:
		return content{inputs: w.dataInputs(NonNull(List(NonNull(Named(w.writing(insertInput))))))}
	case onConflict:
		return content{inputs: w.conflictInputs()}
	case constraint:
		return content{values: w.constraintValues()}
	case updateColumn:
		return content{values: w.updateColumnValues()}
	case ifMatched:
		return content{inputs: w.matchInputs()}
	case matchColumn:
		return content{values: w.matchColumnValues()}
	case updates:
		return content{inputs: append(w.operatorInputs(), w.whereInput(updateWhere))}
	case keyInput:
		return content{inputs: w.keyArguments()}
	}
	for i := range updateOperators {
		if o := &updateOperators[i]; o.part == w.is {
			return content{inputs: w.columnInputs(o)}
		}
	}
	return content{}
}
