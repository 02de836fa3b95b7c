package command

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
)

// tracker tracks tables of one source, of any kind.
type tracker struct {
	// send makes a request of the metadata API.
	send   func(ctx context.Context, name string, args any) (json.RawMessage, error)
	source string
	prefix string // of the operations of the source's kind
}

// metadataCommand is a request of the metadata API.
type metadataCommand struct {
	Type string         `json:"type"`
	Args map[string]any `json:"args"`
}

// command is a request about the source.
func (t tracker) command(name string, args map[string]any) metadataCommand {
	args["source"] = t.source
	return metadataCommand{t.prefix + "_" + name, args}
}

// ask makes a request about the source, and reads its answer.
func (t tracker) ask(ctx context.Context, name string, args map[string]any, answer any) error {
	c := t.command(name, args)
	raw, err := t.send(ctx, c.Type, c.Args)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, answer)
}

// tables lists the tables that may be tracked, sorted by name.
func (t tracker) tables(ctx context.Context) (list []catalog.Name, err error) {
	return list, t.ask(ctx, "get_source_tables", map[string]any{}, &list)
}

// track tracks tables, and returns how many weren't before. What can't be tracked is left out, with a line that says why; so are
// tables that would have no root fields.
func (t tracker) track(ctx context.Context, list []catalog.Name) (tracked int, left []string, err error) {
	var commands []metadataCommand
	var names []string
	for _, name := range list {
		text := name.Display("")
		if !gqlname.Valid(name.Name) || name.Schema != "" && !gqlname.Valid(name.Schema) {
			left = append(left, fmt.Sprintf("not tracked: %q is no name in GraphQL; track it with a custom_name", text))
			continue
		}
		commands = append(commands, t.command("track_table", map[string]any{"table": tableArgument(name)}))
		names = append(names, text)
	}
	results, err := t.each(ctx, commands)
	for i, r := range results {
		switch {
		case r.Error == "":
			tracked++
		case r.Code != string(apierror.AlreadyTracked):
			left = append(left, fmt.Sprintf("not tracked: %s: %s", names[i], r.Error))
		}
	}
	return tracked, left, err
}

// result is what became of one of several requests.
type result struct{ Error, Code string }

// each makes requests of which some may fail.
func (t tracker) each(ctx context.Context, commands []metadataCommand) (results []result, err error) {
	if len(commands) == 0 {
		return nil, nil
	}
	raw, err := t.send(ctx, "bulk_keep_going", commands)
	if err != nil {
		return nil, err
	}
	return results, json.Unmarshal(raw, &results)
}

// tableArgument is a name as an argument: without a schema a bare one.
func tableArgument(name catalog.Name) any {
	if name.Schema == "" {
		return name.Name
	}
	return name
}

// suggestion is a relationship that a foreign key allows for.
type suggestion struct {
	Type     string
	From, To suggestedSide
}

type suggestedSide struct {
	Table      catalog.Name
	Columns    []string
	Constraint string `json:"constraint_name"` // on the side that has the foreign key
}

// relate creates the relationships that foreign keys between tracked tables allow for, those of some tables or, when these are
// nil, of all. It returns how many there are now that weren't before, and a line for each that has no name.
func (t tracker) relate(ctx context.Context, tables []catalog.Name) (made int, left []string, err error) {
	args := map[string]any{"omit_tracked": true}
	if tables != nil {
		args["tables"] = tables
	}
	var suggested struct{ Relationships []suggestion }
	if err := t.ask(ctx, "suggest_relationships", args, &suggested); err != nil {
		return 0, nil, err
	}
	wanted := suggested.Relationships
	for attempt := 0; len(wanted) > 0 && attempt < len(suggestion{}.names()); attempt++ {
		var commands []metadataCommand
		var tried, failed []suggestion
		for _, s := range wanted {
			if name := s.names()[attempt]; gqlname.Valid(name) {
				commands, tried = append(commands, t.relationship(s, name)), append(tried, s)
			} else {
				failed = append(failed, s)
			}
		}
		results, err := t.each(ctx, commands)
		if err != nil {
			return made, nil, err
		}
		for i, r := range results {
			if r.Error != "" {
				failed = append(failed, tried[i])
			} else {
				made++
			}
		}
		wanted = failed
	}
	for _, s := range wanted {
		left = append(left, fmt.Sprintf("not created: the %s relationship of %s to %s: its names are taken, or no names in GraphQL",
			s.Type, s.From.Table.Display(""), s.To.Table.Display("")))
	}
	return made, left, nil
}

// names are those to try in turn: others may be taken by columns or other relationships.
func (s suggestion) names() [4]string {
	columns, table := s.To.Columns, s.To.Table.Name
	if s.From.Constraint != "" {
		columns = s.From.Columns
	}
	by := strings.Join(columns, "_")
	names := [4]string{table, table, table + "_by_" + by, table + "_list_by_" + by}
	if s.From.Constraint != "" {
		names[3] = by + "_" + table
		if short, ok := strings.CutSuffix(by, "_id"); ok && len(columns) == 1 {
			names[0] = short
		}
	}
	return names
}

func (t tracker) relationship(s suggestion, name string) metadataCommand {
	using := any(s.From.Columns)
	if s.From.Constraint == "" {
		using = map[string]any{"table": s.To.Table, "columns": s.To.Columns}
	}
	return t.command("create_"+s.Type+"_relationship", map[string]any{
		"table": s.From.Table, "name": name, "using": map[string]any{"foreign_key_constraint_on": using},
	})
}

// nothing is a query that any schema answers.
const nothing = "{ __typename }"

// firstQuery reads a few rows of a table, as it is called without a name of its own.
func (t tracker) firstQuery(ctx context.Context, table catalog.Name, defaultSchema string) string {
	var found struct{ Columns []struct{ Name string } }
	if t.ask(ctx, "get_table_info", map[string]any{"table": tableArgument(table)}, &found) != nil {
		return nothing
	}
	name := strings.ReplaceAll(table.Display(defaultSchema), ".", "_")
	for _, c := range found.Columns {
		if gqlname.Valid(c.Name) && gqlname.Valid(name) {
			return fmt.Sprintf("{ %s(limit: 5) { %s } }", name, c.Name)
		}
	}
	return nothing
}

// answers reports whether a query has an answer without errors.
func (c client) answers(ctx context.Context, query string) bool {
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return false
	}
	answer, err := c.do(ctx, http.MethodPost, "/v1/graphql", body)
	var result struct{ Data map[string]any }
	return err == nil && json.Unmarshal(answer, &result) == nil && result.Data != nil
}

// trackedTables are the tables of a source in the metadata; ok is false where there is no such source.
func trackedTables(sources []source, name string) (tracked []catalog.Name, ok bool) {
	i := slices.IndexFunc(sources, func(s source) bool { return s.Name == name })
	if i < 0 {
		return nil, false
	}
	for _, raw := range sources[i].Tables {
		var t struct{ Table catalog.Name }
		if json.Unmarshal(raw, &t) == nil {
			tracked = append(tracked, t.Table)
		}
	}
	return tracked, true
}

// without are the names of a list that another one doesn't have.
func without(list, other []catalog.Name) []catalog.Name {
	return slices.DeleteFunc(slices.Clone(list), func(n catalog.Name) bool { return slices.Contains(other, n) })
}
