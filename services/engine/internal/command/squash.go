package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"queryengine/services/engine/internal/project"
)

// databaseMessage is the database's message in the detail of an error of run_sql.
func databaseMessage(internal json.RawMessage) string {
	var detail struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(internal, &detail) == nil && detail.Error.Message != "" {
		return detail.Error.Message
	}
	return string(internal)
}

func migrateSquash() projectCommand {
	var source, name *string
	var from, to *int64
	return projectCommand{
		flags: func(f *flag.FlagSet) {
			source = f.String("source", "default", "the source whose migrations are made one")
			name = f.String("name", "squashed", "name of the migration that they become")
			from = f.Int64("from", 0, "the first version (default: the first there is)")
			to = f.Int64("to", 0, "the last version (default: the last there is)")
		},
		run: func(ctx context.Context, p *workplace, _ []string) error {
			all, err := p.migrations()
			if err != nil {
				return err
			}
			var chosen []project.Migration
			for _, m := range all[*source] {
				if m.Version >= *from && (*to == 0 || m.Version <= *to) {
					chosen = append(chosen, m)
				}
			}
			if len(chosen) < 2 {
				return fmt.Errorf("source %s has %d migrations in that range: there is nothing to make one", *source, len(chosen))
			}
			return p.squash(ctx, chosen, *name)
		},
	}
}

// squash puts one migration instead of several, under the version of the first of them.
func (p *workplace) squash(ctx context.Context, chosen []project.Migration, name string) error {
	var up, down []string
	for _, m := range chosen {
		text, err := readAll(m.Up)
		if err != nil {
			return err
		}
		if project.WithoutTransaction(text) {
			return fmt.Errorf("migration %s runs without a transaction, so it can't be part of another", m.Dir())
		}
		up = append(up, text)
		if text, err = readAll(m.Down); err != nil {
			return err
		}
		down = append([]string{text}, down...)
	}
	first := chosen[0]
	merged := project.Migration{Source: first.Source, Version: first.Version, Name: name}
	path, err := project.CreateMigration(p.config.Path(p.config.MigrationsDirectory), merged, joined(up), joined(down))
	if err != nil {
		return err
	}
	if err := p.removeSquashed(ctx, chosen, path); err != nil {
		return err
	}
	p.print("%s", path)
	return nil
}

// removeSquashed deletes what became part of the migration at path. The state of the server
// first: where not all of it or none of it was applied, nothing can be right.
func (p *workplace) removeSquashed(ctx context.Context, chosen []project.Migration, path string) error {
	state, err := p.server.State(ctx)
	if err != nil {
		return err
	}
	applied := state.Migrations[chosen[0].Source]
	var later []int64
	count := 0
	for i, m := range chosen {
		if _, done := applied[m.Version]; done {
			count++
		}
		if i > 0 {
			later = append(later, m.Version)
		}
	}
	if count != 0 && count != len(chosen) {
		return errors.Join(errors.New("some of the migrations are applied and some are not: apply the rest first"), os.RemoveAll(path))
	}
	if err := p.server.Unmark(ctx, state, chosen[0].Source, later...); err != nil {
		return err
	}
	for _, m := range chosen {
		dir := migrationDir(m)
		if dir == "" || dir == path {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// migrationDir is the directory of a migration, "" when it has no files.
func migrationDir(m project.Migration) string {
	for _, file := range []string{m.Up, m.Down} {
		if file != "" {
			return filepath.Dir(file)
		}
	}
	return ""
}

// readAll is the text of a file, "" for none.
func readAll(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// joined puts texts one after the other, each ended.
func joined(texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		if t = strings.TrimSpace(t); t == "" {
			continue
		}
		b.WriteString(t)
		if !strings.HasSuffix(t, ";") {
			b.WriteString("\n;") // on a line of its own: the text may end in a comment
		}
		b.WriteString("\n")
	}
	return b.String()
}
