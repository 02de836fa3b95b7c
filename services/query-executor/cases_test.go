package queryexecutor

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/casetest"
	planenv "queryengine/services/query-executor/internal/plan/env"
)

var update = flag.Bool("update", false, "rewrite the wanted files of the cases")

func TestMain(m *testing.M) { dbtest.Main(m) }

// TestCases runs every directory testdata/cases/<feature>/<case>. A feature has a schema,
// metadata and maybe settings (a Config); a case has a query, maybe variables and a session, and the
// wanted answer. What introspection finds is stored for tests of single stages: see casetest.
func TestCases(t *testing.T) {
	t.Parallel()
	features, err := filepath.Glob("testdata/cases/*/schema.sql")
	require.NoError(t, err)
	require.NotEmpty(t, features)
	for _, schema := range features {
		feature := filepath.Dir(schema)
		t.Run(filepath.Base(feature), func(t *testing.T) {
			t.Parallel()
			var c Config
			if settings := readFile(t, filepath.Join(feature, "settings.json")); settings != nil {
				require.NoError(t, json.Unmarshal(settings, &c))
			}
			recorder, servers := &casetest.Recorder{}, &casetest.ServerRecorder{}
			e := newCasesFixture(t, feature, c, recorder, servers)
			requireCatalogs(t, e, feature)
			cases, err := filepath.Glob(filepath.Join(feature, "*", "query.graphql"))
			require.NoError(t, err)
			for _, query := range cases {
				dir := filepath.Dir(query)
				t.Run(filepath.Base(dir), func(t *testing.T) { runCase(t, e, dir, recorder, servers) })
			}
		})
	}
}

// requireCatalogs compares the introspected catalogs with the stored ones.
func requireCatalogs(t *testing.T, e *Executor, feature string) {
	t.Helper()
	document := readFile(t, filepath.Join(feature, "metadata.json"))
	requireFile(t, filepath.Join(feature, casetest.CatalogFile), casetest.Catalogs(t, e.state.Load().snapshot.Catalogs, document))
}

func runCase(t *testing.T, e *Executor, dir string, recorder *casetest.Recorder, servers *casetest.ServerRecorder) {
	q := &request{
		session:   readSession(t, dir),
		text:      string(readFile(t, filepath.Join(dir, "query.graphql"))),
		variables: bytes.TrimSpace(readFile(t, filepath.Join(dir, "variables.json"))),
		relay:     filepath.Base(filepath.Dir(dir)) == "relay",
	}
	for range 2 { // the second time, the plan is there already
		restore(t, e, filepath.Dir(dir))
		requireFile(t, filepath.Join(dir, "want.json"), answer(t, e, q))
		requireFile(t, filepath.Join(dir, casetest.StatementsFile), recorder.Take(t))
		if calls := servers.Take(t); calls != nil {
			requireFile(t, filepath.Join(dir, casetest.ServersFile), calls)
		} else {
			require.NoFileExists(t, filepath.Join(dir, casetest.ServersFile))
		}
		requireState(t, e, dir)
	}
}

// answer is what a client gets to see: the answer, or the error.
func answer(t testing.TB, e *Executor, q *request) []byte {
	t.Helper()
	out := backend.NewAnswer(nil, nil, 0)
	s := e.borrow()
	defer e.giveBack(s)
	if err := e.run(t.Context(), q, out, s); err != nil {
		var known *apierror.Error
		require.ErrorAs(t, err, &known)
		body, err := json.Marshal(map[string]any{"error": known.Message, "path": known.Path, "code": known.Code})
		require.NoError(t, err)
		return body
	}
	return out.Buf
}

// newFixture is an executor with the metadata of a feature, and a database of its own.
func newFixture(t testing.TB, feature string, c Config) *Executor {
	t.Helper()
	return newFixtureOf(t, feature, c, nil)
}

// newFixtureOf is newFixture with something around its sources, unless around is nil.
func newFixtureOf(t testing.TB, feature string, c Config, around func(name string, s backend.Source) backend.Source) *Executor {
	t.Helper()
	return newFixtureIn(t, newDatabase(t, feature), feature, c, around)
}

// newCasesFixture is the executor of the cases of a feature, whose statements and calls are noted.
func newCasesFixture(t testing.TB, feature string, c Config, r *casetest.Recorder, servers *casetest.ServerRecorder) *Executor {
	t.Helper()
	env := newDatabase(t, feature)
	if readFile(t, filepath.Join(feature, casetest.RemotesFile)) != nil {
		c.Egress = egress.DefaultConfig()
		env = serveCases(t, feature, env, servers)
	}
	return newFixtureIn(t, env, feature, c, r.Source)
}

// newFixtureIn is newFixtureOf with an environment.
func newFixtureIn(
	t testing.TB, env metadata.Env, feature string, c Config, around func(name string, s backend.Source) backend.Source,
) *Executor {
	t.Helper()
	if c.PlanCacheSize == 0 {
		c.PlanCacheSize = 1000
	}
	c.Limits = planenv.DefaultLimits
	c.InferFunctionPermissions = true
	e, err := newExecutor(c, Deps{Kinds: kind.All(env, serviceName), Env: env, Logger: telemetry.Discard()})
	require.NoError(t, err)
	if around != nil {
		e.sources = open.New(func(s *metadata.Source) (backend.Source, error) {
			opened, err := kind.All(env, serviceName).Open(s)
			return around(s.Name, opened), err
		})
	}
	t.Cleanup(e.sources.Close)
	url, _ := env("")
	newSession(t, e, url)
	e.apply(readSnapshot(t, feature, env))
	require.Empty(t, e.state.Load().schema.Inconsistencies())
	return e
}

// newDatabase makes a database with the schema of a feature, and one more for each
// schema.<variable>.sql that it has. The environment that it returns gives the address of the
// first one for every other variable.
func newDatabase(t testing.TB, feature string) func(string) (string, bool) {
	t.Helper()
	schemas, err := filepath.Glob(filepath.Join(feature, "schema*.sql"))
	require.NoError(t, err)
	urls := map[string]string{}
	for _, schema := range schemas {
		_, variable, _ := strings.Cut(strings.TrimSuffix(filepath.Base(schema), ".sql"), ".")
		urls[strings.ToUpper(variable)] = dbtest.Filled(t, string(readFile(t, schema)))
	}
	return func(variable string) (string, bool) {
		if url := urls[variable]; url != "" {
			return url, true
		}
		return urls[""], true
	}
}

// readSnapshot is the metadata of a feature with what its database holds.
func readSnapshot(t testing.TB, feature string, env func(string) (string, bool)) *snapshot.Snapshot {
	t.Helper()
	s := snapshotOf(t, readFile(t, filepath.Join(feature, "metadata.json")), env)
	if raw := readFile(t, filepath.Join(feature, casetest.RemotesFile)); raw != nil {
		require.NoError(t, json.Unmarshal(raw, &s.Remotes))
	}
	return s
}

// snapshotOf is metadata with what its databases hold.
func snapshotOf(t testing.TB, document []byte, env func(string) (string, bool)) *snapshot.Snapshot {
	t.Helper()
	doc, err := metadata.Parse(document, &metadata.Document{}, kind.All(env, serviceName).Metadata())
	require.NoError(t, err)
	out := &snapshot.Snapshot{Version: 1, Document: doc, Catalogs: map[string]*catalog.Source{}}
	for _, s := range doc.Sources {
		source, err := kind.All(env, serviceName).Open(s)
		require.NoError(t, err)
		defer source.Close()
		var enums []catalog.Name
		for _, table := range s.Tables {
			if table.IsEnum {
				enums = append(enums, table.Table)
			}
		}
		out.Catalogs[s.Name], err = source.Introspect(t.Context(), enums)
		require.NoError(t, err)
	}
	return out
}

func readSession(t testing.TB, dir string) *session.Session {
	t.Helper()
	s := &session.Session{Role: session.Admin, Variables: map[string]string{session.RoleHeader: session.Admin}}
	if raw := readFile(t, filepath.Join(dir, "session.json")); raw != nil {
		require.NoError(t, json.Unmarshal(raw, &s.Variables))
		s.Role = s.Variables[session.RoleHeader]
	}
	return s
}

// readFile is the content of a file, nil when there is none.
func readFile(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return content
}

// requireFile compares with a wanted file, byte for byte.
func requireFile(t testing.TB, name string, got []byte) {
	t.Helper()
	got = append(bytes.Clone(got), '\n')
	if *update {
		require.NoError(t, os.WriteFile(name, got, 0o600))
		return
	}
	require.Equal(t, string(readFile(t, name)), string(got))
}
