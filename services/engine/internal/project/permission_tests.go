package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"queryengine/pkg/session"
)

// PermissionTestsDirectory is the directory of a project with the files of its permission tests.
const PermissionTestsDirectory = "permission_tests"

// PermissionTest is what a role has to be answered.
type PermissionTest struct {
	Name string `json:"name"`
	Role string `json:"role"`
	// Session are session variables.
	Session   map[string]string `json:"session"`
	Operation string            `json:"operation"`
	Variables json.RawMessage   `json:"variables"`
	// Rows is the data of the answer, Refusal the code of an error. A test has one of them.
	Rows    json.RawMessage `json:"rows"`
	Refusal string          `json:"refusal"`
	// File is where the test is.
	File string `json:"-"`
}

// PermissionTests reads the permission tests of a directory, in the order of the names of its files; none if it isn't there.
func PermissionTests(dir string) ([]PermissionTest, error) {
	files := os.DirFS(dir)
	entries, err := fs.ReadDir(files, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var tests []PermissionTest
	for _, e := range entries {
		if e.IsDir() || !slices.ContainsFunc([]string{".yaml", ".yml"}, func(suffix string) bool { return strings.HasSuffix(e.Name(), suffix) }) {
			continue
		}
		raw, err := loadYAML(files, e.Name())
		if err != nil {
			return nil, err
		}
		var list []PermissionTest
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&list); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		for i := range list {
			list[i].File = e.Name()
			if err := list[i].check(); err != nil {
				return nil, fmt.Errorf("%s: test %d: %w", e.Name(), i+1, err)
			}
		}
		tests = append(tests, list...)
	}
	return tests, nil
}

func (t *PermissionTest) check() error {
	for key, value := range map[string]string{"name": t.Name, "role": t.Role, "operation": t.Operation} {
		if value == "" {
			return fmt.Errorf("it needs %q", key)
		}
	}
	for name := range t.Session {
		if !strings.HasPrefix(strings.ToLower(name), session.Prefix) || strings.EqualFold(name, session.RoleHeader) || strings.EqualFold(name, session.SecretHeader) {
			return fmt.Errorf("%q is no session variable", name)
		}
	}
	if (t.Rows == nil) == (t.Refusal == "") {
		return errors.New(`it needs "rows" or "refusal"`)
	}
	return nil
}
