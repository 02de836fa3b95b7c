package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"queryengine/pkg/config"
)

// The options of dev besides settings, and the name of the source that a file becomes.
const (
	sqliteOption   = "--sqlite"
	sampleOption   = "--sample"
	trackAllOption = "--track-all"
	sqliteSource   = "sqlite"
)

// devOptions are the options of dev besides settings.
type devOptions struct {
	file             string // of SQLite, "" for none
	sample, trackAll bool
}

// flags declares the options.
func (o *devOptions) flags() *flag.FlagSet {
	set := newFlags()
	set.Func(sqliteOption[2:], "`FILE` of SQLite whose tables are tracked, instead of the sample", func(path string) (err error) {
		if path == "" {
			return errors.New("expected the path of a file")
		}
		o.file, err = filepath.Abs(path)
		return err
	})
	set.BoolVar(&o.sample, sampleOption[2:], false, "load the sample into a database of yours")
	set.BoolVar(&o.trackAll, trackAllOption[2:], false, "track all tables of the database, with relationships by their foreign keys")
	return set
}

// takeDevOptions takes the options off the arguments of dev.
func (sh *Shell) takeDevOptions(args []string) (o *devOptions, rest []string, err error) {
	o = &devOptions{}
	set := o.flags()
	var own []string
	for i := 0; i < len(args); i++ {
		name, _, given := strings.Cut(args[i], "=")
		flagName, dashed := strings.CutPrefix(name, "--")
		f := set.Lookup(flagName)
		if f == nil || !dashed {
			rest = append(rest, args[i])
			continue
		}
		own = append(own, args[i])
		if !given && !isSwitch(f) && i+1 < len(args) {
			i++
			own = append(own, args[i])
		}
	}
	_, err = sh.parse(set, "", own)
	return o, rest, err
}

// devHelp lists the options of dev, in the form of those of settings.
func devHelp() string {
	var b strings.Builder
	b.WriteString("\n\nWhat it serves:\n")
	(&devOptions{}).flags().VisitAll(func(f *flag.Flag) {
		value, help := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  %s\n        %s\n", strings.TrimSpace("--"+f.Name+" "+value), help)
	})
	return strings.TrimSuffix(b.String(), "\n")
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
		return "", fmt.Errorf("opening %s: %w", file, explainRefusal(err))
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
