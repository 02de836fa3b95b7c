package schema

import (
	"sync"

	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// Writable is a table that a role may write to.
type Writable struct {
	// Table is the table as the role reads it. A role that may not read it has one that
	// shows nothing.
	*Table
	Readable bool
	// Insert, Update and Delete are what the role may do, nil for nothing.
	Insert *resolve.InsertPermission
	Update *resolve.UpdatePermission
	Delete *resolve.DeletePermission

	found     sync.Once
	relations []*InsertRelation

	// answer is the type of what writing answers, own are the types that few use of the many
	// that belong to writing. They are made on first use; role.mu guards them.
	answer *Type
	own    map[writePart]*Type
}

// Writable is t as the role may write to it, or nil when it may not.
func (r *Role) Writable(t *resolve.Table) *Writable {
	if r.hides(t) {
		return nil
	}
	r.mu.Lock()
	w, known := r.writables[t]
	r.mu.Unlock()
	if known {
		return w
	}
	w = r.newWritable(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	if other, known := r.writables[t]; known {
		return other
	}
	r.writables[t] = w
	return w
}

func (r *Role) newWritable(t *resolve.Table) *Writable {
	w := &Writable{}
	if p := t.InsertPermission(r.Name); p != nil && (!p.BackendOnly || r.options.BackendOnly) {
		w.Insert = p
	}
	if p := t.UpdatePermission(r.Name); p != nil && (!p.BackendOnly || r.options.BackendOnly) {
		w.Update = p
	}
	if p := t.DeletePermission(r.Name); p != nil && (!p.BackendOnly || r.options.BackendOnly) {
		w.Delete = p
	}
	if w.Insert == nil && w.Update == nil && w.Delete == nil || !metadata.KindNamed(t.Source.Kind).Can(metadata.Mutations) {
		return nil
	}
	if w.Table = r.Table(t); w.Table != nil {
		w.Readable = true
		return w
	}
	w.Table = newTable(r, t, &resolve.SelectPermission{})
	w.Table.found.Do(func() {}) // its conditions lead nowhere
	return w
}

// BoolExp is the type of conditions on rows of the table.
func (t *Table) BoolExp() *Type { return t.part(boolExp) }

// InsertRelation is a relationship whose rows may be inserted along with the parent's.
type InsertRelation struct {
	*resolve.Relationship
	Target *Writable
}

// InsertRelations are the relationships to tables that the role may insert into.
func (w *Writable) InsertRelations() []*InsertRelation {
	w.found.Do(func() {
		for _, r := range w.Relationships {
			if target := w.role.Writable(r.Target); target != nil && target.Insert != nil {
				w.relations = append(w.relations, &InsertRelation{Relationship: r, Target: target})
			}
		}
	})
	return w.relations
}

// UpdatableColumns are the columns that the role may change, by the client's values.
func (w *Writable) UpdatableColumns() []*resolve.Column {
	if w.Update == nil {
		return nil
	}
	return offered(w.Update.Columns)
}

// offered are the columns that have a place in the schema.
func offered(columns []*resolve.Column) []*resolve.Column {
	list := make([]*resolve.Column, 0, len(columns))
	for _, c := range columns {
		if c.Field != "" && c.Scalar.Valid {
			list = append(list, c)
		}
	}
	return list
}

// constraints are the possible conflict targets.
func (w *Writable) constraints() []*catalog.Constraint {
	var list []*catalog.Constraint
	if key := w.Catalog.PrimaryKey; key != nil && !key.Deferrable && gqlname.Definable(key.Name) {
		list = append(list, key)
	}
	for i := range w.Catalog.Uniques {
		if u := &w.Catalog.Uniques[i]; !u.Deferrable && gqlname.Definable(u.Name) {
			list = append(list, u)
		}
	}
	return list
}

// updateOperator is a way to change columns, in the words of schemas. Which columns it takes is for
// the dialect to say.
type updateOperator struct {
	op   ir.AssignOp
	part writePart
	// argument and input are the descriptions of the argument and of its type; of table reports whether
	// the latter ends with the table.
	argument, input string
	ofTable         bool
}

const (
	jsonAppend       = "append existing jsonb value of filtered columns with new jsonb value"
	jsonPrepend      = "prepend existing jsonb value of filtered columns with new jsonb value"
	jsonDeleteKey    = "delete key/value pair or string element. key/value pairs are matched based on their key value"
	jsonDeleteElem   = "delete the array element with specified index (negative integers count from the end). throws an error if top level container is not an array"
	jsonDeleteAtPath = "delete the field or element with specified path (for JSON arrays, negative integers count from the end)"
	jsonMerge        = "merge objects into JSON columns at every level; null removes a key (RFC 7396)"
	jsonSetAt        = "set parts of JSON columns, and make the objects that lead to them"
	jsonDeleteAt     = "delete parts of JSON columns"
)

var updateOperators = [...]updateOperator{
	{ir.AssignSet, setInput, "sets the columns of the filtered rows to the given values", "input type for updating data in table ", true},
	{ir.AssignInc, incInput, "increments the numeric columns with given value of the filtered values", "input type for incrementing numeric columns in table ", true},
	{ir.AssignAppend, appendInput, jsonAppend, jsonAppend, false},
	{ir.AssignPrepend, prependInput, jsonPrepend, jsonPrepend, false},
	{ir.AssignDeleteKey, deleteKeyInput, jsonDeleteKey, jsonDeleteKey, false},
	{ir.AssignDeleteElem, deleteElemInput, jsonDeleteElem, jsonDeleteElem, false},
	{ir.AssignDeleteAtPath, deleteAtPathInput, jsonDeleteAtPath, jsonDeleteAtPath, false},
	{ir.AssignMerge, mergeInput, jsonMerge, jsonMerge, false},
	{ir.AssignSetAt, setAtInput, jsonSetAt, jsonSetAt, false},
	{ir.AssignDeleteAt, deleteAtInput, jsonDeleteAt, jsonDeleteAt, false},
}
