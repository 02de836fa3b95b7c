package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// parts are the files of the metadata that hold one key of the document each, in its order;
// sources and actions have files of their own.
var parts = []struct {
	key, file string
	list      bool
}{
	{"remote_schemas", "remote_schemas.yaml", true},
	{"query_collections", "query_collections.yaml", true},
	{"allowlist", "allow_list.yaml", true},
	{"cron_triggers", "cron_triggers.yaml", true},
	{"rest_endpoints", "rest_endpoints.yaml", true},
	{"api_limits", "api_limits.yaml", false},
	{"metrics_config", "metrics_config.yaml", false},
	{"inherited_roles", "inherited_roles.yaml", true},
	{"graphql_schema_introspection", "graphql_schema_introspection.yaml", false},
	{"document_rules", "document_rules.yaml", false},
	{"network", "network.yaml", false},
	{"backend_configs", "backend_configs.yaml", false},
	{"opentelemetry", "opentelemetry.yaml", false},
}

const (
	versionFile   = "version.yaml"
	databasesDir  = "databases"
	databasesFile = databasesDir + "/databases.yaml"
	actionsFile   = "actions.yaml"
	actionsSDL    = "actions.graphql"
)

// Read makes a metadata document of the files of a metadata directory. It is an error when a
// file at its top is not part of the document.
func Read(directory fs.FS) (json.RawMessage, error) {
	files := &recorder{FS: directory, opened: map[string]bool{}}
	version, err := layoutVersion(files)
	if err != nil {
		return nil, err
	}
	d := &ordered{}
	d.set("version", version)
	lists := []struct{ key, file string }{{"sources", databasesFile}}
	if version == 2 {
		lists = []struct{ key, file string }{{"tables", "tables.yaml"}, {"functions", "functions.yaml"}}
	}
	for _, l := range lists {
		if err := d.load(files, l.key, l.file); err != nil {
			return nil, err
		}
	}
	if version == 3 && !d.has("sources") {
		d.set("sources", json.RawMessage(`[]`))
	}
	for _, p := range parts {
		if err := d.load(files, p.key, p.file); err != nil {
			return nil, err
		}
	}
	if err := readActions(files, d); err != nil {
		return nil, err
	}
	if err := files.checkAllRead(version); err != nil {
		return nil, err
	}
	return d.encode()
}

func layoutVersion(files fs.FS) (int, error) {
	raw, err := loadYAML(files, versionFile)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("there is no %s: this is not a metadata directory", versionFile)
	}
	if err != nil {
		return 0, err
	}
	var v struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(raw, &v); err != nil || v.Version != 2 && v.Version != 3 {
		return 0, fmt.Errorf("%s: the version has to be 2 or 3", versionFile)
	}
	return v.Version, nil
}

// ordered is a JSON object that keeps the order in which keys were set.
type ordered struct {
	keys   []string
	values map[string]any
}

func (o *ordered) set(key string, v any) {
	if !o.has(key) {
		o.keys = append(o.keys, key)
	}
	if o.values == nil {
		o.values = map[string]any{}
	}
	o.values[key] = v
}

func (o *ordered) has(key string) bool {
	_, ok := o.values[key]
	return ok
}

// load sets a key to the content of a file, if there is one that isn't empty.
func (o *ordered) load(files fs.FS, key, file string) error {
	raw, err := loadYAML(files, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if text := string(raw); !isEmpty(text) || key == "sources" && text == "[]" {
		o.set(key, raw)
	}
	return nil
}

func (o *ordered) encode() (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := appendValue(&b, key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := appendValue(&b, o.values[key]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// decodeOrdered splits a JSON object.
func decodeOrdered(raw json.RawMessage) (*ordered, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	o := &ordered{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, ok := token.(string)
		if !ok {
			return nil, errors.New("expected an object")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		o.set(key, value)
	}
	return o, nil
}

func (o *ordered) raw(key string) json.RawMessage {
	raw, _ := o.values[key].(json.RawMessage)
	return raw
}

// remove takes a key away.
func (o *ordered) remove(key string) {
	for i, k := range o.keys {
		if k == key {
			o.keys = append(o.keys[:i], o.keys[i+1:]...)
			delete(o.values, key)
			return
		}
	}
}

// ReadFile reads a document that is in one file of JSON or YAML.
func ReadFile(path string) (json.RawMessage, error) {
	return loadYAML(os.DirFS(filepath.Dir(path)), filepath.Base(path))
}
