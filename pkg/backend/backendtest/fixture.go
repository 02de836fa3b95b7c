package backendtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// Fixture is what Exercise has to know of a kind.
type Fixture struct {
	Dialect backend.Dialect
	// Open makes a new database without tables, and opens it. Both end with the test.
	Open func(t testing.TB) Database
	SQL  SQL
	// Place, when set, are statements that place new tables on nodes.
	Place func(tables []Table) string
	// Server and Layout describe the server in the report. Exercise reports nothing when Server is empty.
	Server, Layout string
	// Except names tests that the kind can't pass, with the reason. A name holds for the tests
	// below it, too.
	Except map[string]string
	// NumbersAsTexts is set where numbers are texts in answers.
	NumbersAsTexts bool
}

// Database is an open source with a way to change its content from outside of the engine.
type Database struct {
	Source backend.Source
	// Exec runs statements of Fixture.SQL.
	Exec func(t testing.TB, statements string)
}

// bench is a database with the tables of a test.
type bench struct {
	*Fixture
	Database
	Plans
}

// open makes a database with tables.
func (f *Fixture) open(t testing.TB, tables ...Table) *bench {
	t.Helper()
	b := &bench{Fixture: f, Database: f.Open(t)}
	b.Exec(t, f.SQL.Statements(tables))
	if f.Place != nil {
		b.Exec(t, f.Place(tables))
	}
	found, err := b.Source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	b.Plans = PlansOf(*f, found)
	return b
}

// exercise is one run of Exercise.
type exercise struct {
	Fixture
	// met are the exceptions that name a test.
	met map[string]bool
	// cases is the number of tests that have run, without groups of them.
	cases int
}

// Exercise runs all tests of a kind.
func Exercise(t *testing.T, f Fixture) {
	t.Helper()
	x := &exercise{Fixture: f, met: map[string]bool{}}
	kind := metadata.KindNamed(f.Dialect.Kind())
	require.NotNil(t, kind, "the kind has no row in pkg/metadata")
	x.run(t, "capabilities", func(t *testing.T, _ string) { x.capabilities(t, kind) })
	x.run(t, "introspection", x.introspection)
	x.run(t, "types", x.types)
	x.run(t, "operators", x.operators)
	x.run(t, "queries", x.queries)
	x.run(t, "errors", x.errors)
	x.run(t, "run_sql", x.runSQL)
	if kind.Can(metadata.Mutations) {
		x.run(t, "mutations", x.mutations)
		x.run(t, "transactions", x.transactions)
	}
	if kind.Can(metadata.Subscriptions) {
		x.run(t, "live", x.live)
	}
	if kind.Can(metadata.EventTriggers) {
		x.run(t, "events", x.events)
	}
	for name := range f.Except {
		require.True(t, x.met[name], "no test has the name of the exception %q", name)
	}
	x.report(t)
}

// report adds what a run has proven to the file of the tested databases, for a server that has a name.
func (x *exercise) report(t *testing.T) {
	if x.Server != "" {
		Report(t, Tested{Server: x.Server, Tests: "kinds", Layout: x.Layout, Cases: x.cases, Except: x.Except})
	}
}

// ExerciseDialect runs the tests of what a dialect renders, over a database that only stands for its own.
func ExerciseDialect(t *testing.T, f Fixture) {
	t.Helper()
	x := &exercise{Fixture: f, met: map[string]bool{}}
	kind := metadata.KindNamed(f.Dialect.Kind())
	require.NotNil(t, kind, "the kind has no row in pkg/metadata")
	x.run(t, "operators", x.operators)
	x.run(t, "queries", x.queries)
	if kind.Can(metadata.Mutations) {
		x.run(t, "mutations", x.mutations)
	}
	if kind.Can(metadata.Subscriptions) {
		x.run(t, "live", x.live)
	}
	for name := range f.Except {
		require.True(t, x.met[name], "no test has the name of the exception %q", name)
	}
	x.report(t)
}

// capabilities holds that the capabilities of a kind in the metadata and the interfaces that its
// sources implement agree.
func (x *exercise) capabilities(t *testing.T, kind *metadata.Kind) {
	source := x.Open(t).Source
	_, renders := x.Dialect.(backend.LiveRenderer)
	_, live := source.(backend.LiveSource)
	_, triggers := source.(backend.EventTriggers)
	_, log := source.(backend.EventLog)
	for _, part := range []struct {
		name       string
		capability metadata.Capability
		has        bool
	}{
		{"a renderer of subscriptions", metadata.Subscriptions, renders},
		{"subscriptions", metadata.Subscriptions, live},
		{"event triggers", metadata.EventTriggers, triggers},
		{"an event log", metadata.EventTriggers, log},
	} {
		require.Equal(t, kind.Can(part.capability), part.has, part.name)
	}
}

// run runs a test, or a group of them, unless it is an exception.
func (x *exercise) run(t *testing.T, name string, test func(t *testing.T, at string)) {
	t.Helper()
	x.sub(t, "", name, test)
}

// sub is run for a test of the group at.
func (x *exercise) sub(t *testing.T, at, name string, test func(t *testing.T, at string)) {
	t.Helper()
	if at != "" {
		at += "/"
	}
	at += name
	reason, excepted := x.Except[at]
	if excepted {
		x.met[at] = true
	}
	t.Run(name, func(t *testing.T) {
		if excepted {
			t.Skip(reason)
		}
		before := x.cases
		if test(t, at); x.cases == before {
			x.cases++
		}
	})
}

// as is a session of a role.
func as(role string, variables map[string]string) *session.Session {
	all := map[string]string{session.RoleHeader: role}
	for name, value := range variables {
		all[name] = value
	}
	return &session.Session{Role: role, Variables: all}
}

// query runs a plan and gives its answer.
func (b *bench) query(ctx context.Context, q Query) (string, error) {
	statement, err := b.Fixture.Dialect.RenderQuery(q.Root, q.Options)
	if err != nil {
		return "", err
	}
	out := backend.NewAnswer(nil, nil, 0)
	err = b.Source.Query(ctx, statement, q.Args, out)
	return string(out.Buf), err
}

// answer is query for plans that must not fail.
func (b *bench) answer(t testing.TB, q Query) string {
	t.Helper()
	got, err := b.query(t.Context(), q)
	require.NoError(t, err)
	return got
}
