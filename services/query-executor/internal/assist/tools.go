package assist

import (
	"encoding/json"
	"slices"

	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/validate"
)

// Document is a stored document that is a tool.
type Document struct {
	Name, Title, Description, Query string
}

// Tool describes a document that the role may run.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input"`
	Output      json.RawMessage `json:"output"`
	// ReadOnly, Destructive and Idempotent are hints, derived from the operation.
	ReadOnly    bool `json:"read_only"`
	Destructive bool `json:"destructive"`
	Idempotent  bool `json:"idempotent"`
}

// List is a page of tools.
type List struct {
	Tools []Tool `json:"tools"`
	// Next is the name after which the next page begins, empty for none.
	Next string `json:"next,omitempty"`
}

// Tools lists the tools that a role may run among documents, which are in the order of their names, from the one after a
// name on, at most limit.
func Tools(documents []Document, role *schema.Role, limits parse.Limits, after string, limit int) (List, error) {
	list := List{Tools: []Tool{}}
	for i := range documents {
		d := &documents[i]
		if d.Name <= after {
			continue
		}
		op := d.offered(role, limits)
		if op == nil {
			continue
		}
		if len(list.Tools) == limit {
			list.Next = list.Tools[limit-1].Name
			return list, nil
		}
		t, err := newTool(d, role, op)
		if err != nil {
			return list, err
		}
		list.Tools = append(list.Tools, t)
	}
	return list, nil
}

// Offers reports whether Tools lists a document of that name.
func Offers(documents []Document, role *schema.Role, limits parse.Limits, name string) bool {
	i := slices.IndexFunc(documents, func(d Document) bool { return d.Name == name })
	return i >= 0 && documents[i].offered(role, limits) != nil
}

// offered is the operation of a document, nil when the role may not run it.
func (d *Document) offered(role *schema.Role, limits parse.Limits) *parse.Operation {
	if validate.Whole(d.Query, role, limits) != "" {
		return nil
	}
	op, err := parse.Parse(d.Query, "", limits)
	if err != nil || op.Kind == parse.Subscription {
		return nil
	}
	return op
}

func newTool(d *Document, role *schema.Role, op *parse.Operation) (Tool, error) {
	t := Tool{Name: d.Name, Title: d.Title, Description: d.Description, ReadOnly: op.Kind == parse.Query && validate.Writing(role, op) == ""}
	switch {
	case op.Kind == parse.Mutation:
		t.Destructive, t.Idempotent = effects(role, op)
	case !t.ReadOnly:
		t.Destructive = true
	}
	var err error
	if t.Input, err = json.Marshal(inputOf(role, op)); err != nil {
		return t, err
	}
	t.Output, err = json.Marshal(output(role, op))
	return t, err
}

// effects are the hints of a mutation. Inserts without on_conflict, also in rows within rows, destroy nothing; a mutation of deletes
// alone changes nothing more when it is repeated.
func effects(role *schema.Role, op *parse.Operation) (destructive, idempotent bool) {
	root := role.Mutation()
	idempotent = true
	for _, s := range op.Selections {
		f, ok := s.(*parse.Field)
		if !ok {
			return true, false
		}
		if f.Name == "__typename" {
			continue
		}
		field := root.Field(f.Name)
		if field == nil {
			return true, false
		}
		switch kind := rootKind(field); kind {
		case inserts:
			idempotent = false
			destructive = destructive || overwrites(role, f.Arguments)
		case deletes:
			destructive = true
		default:
			destructive, idempotent = true, false
		}
	}
	return destructive, idempotent
}

// onConflict is the argument of inserts, and the field of rows within rows, that has them change rows that there are.
const onConflict = "on_conflict"

// overwrites reports whether an insert with these arguments may change rows that there are. Its variables may say so, too.
func overwrites(role *schema.Role, arguments []parse.Argument) bool {
	return slices.ContainsFunc(arguments, func(a parse.Argument) bool { return a.Name == onConflict || overwritesBy(role, a.Value) })
}

func overwritesBy(role *schema.Role, v parse.Value) bool {
	if v.Variable != nil {
		t := v.Variable.Type
		for t.Elem != nil {
			t = *t.Elem
		}
		return leadsToConflict(role.Named(t.Name), map[*schema.Type]bool{})
	}
	return overwrites(role, v.Fields) || slices.ContainsFunc(v.Items, func(item parse.Value) bool { return overwritesBy(role, item) })
}

func leadsToConflict(t *schema.Type, seen map[*schema.Type]bool) bool {
	if t == nil || t.Kind != schema.InputObject || seen[t] {
		return false
	}
	seen[t] = true
	return slices.ContainsFunc(t.Inputs(), func(i schema.Input) bool { return i.Name == onConflict || leadsToConflict(i.Type.Named, seen) })
}

type effect int

const (
	other effect = iota
	inserts
	deletes
)

func rootKind(f *schema.Field) effect {
	switch f.Meaning.(type) {
	case schema.InsertRows, schema.InsertRow:
		return inserts
	case schema.DeleteRows, schema.DeleteByPK:
		return deletes
	}
	return other
}
