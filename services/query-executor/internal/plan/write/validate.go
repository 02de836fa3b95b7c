package write

import (
	"bytes"
	"encoding/json"
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// Input is what the webhook of a permission is asked about: all that a root field wants to
// write to a table.
type Input struct {
	Webhook *metadata.ValidateInputWebhook
	// Data encode to JSON.
	Data []any
}

// validation is what a root field without rows of its own shows to the webhook of its table.
type validation struct {
	webhook   *metadata.ValidateInputWebhook
	arguments []parse.Argument
	// show makes the data of the arguments.
	show func(arguments map[string]any) []any
}

// validate notes that a webhook has to be asked about the arguments of a root field.
func (w *Write) validate(webhook *metadata.ValidateInputWebhook, s *walk.Selected, show func(map[string]any) []any) {
	if webhook != nil {
		w.validation = &validation{webhook: webhook, arguments: s.Arguments, show: show}
	}
}

// The ways of showing arguments: all of them in one element, those of update_many as the list
// that they hold, those of a deletion by its key below the name that updates have for it.
func showArguments(arguments map[string]any) []any { return []any{arguments} }

func showKey(arguments map[string]any) []any {
	return []any{map[string]any{string(schema.ArgKey): arguments}}
}

func showUpdates(arguments map[string]any) []any {
	for _, updates := range arguments { // its only argument
		return listOf(updates)
	}
	return nil
}

// listOf is v as a list; a single value stands for a list of one.
func listOf(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// Validated says whether a webhook has to be asked before the field is run.
func (w *Write) Validated() bool {
	if w.Insert == nil {
		return w.validation != nil
	}
	for _, n := range w.Insert.Nodes {
		if n.validator != nil || n.updateValidator != nil {
			return true
		}
	}
	return false
}

// Inputs are what webhooks are asked about, for these values of the variables, in the order
// in which they are asked. They are made after the values were found to be good.
func (w *Write) Inputs(values [][]byte) []Input {
	if w.Insert != nil {
		return w.Insert.inputs(values)
	}
	if w.validation == nil || !w.writes() {
		return nil
	}
	d := inputDecoder{values: values, dropUnset: w.dropUnset}
	arguments := make(map[string]any, len(w.validation.arguments))
	for i := range w.validation.arguments {
		a := &w.validation.arguments[i]
		if !d.unset(&a.Value) {
			arguments[a.Name] = d.decode(&a.Value)
		}
	}
	return []Input{{Webhook: w.validation.webhook, Data: w.validation.show(arguments)}}
}

// writes says whether some step is a statement.
func (w *Write) writes() bool {
	for i := range w.Steps {
		if w.Steps[i].Mutation != nil {
			return true
		}
	}
	return false
}

// inputs are the rows of each table that has a webhook, and what upserts set of them where that of
// updates is another question.
func (i *Insert) inputs(values [][]byte) []Input {
	d := inputDecoder{values: values, dropUnset: i.dropUnset}
	c := inputCollector{insert: i, tables: map[catalog.Name]int{}, upserts: map[int]int{}}
	c.rows(0, listOf(d.decode(i.rows)))
	return c.inputs
}

// inputCollector gathers the rows of an insert by table, each with the names that the
// database has for its columns and with the rows that are related to it.
type inputCollector struct {
	insert *Insert
	inputs []Input
	tables map[catalog.Name]int // indexes into inputs
	// upserts are those of nodes with an upsert clause.
	upserts map[int]int
}

func (c *inputCollector) rows(node int, given []any) []any {
	rows := make([]any, len(given))
	for i, row := range given {
		rows[i] = c.row(node, row)
	}
	return rows
}

func (c *inputCollector) row(node int, given any) any {
	n := c.insert.Nodes[node]
	at := c.table(n)
	members, _ := given.(map[string]any)
	row := make(map[string]any, len(members))
	for name, v := range members {
		if m := n.members[name]; m.relation == nil {
			row[n.Columns[m.column].Name] = v
		}
	}
	for _, r := range n.Relations {
		if related, ok := members[r.Name].(map[string]any); ok && row[r.Name] == nil {
			row[r.Name] = map[string]any{string(schema.ArgData): c.related(r, related[string(schema.ArgData)])}
		}
	}
	if at >= 0 {
		c.inputs[at].Data = append(c.inputs[at].Data, row)
	}
	if n.updateValidator != nil {
		c.upsert(node, members)
	}
	return row
}

// upsert adds what a row sets, under the names that updates have for its columns.
func (c *inputCollector) upsert(node int, members map[string]any) {
	n := c.insert.Nodes[node]
	at, known := c.upserts[node]
	if !known {
		at = len(c.inputs)
		c.upserts[node] = at
		c.inputs = append(c.inputs, Input{Webhook: n.updateValidator})
	}
	set := map[string]any{}
	for name, v := range members {
		if m := n.members[name]; m.relation == nil && slices.Contains(n.OnConflict.Set, n.Columns[m.column].Name) {
			set[name] = v
		}
	}
	c.inputs[at].Data = append(c.inputs[at].Data, UpsertShown(set))
}

// UpsertShown is what the webhook of an update permission is shown of a row that an upsert may set
// columns of: the arguments of an update. Which row that will be is the database's business.
func UpsertShown(set map[string]any) any { return map[string]any{"_set": set} }

func (c *inputCollector) related(r *InsertRelation, data any) any {
	if r.Array {
		return c.rows(r.Node, listOf(data))
	}
	return c.row(r.Node, data)
}

// table is the index of the input of a node's table, -1 for a table without a webhook.
// Parents come before the rows that are related to them.
func (c *inputCollector) table(n *InsertNode) int {
	if n.validator == nil {
		return -1
	}
	at, known := c.tables[n.Table]
	if !known {
		at = len(c.inputs)
		c.tables[n.Table] = at
		c.inputs = append(c.inputs, Input{Webhook: n.validator})
	}
	return at
}

// inputDecoder makes Go values of what a request gives. A key that is given twice counts the
// last time, for the webhook as for the statement.
type inputDecoder struct {
	values    [][]byte
	dropUnset bool
}

// unset says that v is a variable without a value that counts as not given.
func (d inputDecoder) unset(v *parse.Value) bool {
	return d.dropUnset && v.Kind == parse.VariableUse && d.values[v.Variable.Index] == nil
}

func (d inputDecoder) decode(v *parse.Value) any {
	switch v.Kind {
	case parse.Boolean:
		return v.Text == "true"
	case parse.Int, parse.Float:
		return json.Number(v.Text)
	case parse.String, parse.Enum:
		return v.Text
	case parse.List:
		list := make([]any, len(v.Items))
		for i := range v.Items {
			list[i] = d.decode(&v.Items[i])
		}
		return list
	case parse.Object:
		object := make(map[string]any, len(v.Fields))
		for i := range v.Fields {
			if f := &v.Fields[i]; !d.unset(&f.Value) {
				object[f.Name] = d.decode(&f.Value)
			}
		}
		return object
	case parse.VariableUse:
		return decodeJSON(d.values[v.Variable.Index])
	}
	return nil
}

// decodeJSON keeps numbers as they are spelt. What is no JSON can't come from a request,
// whose body was parsed.
func decodeJSON(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return nil
	}
	return v
}
