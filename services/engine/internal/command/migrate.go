package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"queryengine/services/engine/internal/project"
	"queryengine/services/engine/internal/remote"
)

func (p *workplace) migrations() (map[string][]project.Migration, error) {
	if !p.config.Exists() {
		return nil, errors.New("this is not a project directory: there is neither config.yaml nor a directory of metadata or migrations")
	}
	return project.Migrations(p.config.Path(p.config.MigrationsDirectory))
}

func migrateCreate() projectCommand {
	var source, up, down *string
	var fromServer *bool
	var schemas *string
	return projectCommand{
		flags: func(f *flag.FlagSet) {
			source = f.String("source", "default", "the source that the migration is for")
			up = f.String("up-sql", "", "text of the migration")
			down = f.String("down-sql", "", "text that takes it back")
			fromServer = f.Bool("from-server", false, "begin with the schema that the database has")
			schemas = f.String("schema", "public", "schemas for --from-server, separated by commas")
		},
		run: func(ctx context.Context, p *workplace, args []string) error {
			if len(args) != 1 {
				return errors.New("migrate create needs the name of the migration")
			}
			text := *up
			if *fromServer {
				options := []string{"-O", "-x", "--schema-only"}
				for s := range strings.SplitSeq(*schemas, ",") {
					options = append(options, "--schema", s)
				}
				var err error
				if text, err = p.server.Dump(ctx, *source, options...); err != nil {
					return err
				}
			}
			m := project.Migration{Source: *source, Version: time.Now().UnixMilli(), Name: args[0]}
			path, err := project.CreateMigration(p.config.Path(p.config.MigrationsDirectory), m, text, *down)
			if err != nil {
				return err
			}
			if *fromServer {
				// The database has it already.
				state, err := p.server.State(ctx)
				if err != nil {
					return err
				}
				if err := p.server.Mark(ctx, state, *source, m.Version, false); err != nil {
					return err
				}
			}
			p.print("%s", path)
			return nil
		},
	}
}

// applyOptions are the options of migrate apply.
type applyOptions struct {
	source        string
	up, down      int
	version       int64
	direction     string
	skip, dryRun  bool
	noTransaction bool
}

func migrateApply() projectCommand {
	o := &applyOptions{}
	return projectCommand{
		flags: func(f *flag.FlagSet) {
			f.StringVar(&o.source, "source", "", "only the migrations of this source")
			f.IntVar(&o.up, "up", 0, "apply so many of the next migrations")
			f.IntVar(&o.down, "down", 0, "take so many of the last migrations back")
			f.Int64Var(&o.version, "version", 0, "only this migration")
			choose(f, &o.direction, "type", "up", "what to do with --version: up or down", "up", "down")
			f.BoolVar(&o.skip, "skip-execution", false, "only record it, without running SQL")
			f.BoolVar(&o.dryRun, "dry-run", false, "only say what would be done")
			f.BoolVar(&o.noTransaction, "no-transaction", false, "run SQL without a transaction, as a migration that begins with -- engine:no-transaction")
			f.Bool("per-migration-transaction", true, "run each migration in a transaction of its own, which is always done")
		},
		run: func(ctx context.Context, p *workplace, _ []string) error { return p.applyMigrations(ctx, o) },
	}
}

// task is a migration to apply, or to take back.
type task struct {
	project.Migration
	down bool
}

func (p *workplace) applyMigrations(ctx context.Context, o *applyOptions) error {
	all, err := p.migrations()
	if err != nil {
		return err
	}
	if err := p.server.Ping(ctx, p.Errs); err != nil {
		return err
	}
	kinds, err := p.kinds(ctx)
	if err != nil {
		return err
	}
	state, err := p.server.State(ctx)
	if err != nil {
		return err
	}
	var tasks []task
	var absent []string
	for _, source := range slices.Sorted(maps.Keys(all)) {
		if o.source != "" && o.source != source {
			continue
		}
		if _, known := kinds[source]; !known && !o.skip {
			absent = append(absent, source)
			p.say("skipping the migrations of source %s, which the server doesn't have", source)
			continue
		}
		list, err := plan(all[source], state.Migrations[source], o)
		if err != nil {
			return err
		}
		tasks = append(tasks, list...)
	}
	if len(tasks) == 0 && len(absent) == 0 {
		p.say("nothing to apply")
	}
	for i, t := range tasks {
		verb := "applying"
		if t.down {
			verb = "taking back"
		}
		p.say("[%d/%d] %s %s of source %s", i+1, len(tasks), verb, t.Dir(), t.Source)
		if err := p.applyTask(ctx, state, kinds[t.Source], t, o); err != nil {
			return fmt.Errorf("migration %s of source %s: %w", t.Dir(), t.Source, err)
		}
	}
	if len(absent) > 0 {
		return fmt.Errorf("the server doesn't have source %[1]s, so its migrations were not applied: add it "+
			"(engine metadata apply, or pg_add_source), or choose others with --source", strings.Join(absent, ", "))
	}
	return nil
}

// plan chooses what to do with the migrations of one source.
func plan(list []project.Migration, applied map[int64]bool, o *applyOptions) ([]task, error) {
	for _, m := range list {
		if applied[m.Version] && (o.version != m.Version || !o.skip) {
			return nil, fmt.Errorf("migration %s of source %s has begun and not ended: another program may be applying it. "+
				"If none is, look at the database, then record it with --version %d --skip-execution", m.Dir(), m.Source, m.Version)
		}
	}
	var up, down []task
	for _, m := range list {
		if _, done := applied[m.Version]; done {
			down = append([]task{{m, true}}, down...)
		} else {
			up = append(up, task{m, false})
		}
	}
	switch {
	case o.version != 0:
		i := slices.IndexFunc(list, func(m project.Migration) bool { return m.Version == o.version })
		_, done := applied[o.version]
		back := o.direction == "down"
		if i < 0 {
			return nil, nil
		}
		if done != back && !o.skip {
			return nil, nil
		}
		return []task{{list[i], back}}, nil
	case o.down > 0:
		return down[:min(o.down, len(down))], nil
	case o.up > 0:
		return up[:min(o.up, len(up))], nil
	}
	return up, nil
}

func (p *workplace) applyTask(ctx context.Context, state *remote.State, kind string, t task, o *applyOptions) error {
	path := t.Up
	if t.down {
		path = t.Down
	}
	var text []byte
	if !o.skip {
		if path == "" {
			return errors.New("there is no file for it")
		}
		var err error
		if text, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	if o.dryRun {
		return nil
	}
	if !o.skip {
		// If this process or the connection dies, the mark records that the outcome is unknown.
		if err := p.server.Mark(ctx, state, t.Source, t.Version, true); err != nil {
			return err
		}
		sql := remote.SQL{Source: t.Source, Kind: kind, Text: string(text)}
		sql.NoTransaction = o.noTransaction || project.WithoutTransaction(sql.Text)
		if err := p.runSQL(ctx, sql); err != nil && sql.NoTransaction {
			return fmt.Errorf("%w; a part of it may have run: look at the database, then record it with --version %d --skip-execution, "+
				"as not applied with --type down", err, t.Version)
		} else if err != nil {
			return errors.Join(err, p.unmark(ctx, state, t, err))
		}
	}
	if t.down {
		return p.server.Unmark(ctx, state, t.Source, t.Version)
	}
	return p.server.Mark(ctx, state, t.Source, t.Version, false)
}

// unmark takes the mark of a migration back that the server has refused: it ran in one
// transaction, so that nothing of it is left.
func (p *workplace) unmark(ctx context.Context, state *remote.State, t task, cause error) error {
	var refusal *remote.RefusedError
	if !errors.As(cause, &refusal) {
		return nil
	}
	if t.down {
		return p.server.Mark(ctx, state, t.Source, t.Version, false)
	}
	return p.server.Unmark(ctx, state, t.Source, t.Version)
}

func (p *workplace) runSQL(ctx context.Context, sql remote.SQL) error {
	if strings.TrimSpace(sql.Text) == "" {
		return nil
	}
	err := p.server.Run(ctx, []remote.SQL{sql})
	var refusal *remote.RefusedError
	if errors.As(err, &refusal) && len(refusal.Internal) > 0 {
		return fmt.Errorf("%w: %s", err, databaseMessage(refusal.Internal))
	}
	return err
}

func migrateStatus() projectCommand {
	var source *string
	return projectCommand{
		flags: func(f *flag.FlagSet) { source = f.String("source", "", "only the migrations of this source") },
		run: func(ctx context.Context, p *workplace, _ []string) error {
			all, err := p.migrations()
			if err != nil {
				return err
			}
			state, err := p.server.State(ctx)
			if err != nil {
				return err
			}
			return p.printStatus(all, state, *source)
		},
	}
}

func (p *workplace) printStatus(all map[string][]project.Migration, state *remote.State, only string) error {
	sources := map[string]bool{}
	for s := range all {
		sources[s] = true
	}
	for s := range state.Migrations {
		sources[s] = true
	}
	pending, count := false, 0
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		if only != "" && only != source {
			continue
		}
		here := map[int64]project.Migration{}
		versions := map[int64]bool{}
		for _, m := range all[source] {
			here[m.Version], versions[m.Version] = m, true
		}
		for v := range state.Migrations[source] {
			versions[v] = true
		}
		for _, v := range slices.Sorted(maps.Keys(versions)) {
			count++
			m, isHere := here[v]
			dirty, isThere := state.Migrations[source][v]
			word := "applied"
			switch {
			case dirty:
				word = "has not ended"
			case !isThere:
				word = "not applied"
			case !isHere:
				word = "applied, not in the project"
			}
			pending = pending || dirty || !isThere
			p.print("%s\t%d\t%s\t%s", source, v, m.Name, word)
		}
	}
	switch {
	case pending:
		return errNo
	case count == 0:
		p.say("there are no migrations")
	default:
		p.say("all %d migrations are applied", count)
	}
	return nil
}
