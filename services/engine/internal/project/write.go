package project

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Write brings the files of a metadata directory in line with a document of version 3, and returns the
// names of those that were written. Files of tables and functions that are gone are removed.
func Write(dir string, document json.RawMessage) ([]string, error) {
	doc, err := decodeOrdered(document)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	w := &writer{dir: dir, written: map[string]bool{}}
	w.yaml(versionFile, json.RawMessage(`{"version":3}`))
	w.sources(doc.raw("sources"))
	for _, p := range parts {
		raw := doc.raw(p.key)
		if raw == nil {
			raw = json.RawMessage(`{}`)
			if p.list {
				raw = json.RawMessage(`[]`)
			}
		}
		w.yaml(p.file, raw)
	}
	w.actions(doc.raw("actions"), doc.raw("custom_types"))
	if w.err != nil {
		return w.changed, w.err
	}
	return w.changed, w.removeOthers(databasesDir)
}

// writer writes files; its first error stays.
type writer struct {
	dir     string
	written map[string]bool
	// changed are the files that were not the same before, or are gone.
	changed []string
	err     error
}

func (w *writer) yaml(name string, raw json.RawMessage) {
	if w.err != nil {
		return
	}
	text, err := dumpYAML(raw)
	if err != nil {
		w.err = fmt.Errorf("%s: %w", name, err)
		return
	}
	w.file(name, text)
}

// file writes a file that isn't the same yet.
func (w *writer) file(name string, text []byte) {
	if w.err != nil {
		return
	}
	w.written[name] = true
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return
	}
	if w.err = os.MkdirAll(filepath.Dir(path), 0o755); w.err != nil {
		return
	}
	if w.err = replaceFile(path, text); w.err == nil {
		w.changed = append(w.changed, name)
	}
}

// replaceFile writes a whole file or nothing of it: others may read it meanwhile, and a disk may be full.
func replaceFile(path string, text []byte) error {
	mode := fs.FileMode(0o644) // part of a project, read by others
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	unfinished := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	err := os.WriteFile(unfinished, text, mode)
	if err == nil {
		err = os.Rename(unfinished, path)
	}
	if err != nil {
		_ = os.Remove(unfinished) // the first error counts
	}
	return err
}

func (w *writer) sources(raw json.RawMessage) {
	var list []json.RawMessage
	if raw != nil && w.err == nil {
		w.err = json.Unmarshal(raw, &list)
	}
	sources := make([]*ordered, 0, len(list))
	dirs := map[string]bool{}
	for _, raw := range list {
		s, err := decodeOrdered(raw)
		if err != nil {
			w.err = err
			return
		}
		var name string
		if w.err = json.Unmarshal(s.raw("name"), &name); w.err != nil {
			return
		}
		dir := unique(fileName(name), "", func(dir string) bool { return dirs[dir] })
		dirs[dir] = true
		for _, key := range []string{"tables", "functions"} {
			// A source without tables has an empty list of them, one without functions has none.
			if s.has(key) {
				w.list(databasesDir+"/"+dir+"/"+key, key, s.raw(key))
				s.set(key, includeTag+" "+dir+"/"+key+"/"+key+".yaml")
			}
		}
		sources = append(sources, s)
	}
	w.objects(databasesFile, sources)
}

// list writes a list of tables or functions, one file for each.
func (w *writer) list(dir, key string, raw json.RawMessage) {
	var items []json.RawMessage
	if w.err == nil {
		w.err = json.Unmarshal(raw, &items)
	}
	includes := make([]string, 0, len(items))
	for _, item := range items {
		name := unique(itemName(item), ".yaml", func(name string) bool { return w.written[dir+"/"+name] })
		w.yaml(dir+"/"+name, item)
		includes = append(includes, includeTag+" "+name)
	}
	if w.err == nil {
		var raw []byte
		raw, w.err = json.Marshal(includes)
		w.yaml(dir+"/"+key+".yaml", raw)
	}
}

// objects writes a list of objects.
func (w *writer) objects(name string, list []*ordered) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, o := range list {
		raw, err := o.encode()
		if err != nil {
			w.err = err
			return
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(raw)
	}
	b.WriteByte(']')
	w.yaml(name, b.Bytes())
}

// itemName is schema_name of a table or function; the parts of other names are joined by _.
func itemName(item json.RawMessage) string {
	var o struct {
		Table    json.RawMessage `json:"table"`
		Function json.RawMessage `json:"function"`
	}
	if json.Unmarshal(item, &o) != nil {
		return ""
	}
	raw := o.Table
	if raw == nil {
		raw = o.Function
	}
	var qualified struct{ Schema, Dataset, Name string }
	var list []string
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return fileName(text)
	case json.Unmarshal(raw, &list) == nil:
		return fileName(strings.Join(list, "_"))
	case json.Unmarshal(raw, &qualified) == nil:
		return fileName(qualified.Schema + qualified.Dataset + "_" + qualified.Name)
	}
	return ""
}

// unique is a file name that isn't taken: a_b_c may be table c of schema a_b and table
// b_c of schema a.
func unique(base, extension string, taken func(string) bool) string {
	name := base + extension
	for n := 2; taken(name); n++ {
		name = base + "_" + strconv.Itoa(n) + extension
	}
	return name
}

// maxFileName bounds a name, with room for a version, a number and an extension in the 255 bytes that systems take.
const maxFileName = 200

// fileName is a name without what a file name can't have.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.TrimLeft(name, "."))
	if len(name) > maxFileName {
		name = strings.ToValidUTF8(name[:maxFileName], "")
	}
	return cmp.Or(name, "_")
}

// removeOthers removes the YAML files below a directory that were not written, and the
// directories that are empty then.
func (w *writer) removeOthers(name string) error {
	root := filepath.Join(w.dir, name)
	var dirs []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(w.dir, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			dirs = append(dirs, path)
		case filepath.Ext(path) == ".yaml" && !w.written[filepath.ToSlash(relative)]:
			w.changed = append(w.changed, filepath.ToSlash(relative))
			return os.Remove(path)
		}
		return nil
	})
	for i := len(dirs) - 1; i > 0; i-- {
		_ = os.Remove(dirs[i]) // fails where there is something in it
	}
	return err
}

// WriteFile writes a document into one file, as JSON or by its name as YAML.
func WriteFile(path string, document json.RawMessage) error {
	text, err := dumpYAML(document)
	if filepath.Ext(path) == ".json" {
		var b bytes.Buffer
		err = json.Indent(&b, document, "", "  ")
		text = append(b.Bytes(), '\n')
	}
	if err != nil {
		return err
	}
	return replaceFile(path, text)
}
