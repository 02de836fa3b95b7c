// Package casetest reads the cases in testdata/cases for tests of single stages: the catalogs of their
// databases are stored next to them, and so are the answers to the statements of a case. Nothing here
// needs a database; the tests of the service itself compare both with a real one, and rewrite them with
// -update.
package casetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/schema"
)

// CatalogFile holds what introspection found in the sources of a feature.
const CatalogFile = "catalog.json"

// Feature is a directory of cases with one schema.
type Feature struct {
	Dir, Name string
	Document  *metadata.Document
	Schema    *resolve.Schema
	settings  settings
}

// settings of a feature that change plans and statements.
type settings struct {
	NullCollapse, DropUnsetVariables, StringifyNumericTypes, Federation, NamingConvention bool

	DefaultNamingConvention string
}

// Case is an operation with what it gives.
type Case struct {
	*Feature
	Dir, Name string
	Text      string
	Session   *session.Session
	variables []byte
	relay     bool
}

// Run calls test for every case below root, which is the directory testdata/cases.
func Run(t *testing.T, root string, test func(t *testing.T, c *Case)) {
	t.Helper()
	schemas, err := filepath.Glob(filepath.Join(root, "*", CatalogFile))
	require.NoError(t, err)
	require.NotEmpty(t, schemas)
	for _, found := range schemas {
		f := newFeature(t, filepath.Dir(found))
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			queries, err := filepath.Glob(filepath.Join(f.Dir, "*", "query.graphql"))
			require.NoError(t, err)
			for _, query := range queries {
				c := f.newCase(t, filepath.Dir(query))
				t.Run(c.Name, func(t *testing.T) { test(t, c) })
			}
		})
	}
}

func newFeature(t *testing.T, dir string) *Feature {
	t.Helper()
	f := &Feature{Dir: dir, Name: filepath.Base(dir)}
	if raw := Read(t, filepath.Join(dir, "settings.json")); raw != nil {
		require.NoError(t, json.Unmarshal(raw, &f.settings))
	}
	var err error
	f.Document, err = metadata.Parse(Read(t, filepath.Join(dir, "metadata.json")), &metadata.Document{}, kind.All(os.LookupEnv, "test").Metadata())
	require.NoError(t, err)
	var stored map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(Read(t, filepath.Join(dir, CatalogFile)), &stored))
	found := resolve.Findings{Catalogs: map[string]*catalog.Source{}}
	for name, raw := range stored {
		found.Catalogs[name], err = snapshot.DecodeCatalog(raw)
		require.NoError(t, err)
	}
	if raw := Read(t, filepath.Join(dir, RemotesFile)); raw != nil {
		require.NoError(t, json.Unmarshal(raw, &found.Remotes))
	}
	f.Schema = resolve.New(f.Document, found, nil, resolve.Options{
		RemoteSchemaPermissions:  true,
		Kinds:                    kind.All(os.LookupEnv, ""),
		InferFunctionPermissions: true,
		NamingConventionEnabled:  f.settings.NamingConvention,
		DefaultNamingConvention:  f.settings.DefaultNamingConvention,
	})
	require.Empty(t, f.Schema.Inconsistencies())
	return f
}

func (f *Feature) newCase(t *testing.T, dir string) *Case {
	t.Helper()
	c := &Case{
		Feature: f, Dir: dir, Name: filepath.Base(dir), relay: f.Name == "relay",
		Text: string(Read(t, filepath.Join(dir, "query.graphql"))), variables: Read(t, filepath.Join(dir, "variables.json")),
		Session: &session.Session{Role: session.Admin, Variables: map[string]string{session.RoleHeader: session.Admin}},
	}
	if raw := Read(t, filepath.Join(dir, "session.json")); raw != nil {
		require.NoError(t, json.Unmarshal(raw, &c.Session.Variables))
		c.Session.Role = c.Session.Variables[session.RoleHeader]
	}
	return c
}

// Operation parses the operation, and gives the values of its variables.
func (c *Case) Operation() (*parse.Operation, [][]byte, error) {
	op, err := parse.Parse(c.Text, "", parse.Limits{})
	if err != nil {
		return nil, nil, err
	}
	values, err := op.Values(nil, c.variables, parse.RefuseNull)
	return op, values, err
}

// Role is the schema of the case's role.
func (c *Case) Role() *schema.Role {
	return schema.New(c.Schema, c.Session.Role, schema.Options{Relay: c.relay, Federation: c.settings.Federation})
}

// Plan plans an operation of the case. inserts are those of a plan that had too few nodes.
func (c *Case) Plan(op *parse.Operation, values [][]byte, inserts []*insert.Tree) (*plan.Plan, error) {
	return plan.Grow(op, c.Role(), values, env.Options{
		Limits: env.DefaultLimits, NullCollapse: c.settings.NullCollapse, DropUnset: c.settings.DropUnsetVariables,
	}, inserts)
}

// Render are the options of the case's statements.
func (c *Case) Render() backend.RenderOptions {
	return backend.RenderOptions{StringifyNumeric: c.settings.StringifyNumericTypes}
}

// Read is the content of a file, nil when there is none.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return content
}
