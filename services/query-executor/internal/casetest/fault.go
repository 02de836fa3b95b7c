package casetest

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// FaultsFile holds the Faults of a feature.
const FaultsFile = "faults.json"

// Fault is an operation that is refused before a source gets a statement, and the error.
type Fault struct {
	Name      string          `json:"name"`
	Role      string          `json:"role,omitempty"` // admin when it is empty
	Query     string          `json:"query"`
	Variables json.RawMessage `json:"variables,omitempty"`
	Code      string          `json:"code"`
	Path      string          `json:"path"`
	Error     string          `json:"error"`
}

// Faults are those of the feature in a directory.
func Faults(t testing.TB, dir string) []Fault {
	t.Helper()
	var list []Fault
	require.NoError(t, json.Unmarshal(Read(t, filepath.Join(dir, FaultsFile)), &list))
	require.NotEmpty(t, list)
	for i := range list {
		if list[i].Role == "" {
			list[i].Role = session.Admin
		}
	}
	return list
}

// Session is one of the role of the fault, without other variables.
func (f *Fault) Session() *session.Session {
	return &session.Session{Role: f.Role, Variables: map[string]string{session.RoleHeader: f.Role}}
}

// RunFaults calls test for every fault of the features below root, which is the directory testdata/cases.
func RunFaults(t *testing.T, root string, test func(t *testing.T, c *Case, want Fault)) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "*", FaultsFile))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, file := range found {
		f := newFeature(t, filepath.Dir(file))
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, want := range Faults(t, f.Dir) {
				c := &Case{
					Feature: f, Dir: f.Dir, Name: want.Name, relay: f.Name == "relay",
					Text: want.Query, variables: want.Variables, Session: want.Session(),
				}
				t.Run(c.Name, func(t *testing.T) { test(t, c, want) })
			}
		})
	}
}
