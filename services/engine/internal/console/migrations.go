package console

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/services/engine/internal/project"
	"queryengine/services/engine/internal/remote"
)

// migrations are those that a change makes, one for each source. They are written, and marked on the server as begun,
// before the SQL runs: whatever happens then, there is a trace of it.
type migrations struct {
	console *Console
	state   *remote.State
	made    []migration
}

type migration struct {
	project.Migration
	// path is the directory.
	path string
	// down reports whether it has what takes it back.
	down bool
}

// begin writes the migrations. Nothing is left of them when it fails.
func (m *migrations) begin(ctx context.Context, list []statement, wanted choice) error {
	dir := m.console.Project.Path(m.console.Project.MigrationsDirectory)
	existing, err := project.Migrations(dir)
	if err != nil {
		return unwritable(err)
	}
	if m.state, err = m.console.Server.State(ctx); err != nil {
		return unrecorded(err)
	}
	texts := map[string][]string{}
	for _, s := range list {
		texts[s.source] = append(texts[s.source], strings.TrimSpace(s.text))
	}
	if len(texts) > 1 {
		wanted.down = "" // it is that of one source
	}
	version := time.Now().UnixMilli()
	for source := range texts {
		for _, e := range existing[source] {
			version = max(version, e.Version+1) // it is the last one
		}
	}
	for _, source := range slices.Sorted(maps.Keys(texts)) {
		text := strings.Join(texts[source], ";\n") + "\n"
		next := migration{Migration: project.Migration{Source: source, Version: version, Name: wanted.name}, down: wanted.down != ""}
		if wanted.name == "" {
			next.Name = usualName(text)
		}
		down := wanted.down + "\n"
		if !next.down {
			down = usualDown(text)
		}
		if next.path, err = project.CreateMigration(dir, next.Migration, text, down); err != nil {
			return m.undo(ctx, unwritable(err))
		}
		m.made = append(m.made, next)
		if err := m.console.Server.Mark(ctx, m.state, source, version, true); err != nil {
			return m.undo(ctx, unrecorded(err))
		}
	}
	return nil
}

func unwritable(err error) error {
	return apierror.Newf(apierror.Unexpected, "the migration can't be written into the project, so the SQL was not run: %s", err)
}

func unrecorded(err error) error {
	return apierror.Newf(apierror.Unexpected, "the migration can't be recorded on the server, so the SQL was not run: %s", err)
}

// undo takes the migrations back, since their SQL has not run.
func (m *migrations) undo(ctx context.Context, cause error) error {
	for _, one := range m.made {
		if err := os.RemoveAll(one.path); err != nil {
			cause = errors.Join(cause, err)
		}
		_ = os.Remove(filepath.Dir(one.path)) // fails where there is something in it
		if err := m.console.Server.Unmark(ctx, m.state, one.Source, one.Version); err != nil {
			cause = errors.Join(cause, fmt.Errorf("migration %d of source %s is still marked on the server: %w", one.Version, one.Source, err))
		}
	}
	m.made = nil
	return cause
}

// end records what became of the SQL.
func (m *migrations) end(ctx context.Context, became outcome) report {
	var r report
	if became == refused {
		if err := m.undo(ctx, nil); err != nil {
			r.add("the SQL was refused, but not all of its migration could be taken back: %s", err)
			m.console.Say("%s", r.Error)
		}
		return r
	}
	for _, one := range m.made {
		name := m.console.relative(one.path)
		r.Migrations, r.Down = append(r.Migrations, name), one.down
		m.console.Say("wrote %s", name)
		if became == unknown {
			r.add("it is unknown whether the SQL has run: look at the database, then record the migration (engine migrate apply --version %d "+
				"--skip-execution --source %s) or remove %s", one.Version, one.Source, name)
		} else if err := m.console.Server.Mark(ctx, m.state, one.Source, one.Version, false); err != nil {
			r.add("the SQL has run, but the migration can't be recorded as applied: %s; do it with engine migrate apply --version %d "+
				"--skip-execution --source %s", err, one.Version, one.Source)
		}
	}
	if r.Error != "" {
		m.console.Say("%s", r.Error)
	}
	return r
}

// relative is a path as the project has it.
func (c *Console) relative(path string) string {
	if short, err := filepath.Rel(c.Project.Dir, path); err == nil {
		return filepath.ToSlash(short)
	}
	return path
}
