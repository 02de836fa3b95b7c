package resolve

import (
	"fmt"

	"queryengine/pkg/metadata"
)

// RootFields are the root fields that a table may have, whatever a role is allowed.
type RootFields struct {
	Select, SelectByPK, SelectAggregate, SelectStream RootField
	SelectGroups                                      RootField
	Insert, InsertOne                                 RootField
	Update, UpdateByPK, UpdateMany                    RootField
	Delete, DeleteByPK                                RootField
}

// RootField is one root field after all customisation.
type RootField struct {
	Name string
	// comment takes the place of the generated description; "" removes it.
	comment *string
	text    string // the generated description, with a verb for of
	of      string
}

// Description is the text for the schema, nil for none.
func (f RootField) Description() *string {
	if f.comment == nil {
		s := fmt.Sprintf(f.text, f.of)
		return &s
	}
	if *f.comment == "" {
		return nil
	}
	return f.comment
}

// rootFields names the root fields of a table.
func (h *head) rootFields(base identifier, display string, custom map[string]metadata.CustomRootField) *RootFields {
	field := func(key, before, after, text string) RootField {
		f := RootField{text: text, of: display}
		c, ok := custom[key]
		if ok {
			f.comment = c.Comment
		}
		if f.Name = c.Name; f.Name == "" {
			f.Name = h.convention.field(before, base, after)
		}
		f.Name = h.wrapRoot(f.Name)
		return f
	}
	return &RootFields{
		Select:          field("select", "", "", "fetch data from the table: %q"),
		SelectByPK:      field("select_by_pk", "", "by_pk", "fetch data from the table: %q using primary key columns"),
		SelectAggregate: field("select_aggregate", "", "aggregate", "fetch aggregated fields from the table: %q"),
		SelectStream:    field("select_stream", "", "stream", "fetch data from the table in a streaming manner: %q"),
		SelectGroups:    field("select_groups", "", "groups", "fetch groups of rows of the table: %q"),
		Insert:          field("insert", "insert", "", "insert data into the table: %q"),
		InsertOne:       field("insert_one", "insert", "one", "insert a single row into the table: %q"),
		Update:          field("update", "update", "", "update data of the table: %q"),
		UpdateByPK:      field("update_by_pk", "update", "by_pk", "update single row of the table: %q"),
		UpdateMany:      field("update_many", "update", "many", "update multiples rows of table: %q"),
		Delete:          field("delete", "delete", "", "delete data from the table: %q"),
		DeleteByPK:      field("delete_by_pk", "delete", "by_pk", "delete single row from the table: %q"),
	}
}

// queryFields is how many of all belong to the roots of queries and subscriptions.
const queryFields = 5

// all lists the root fields; those of queries and subscriptions come first.
func (r *RootFields) all() [12]*RootField {
	return [...]*RootField{
		&r.Select, &r.SelectByPK, &r.SelectAggregate, &r.SelectStream, &r.SelectGroups,
		&r.Insert, &r.InsertOne, &r.Update, &r.UpdateByPK, &r.UpdateMany, &r.Delete, &r.DeleteByPK,
	}
}
