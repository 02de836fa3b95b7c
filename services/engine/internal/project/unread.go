package project

import (
	"fmt"
	"io/fs"
	"path"
)

// recorder remembers which files are opened.
type recorder struct {
	fs.FS
	opened map[string]bool
}

func (r *recorder) Open(name string) (fs.File, error) {
	r.opened[name] = true
	return r.FS.Open(name)
}

// checkAllRead fails when a file at the top of the directory has content and was not read: its content
// would be missing from the document, and so be deleted from the server.
func (r *recorder) checkAllRead(version int) error {
	entries, err := fs.ReadDir(r.FS, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		switch path.Ext(name) {
		case ".yaml", ".yml", ".json":
		default:
			continue
		}
		if e.IsDir() || r.opened[name] {
			continue
		}
		if raw, err := loadYAML(r.FS, name); err == nil && isEmpty(string(raw)) {
			continue
		}
		return fmt.Errorf("%s is no file of a metadata directory of version %d, so what it holds would be lost; "+
			"take it away, include it from another file, or correct %s", name, version, versionFile)
	}
	return nil
}

// isEmpty reports whether a JSON text has no content.
func isEmpty(text string) bool { return text == "null" || text == "{}" || text == "[]" }
