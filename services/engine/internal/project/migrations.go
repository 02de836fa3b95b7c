package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Migration is one directory of SQL.
type Migration struct {
	Source  string
	Version int64
	Name    string
	// Up and Down are the paths of the files, "" for none.
	Up, Down string
}

// Dir is the name of the directory of a migration.
func (m Migration) Dir() string { return strconv.FormatInt(m.Version, 10) + "_" + m.Name }

const (
	upFile        = "up.sql"
	downFile      = "down.sql"
	defaultSource = "default"
)

// WithoutTransaction reports whether the first line of a migration's text asks for no transaction: it is the comment
// -- engine:no-transaction, with the name of any engine.
func WithoutTransaction(text string) bool {
	line, _, _ := strings.Cut(strings.TrimPrefix(text, "\ufeff"), "\n")
	comment, is := strings.CutPrefix(strings.TrimSpace(line), "--")
	engine, asked, _ := strings.Cut(strings.TrimSpace(comment), ":")
	return is && engine != "" && strings.TrimSpace(asked) == "no-transaction"
}

// Migrations lists the migrations below a directory by source, oldest first. Those that lie
// in the directory itself, as in the older layout, belong to source default.
func Migrations(dir string) (map[string][]Migration, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string][]Migration{}, nil
	}
	if err != nil {
		return nil, err
	}
	found := map[string][]Migration{}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if m, ok := migrationAt(dir, e.Name()); ok {
			m.Source = defaultSource
			found[defaultSource] = append(found[defaultSource], m)
			continue
		}
		inner, err := os.ReadDir(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		for _, i := range inner {
			if m, ok := migrationAt(filepath.Join(dir, e.Name()), i.Name()); ok && i.IsDir() {
				m.Source = e.Name()
				found[m.Source] = append(found[m.Source], m)
			}
		}
	}
	for source, list := range found {
		slices.SortFunc(list, func(a, b Migration) int { return int(min(max(a.Version-b.Version, -1), 1)) })
		for i := 1; i < len(list); i++ {
			if list[i].Version == list[i-1].Version {
				return nil, fmt.Errorf("source %s has two migrations of version %d: %s and %s",
					source, list[i].Version, list[i-1].Dir(), list[i].Dir())
			}
		}
	}
	return found, nil
}

// migrationAt reads the name of a directory.
func migrationAt(dir, name string) (Migration, bool) {
	digits, label, _ := strings.Cut(name, "_")
	version, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || version <= 0 {
		return Migration{}, false
	}
	m := Migration{Version: version, Name: label}
	for file, path := range map[string]*string{upFile: &m.Up, downFile: &m.Down} {
		full := filepath.Join(dir, name, file)
		if _, err := os.Stat(full); err == nil {
			*path = full
		}
	}
	return m, true
}

// CreateMigration writes a migration and returns its directory; nothing is left of one that can't be written.
// Without an up text there is a file to fill in.
func CreateMigration(dir string, m Migration, up, down string) (string, error) {
	if err := checkSource(m.Source); err != nil {
		return "", err
	}
	path := filepath.Join(dir, m.Source, strconv.FormatInt(m.Version, 10)+"_"+label(m.Name))
	if err := os.MkdirAll(path, 0o755); err != nil {
		return "", err
	}
	for file, text := range map[string]string{upFile: up, downFile: down} {
		if err := os.WriteFile(filepath.Join(path, file), []byte(text), 0o644); err != nil { //nolint:gosec // part of a project
			return "", errors.Join(err, os.RemoveAll(path))
		}
	}
	return path, nil
}

// checkSource refuses a source whose files would be read as those of another one.
func checkSource(name string) error {
	if fileName(name) != name {
		return fmt.Errorf("source %q can't have SQL in a project: its name can't be that of a directory", name)
	}
	return nil
}

// label is a name as it can be part of a file name.
func label(name string) string {
	return strings.ReplaceAll(fileName(strings.TrimSpace(name)), " ", "_")
}

// CreateSeed writes a seed and returns its path.
func CreateSeed(dir, source, name string, version int64, text string) (string, error) {
	if err := checkSource(source); err != nil {
		return "", err
	}
	path := filepath.Join(dir, source, strconv.FormatInt(version, 10)+"_"+label(name)+".sql")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // part of a project
}

// Seeds lists the seeds of a source in the order of their names.
func Seeds(dir, source string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(dir, fileName(source), "*.sql"))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 && source == defaultSource { // the older layout
		found, err = filepath.Glob(filepath.Join(dir, "*.sql"))
	}
	slices.Sort(found)
	return found, err
}
