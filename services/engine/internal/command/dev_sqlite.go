package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"queryengine/pkg/completion"
	"queryengine/pkg/config"
	"queryengine/pkg/gqlname"
)

// The options of dev besides settings, and the name of the source that a file becomes.
const (
	sqliteOption   = "--sqlite"
	sampleOption   = "--sample"
	trackAllOption = "--track-all"
	sqliteSource   = "sqlite"
)

// devOptions are those of a command line.
type devOptions struct {
	file             string // of SQLite, "" for none
	sample, trackAll bool
}

// takeDevOptions takes the options off the arguments of dev.
func takeDevOptions(args []string) (o devOptions, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		value, given := strings.CutPrefix(args[i], sqliteOption+"=")
		switch {
		case args[i] == sampleOption:
			o.sample = true
			continue
		case args[i] == trackAllOption:
			o.trackAll = true
			continue
		case args[i] == sqliteOption && i+1 < len(args):
			i++
			value = args[i]
		case args[i] == sqliteOption:
			return o, nil, errors.New(sqliteOption + " needs the path of a file")
		case !given:
			rest = append(rest, args[i])
			continue
		}
		if o.file, err = filepath.Abs(value); err != nil || value == "" {
			return o, nil, errors.Join(errors.New(sqliteOption+" needs the path of a file"), err)
		}
	}
	return o, rest, nil
}

// optionsOfDev are those of settings, and its own.
func optionsOfDev(settings []completion.Option) []completion.Option {
	return append(slices.Clone(settings),
		completion.Option{Name: sqliteOption, Help: "file of SQLite whose tables are tracked, in place of the sample"},
		completion.Option{Name: sampleOption, Switch: true, Help: "load the sample into a database that has other schemas with tables"},
		completion.Option{Name: trackAllOption, Switch: true, Help: "track all tables of the database, with relationships by their foreign keys"})
}

// useSQLite has the server use a file of SQLite. The first time, all of its tables are tracked, with
// relationships by their foreign keys; what the user does after that stays. It gives a first query.
func (sh *Shell) useSQLite(ctx context.Context, v *config.Values, file string) (query string, err error) {
	c := selfClient(v)
	if err := c.await(ctx, "/healthz"); err != nil {
		return "", err
	}
	sources, err := c.sources(ctx)
	if err != nil {
		return "", err
	}
	if err := c.addSQLite(ctx, file); err != nil {
		return "", fmt.Errorf("opening %s: %w", file, err)
	}
	tables, err := c.sqliteTables(ctx)
	if err != nil {
		return "", err
	}
	if i := slices.IndexFunc(sources, func(s source) bool { return s.Name == sqliteSource }); i < 0 || len(sources[i].Tables) == 0 {
		for _, t := range tables {
			if !gqlname.Valid(t.Name.Name) {
				fmt.Fprintf(sh.Out, "not tracked: %q is no name in GraphQL; track it with a custom_name\n", t.Name.Name)
			}
		}
		if err := c.bulk(ctx, trackingOf(tables), nil); err != nil {
			return "", fmt.Errorf("tracking the tables of %s: %w", file, err)
		}
	}
	return firstQuery(tables), nil
}

// firstQuery reads a few rows of a table.
func firstQuery(tables []sqliteTable) string {
	for _, t := range tables {
		for _, column := range t.Columns {
			if gqlname.Valid(t.Name.Name) && gqlname.Valid(column.Name) {
				return fmt.Sprintf("{ %s(limit: 5) { %s } }", t.Name.Name, column.Name)
			}
		}
	}
	return "{ __typename }"
}

// sqliteTable is what the server knows of a table.
type sqliteTable struct {
	Name    struct{ Name string }
	Columns []struct{ Name string }
	Keys    map[string]struct {
		Table   struct{ Name string } `json:"foreign_table"`
		Columns map[string]string     `json:"column_mapping"`
	} `json:"foreign_keys"`
}

func (c client) addSQLite(ctx context.Context, file string) error {
	return c.bulk(ctx, []metadataCommand{{"sqlite_add_source", map[string]any{
		"name": sqliteSource, "replace_configuration": true,
		"configuration": map[string]any{"connection_info": map[string]any{"database_url": file}},
	}}}, nil)
}

// sqliteTables are the tables of the file.
func (c client) sqliteTables(ctx context.Context) ([]sqliteTable, error) {
	var names [][]any
	if err := c.bulk(ctx, []metadataCommand{{"sqlite_get_source_tables", map[string]any{"source": sqliteSource}}}, &names); err != nil {
		return nil, err
	}
	var commands []metadataCommand
	for _, name := range names[0] {
		commands = append(commands, metadataCommand{"sqlite_get_table_info", map[string]any{"source": sqliteSource, "table": name}})
	}
	tables := []sqliteTable{}
	if len(commands) == 0 {
		return tables, nil
	}
	return tables, c.bulk(ctx, commands, &tables)
}

// trackingOf are the requests that track tables, and a relationship on both sides of each foreign key.
func trackingOf(tables []sqliteTable) []metadataCommand {
	used := map[string]map[string]bool{}
	var list []map[string]any
	for _, t := range tables {
		if !gqlname.Valid(t.Name.Name) {
			continue
		}
		names := map[string]bool{}
		for _, c := range t.Columns {
			names[c.Name] = true
		}
		used[t.Name.Name] = names
		list = append(list, map[string]any{"source": sqliteSource, "table": t.Name.Name})
	}
	commands := []metadataCommand{{"sqlite_track_tables", map[string]any{"tables": list}}}
	// relate makes a relationship under the first name that is free.
	relate := func(kind, table string, using any, names ...string) {
		for _, name := range names {
			if used[table] != nil && gqlname.Valid(name) && !used[table][name] {
				used[table][name] = true
				commands = append(commands, metadataCommand{"sqlite_create_" + kind + "_relationship", map[string]any{
					"source": sqliteSource, "table": table, "name": name, "using": map[string]any{"foreign_key_constraint_on": using},
				}})
				return
			}
		}
	}
	for _, t := range tables {
		for _, key := range sortedKeys(t.Keys) {
			k := t.Keys[key]
			columns := sortedKeys(k.Columns)
			by := "_by_" + strings.Join(columns, "_")
			object := k.Table.Name
			if short, ok := strings.CutSuffix(columns[0], "_id"); ok && len(columns) == 1 {
				object = short
			}
			relate("object", t.Name.Name, columns, object, k.Table.Name, k.Table.Name+by)
			relate("array", k.Table.Name, map[string]any{"table": t.Name.Name, "columns": columns}, t.Name.Name, t.Name.Name+by)
		}
	}
	return commands
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
