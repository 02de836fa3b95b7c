package queryexecutor

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/oracle"
	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	"queryengine/pkg/testlong"
	planenv "queryengine/services/query-executor/internal/plan/env"
)

var (
	models    = flag.Int("models", 0, "how many random schemas the property tests make, 0 for the default of the kind")
	firstSeed = flag.Uint64("model", 0, "the seed of the first random schema")
)

// modelsOf is how many schemas a kind of database gets. SQLite costs little, so that what all kinds have in common, their permissions
// first, is always tried on all of them.
func modelsOf(name string) int {
	switch {
	case *models > 0:
		return *models
	case name == "SQLite":
		return 24
	}
	return testlong.Of(6, 24)
}

// queriesPerRole is how many queries each role of a random schema asks.
const queriesPerRole = 5

// TestRandomAnswers asks random queries of random roles on random schemas: each answer is the
// one that the oracle finds by looking at what the role may see, and nothing else.
func TestRandomAnswers(t *testing.T) {
	t.Parallel()
	workers := testlong.Of(2, 4)
	for name, open := range modelDatabases {
		for w := range workers {
			t.Run(name+" "+strconv.Itoa(w), func(t *testing.T) {
				t.Parallel()
				db := open(t)
				asked, several := 0, 0
				for i := w; i < modelsOf(name); i += workers {
					seed := *firstSeed + uint64(i) //nolint:gosec // G115: not negative
					m := oracle.New(seed, db.dialect)
					e := newModelFixture(t, db, m, seed)
					for _, role := range m.Roles {
						for n := range uint64(queriesPerRole) {
							switch {
							case requireAnswer(t, e, db, m, role, seed, n) == nil:
								asked++
							case errors.Is(requireAnswer(t, e, db, m, role, seed, n), oracle.ErrAmbiguous):
								several++
							}
						}
					}
					e.sources.Close()
				}
				t.Logf("%d answers are right, %d questions have several", asked, several)
				require.GreaterOrEqual(t, asked, several, "most questions should have one answer")
			})
		}
	}
}

// TestPoliciesAreRules: random rules of permissions, as policies of PostgreSQL, show the same rows.
func TestPoliciesAreRules(t *testing.T) {
	t.Parallel()
	role := dbtest.Role(t)
	db := postgresModels(t)
	asked, several := 0, 0
	for i := range modelsOf("PostgreSQL") {
		seed := *firstSeed + uint64(i) //nolint:gosec // G115: not negative
		m := oracle.New(seed, db.dialect)
		m.Police(role)
		e := newModelFixture(t, db, m, seed)
		for _, role := range m.Roles {
			for n := range uint64(2 * queriesPerRole) {
				switch err := requireAnswer(t, e, db, m, role, seed, n); {
				case err == nil:
					asked++
				case errors.Is(err, oracle.ErrAmbiguous):
					several++
				}
			}
		}
		e.sources.Close()
	}
	t.Logf("%d answers are right, %d questions have several", asked, several)
	require.GreaterOrEqual(t, asked, several, "most questions should have one answer")
}

// TestRandomChanges changes random rows as random roles: those that the permission and the
// condition choose among what the role sees, and no others.
func TestRandomChanges(t *testing.T) {
	t.Parallel()
	for name, open := range modelDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			if db.read == nil {
				t.Skip("nothing can be changed")
			}
			changes := 0
			for i := range modelsOf(name) {
				seed := *firstSeed + uint64(i) //nolint:gosec // G115: not negative
				m := oracle.New(seed, db.dialect)
				e := newModelFixture(t, db, m, seed)
				for n := range uint64(queriesPerRole) {
					for _, role := range m.Roles {
						changes += requireChange(t, e, db, m, role, seed, n)
					}
				}
				e.sources.Close()
			}
			require.Greater(t, changes, modelsOf(name))
		})
	}
}

// requireChange makes one random change, if there is one to make, and returns how many it has made.
func requireChange(t *testing.T, e *Executor, db *modelDatabase, m *oracle.Model, role string, seed, n uint64) int {
	t.Helper()
	c := m.Change(role, n)
	if c == nil {
		return 0
	}
	got, internal := ask(t, e, &request{
		session: &session.Session{Role: role, Variables: m.Session}, text: c.Text, variables: c.Variables,
	})
	if db.refuses(got, internal) {
		return 0
	}
	about := fmt.Sprintf("schema %d, role %s, change %d: %s\n%s\n%s\n%s", seed, role, n, c.Text, c.Variables, got, internal)
	require.Empty(t, oracle.Differs(c.Apply(), got), about)
	sql, want := c.State()
	require.Empty(t, oracle.Differs(want, db.read(t, sql)), about)
	return 1
}

// errRefused reports that the server refuses to answer a request.
var errRefused = errors.New("the server doesn't do this")

// requireAnswer asks one random query, twice: the second time the plan is there already.
func requireAnswer(t *testing.T, e *Executor, db *modelDatabase, m *oracle.Model, role string, seed, n uint64) error {
	t.Helper()
	q := m.Ask(role, n)
	if q == nil {
		return errors.ErrUnsupported
	}
	want, err := q.Answer()
	if err != nil {
		return err
	}
	for range 2 {
		got, internal := ask(t, e, &request{
			session: &session.Session{Role: role, Variables: m.Session}, text: q.Text, variables: q.Variables,
		})
		if db.refuses(got, internal) {
			return errRefused
		}
		if d := oracle.Differs(want, got); d != "" {
			require.Fail(t, d, "schema %d, role %s, query %d: %s\n%s\n%s\n%s", seed, role, n, q.Text, q.Variables, got, internal)
		}
	}
	return nil
}

// ask is the answer to a request, or the error with what clients don't see of it.
func ask(t *testing.T, e *Executor, q *request) (got, internal []byte) {
	t.Helper()
	out := backend.NewAnswer(nil, nil, 0)
	s := e.borrow()
	defer e.giveBack(s)
	if err := e.run(t.Context(), q, out, s); err != nil {
		known := apierror.From(err)
		return []byte(known.Message), known.InternalJSON()
	}
	return out.Buf, nil
}

// newModelFixture is an executor with the metadata of a model, whose database replaces the content of
// another one.
func newModelFixture(t *testing.T, db *modelDatabase, m *oracle.Model, seed uint64) *Executor {
	t.Helper()
	require.NoError(t, db.fill(t, m.SQL()), "schema %d:\n%s", seed, m.SQL())
	env := func(name string) (string, bool) {
		return db.address, name == "DATABASE" || name == "BIGQUERY_EMULATOR_HOST"
	}
	e, err := newExecutor(Config{
		PlanCacheSize: 1000, Limits: planenv.DefaultLimits, InferFunctionPermissions: true,
		LiveInterval: 20 * time.Millisecond, LiveBatch: 3,
	}, Deps{Kinds: kind.All(env, serviceName), Env: env, Logger: telemetry.Discard()})
	require.NoError(t, err)
	e.apply(snapshotOf(t, m.Metadata(), env))
	require.Empty(t, e.state.Load().schema.Inconsistencies(), "schema %d: %s", seed, m.Metadata())
	return e
}
