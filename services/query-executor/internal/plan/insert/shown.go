package insert

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/services/query-executor/internal/plan/validate"
	"queryengine/services/query-executor/internal/schema"
)

// Shown are the rows of each table that has a webhook, and what upserts set of them where that of
// updates is another question.
func (i *Tree) Shown(values [][]byte) []validate.Input {
	d := validate.Decoder{Values: values, DropUnset: i.dropUnset}
	c := inputCollector{insert: i, tables: map[catalog.Name]int{}, upserts: map[int]int{}}
	c.rows(0, validate.ListOf(d.Decode(i.rows)))
	return c.inputs
}

// inputCollector gathers the rows of an insert by table, each with the names that the
// database has for its columns and with the rows that are related to it.
type inputCollector struct {
	insert *Tree
	inputs []validate.Input
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
		if m := n.Members[name]; m.Relation == nil {
			row[n.Columns[m.Column].Name] = v
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
	if n.UpdateValidator != nil {
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
		c.inputs = append(c.inputs, validate.Input{Webhook: n.UpdateValidator})
	}
	set := map[string]any{}
	for name, v := range members {
		if m := n.Members[name]; m.Relation == nil && slices.Contains(n.OnConflict.Set, n.Columns[m.Column].Name) {
			set[name] = v
		}
	}
	c.inputs[at].Data = append(c.inputs[at].Data, UpsertShown(set))
}

// UpsertShown is what the webhook of an update permission is shown of a row that an upsert may set
// columns of: the arguments of an update. Which row that will be is the database's business.
func UpsertShown(set map[string]any) any { return map[string]any{"_set": set} }

func (c *inputCollector) related(r *Relation, data any) any {
	if r.Array {
		return c.rows(r.Node, validate.ListOf(data))
	}
	return c.row(r.Node, data)
}

// table is the index of the input of a node's table, -1 for a table without a webhook.
// Parents come before the rows that are related to them.
func (c *inputCollector) table(n *Node) int {
	if n.Validator == nil {
		return -1
	}
	at, known := c.tables[n.Table]
	if !known {
		at = len(c.inputs)
		c.tables[n.Table] = at
		c.inputs = append(c.inputs, validate.Input{Webhook: n.Validator})
	}
	return at
}
