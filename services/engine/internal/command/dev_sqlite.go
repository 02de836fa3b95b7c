package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"queryengine/pkg/completion"
	"queryengine/pkg/config"
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
		completion.Option{Name: sqliteOption, Help: "file of SQLite whose tables are tracked, instead of the sample"},
		completion.Option{Name: sampleOption, Switch: true, Help: "load the sample into a database of yours"},
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
	t := c.tracker(sqliteSource, "sqlite")
	if _, err := t.send(ctx, "sqlite_add_source", map[string]any{
		"name": sqliteSource, "replace_configuration": true,
		"configuration": map[string]any{"connection_info": map[string]any{"database_url": file}},
	}); err != nil {
		return "", fmt.Errorf("opening %s: %w", file, err)
	}
	tables, err := t.tables(ctx)
	if err != nil {
		return "", err
	}
	if tracked, _ := trackedTables(sources, sqliteSource); len(tracked) == 0 && len(tables) > 0 {
		if err := sh.trackAll(ctx, t, tables); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, table := range tables {
		if query := t.firstQuery(ctx, table, table.Schema); query != nothing {
			return query, nil
		}
	}
	return nothing, nil
}
