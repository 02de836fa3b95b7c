package command

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"queryengine/pkg/config"
)

// table is a table of PostgreSQL.
type table struct {
	Name   string `json:"name"`
	Schema string `json:"schema"`
}

// sampleTable is one of the sample's.
var sampleTable = table{"albums", "public"}

// useTables tracks all tables of the database, if that is asked for, and gives a first query on what is tracked, and a hint at
// what isn't.
func (sh *Shell) useTables(ctx context.Context, v *config.Values, trackAll bool) (query, hint string, err error) {
	c := selfClient(v)
	tracked, untracked, err := c.tables(ctx)
	if err != nil {
		return "", "", err
	}
	if trackAll && len(untracked) > 0 {
		if err := c.trackAll(ctx, untracked); err != nil {
			return "", "", fmt.Errorf("tracking all tables: %w", err)
		}
		if tracked, untracked, err = c.tables(ctx); err != nil {
			return "", "", err
		}
	}
	switch n := len(untracked); {
	case n == 1:
		hint = "1 table of the database isn't tracked, so the API doesn't have it. "
	case n > 1:
		hint = fmt.Sprintf("%d tables of the database aren't tracked, so the API doesn't have them. ", n)
	}
	switch {
	case hint == "":
	case trackAll:
		hint += "Track them under a custom_name.\n\n"
	case config.EnableConsole.Get(v):
		hint += "Track them at " + address(v) + "/console, Data, or start with " + trackAllOption + ".\n\n"
	default:
		hint += "Track them with pg_track_tables, or start with " + trackAllOption + ".\n\n"
	}
	if len(tracked) == 0 || slices.Contains(tracked, sampleTable) {
		return sampleQuery, hint, nil
	}
	return c.firstQuery(ctx, tracked[0]), hint, nil
}

// tables are those of the source of dev, by whether they are tracked; none where the metadata has no such source, or it can't be read.
func (c client) tables(ctx context.Context) (tracked, untracked []table, err error) {
	if err := c.await(ctx, "/healthz"); err != nil {
		return nil, nil, err
	}
	sources, err := c.sources(ctx)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(sources, func(s source) bool { return s.Name == sampleSource })
	if i < 0 {
		return nil, nil, nil
	}
	for _, raw := range sources[i].Tables {
		var t struct{ Table table }
		if json.Unmarshal(raw, &t) == nil {
			tracked = append(tracked, t.Table)
		}
	}
	var lists [][]table
	if err := c.bulk(ctx, []metadataCommand{{"pg_get_source_tables", map[string]any{"source": sampleSource}}}, &lists); err != nil || len(lists) == 0 {
		return tracked, nil, nil //nolint:nilerr // the start says what is wrong with a source
	}
	for _, t := range lists[0] {
		if !slices.Contains(tracked, t) {
			untracked = append(untracked, t)
		}
	}
	return tracked, untracked, nil
}

// trackAll tracks tables, and relates them by their foreign keys. What can't be tracked is left out.
func (c client) trackAll(ctx context.Context, list []table) error {
	var tables []map[string]any
	for _, t := range list {
		tables = append(tables, map[string]any{"source": sampleSource, "table": t})
	}
	if err := c.bulk(ctx, []metadataCommand{{"pg_track_tables", map[string]any{"tables": tables}}}, nil); err != nil {
		return err
	}
	var suggested []struct {
		Relationships []suggestion `json:"relationships"`
	}
	if err := c.bulk(ctx, []metadataCommand{{"pg_suggest_relationships", map[string]any{"source": sampleSource, "omit_tracked": true}}}, &suggested); err != nil {
		return err
	}
	wanted := suggested[0].Relationships
	for attempt := range 3 {
		var commands []metadataCommand
		for _, s := range wanted {
			commands = append(commands, s.command(attempt))
		}
		body, err := json.Marshal(map[string]any{"type": "bulk_keep_going", "args": commands})
		if err != nil {
			return err
		}
		answer, err := c.metadata(ctx, body)
		if err != nil {
			return err
		}
		var results []struct{ Error string }
		if err := json.Unmarshal(answer, &results); err != nil {
			return err
		}
		var failed []suggestion
		for i, r := range results {
			if r.Error != "" {
				failed = append(failed, wanted[i])
			}
		}
		wanted = failed
	}
	return nil
}

// suggestion is a relationship that a foreign key allows for.
type suggestion struct {
	Type     string
	From, To suggestedSide
}

type suggestedSide struct {
	Table      table
	Columns    []string
	Constraint string `json:"constraint_name"` // where the key is
}

// command makes the relationship, under the name of an attempt: others may be taken.
func (s suggestion) command(attempt int) metadataCommand {
	columns, using := s.From.Columns, any(s.From.Columns)
	if s.From.Constraint == "" {
		columns, using = s.To.Columns, map[string]any{"table": s.To.Table, "columns": s.To.Columns}
	}
	names := []string{s.To.Table.Name, s.To.Table.Name, s.To.Table.Name + "_by_" + strings.Join(columns, "_")}
	if short, ok := strings.CutSuffix(columns[0], "_id"); ok && len(columns) == 1 && s.From.Constraint != "" {
		names[0] = short
	}
	return metadataCommand{"pg_create_" + s.Type + "_relationship", map[string]any{
		"source": sampleSource, "table": s.From.Table, "name": names[attempt], "using": map[string]any{"foreign_key_constraint_on": using},
	}}
}

// firstQuery reads a few rows of a table, as it is called without a name of its own.
func (c client) firstQuery(ctx context.Context, t table) string {
	var found []struct{ Columns []struct{ Name string } }
	err := c.bulk(ctx, []metadataCommand{{"pg_get_table_info", map[string]any{"source": sampleSource, "table": t}}}, &found)
	if err != nil || len(found) == 0 || len(found[0].Columns) == 0 {
		return "{ __typename }"
	}
	name := t.Name
	if t.Schema != "public" {
		name = t.Schema + "_" + name
	}
	return fmt.Sprintf("{ %s(limit: 5) { %s } }", name, found[0].Columns[0].Name)
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
