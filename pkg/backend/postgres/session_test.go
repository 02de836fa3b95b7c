package postgres

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// policySchema has a table whose rows belong to users, for a role that only sees and writes its user's.
const policySchema = `
	CREATE TABLE mine (id int4 PRIMARY KEY, owner text NOT NULL DEFAULT current_setting('app.user'), v int4 NOT NULL DEFAULT 0);
	INSERT INTO mine (id, owner) SELECT i, 'u' || i %% 8 FROM generate_series(0, 79) AS i;
	ALTER TABLE mine ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own ON mine USING (owner = current_setting('app.user')) WITH CHECK (owner = current_setting('app.user'));
	GRANT USAGE ON SCHEMA public TO %[1]s;
	GRANT SELECT, INSERT, UPDATE, DELETE ON mine TO %[1]s;`

// policed is a source whose requests take a role, and statements for it.
type policed struct {
	source                *Source
	db                    *pgx.Conn
	count, update, insert backend.Statement
	live                  backend.LiveStatement
}

// users have rows in policySchema.
const users = 8

func user(i int) *session.Session {
	return as("user", map[string]string{session.UserID: fmt.Sprintf("u%d", i%users)})
}

func newPolicies(t *testing.T, through func(address string) string, change func(*schedule.Endpoint)) *policed {
	t.Helper()
	role := dbtest.Role(t)
	address := dbtest.URL(t)
	db, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(t.Context()) })
	_, err = db.Exec(t.Context(), fmt.Sprintf(policySchema, pgx.Identifier{role}.Sanitize()))
	require.NoError(t, err)

	name, err := json.Marshal(role)
	require.NoError(t, err)
	settings := &SessionSettings{Set: map[string]string{"app.user": "X-Engine-User-Id", "app.engine": "queries"}, Role: name}
	require.NoError(t, settings.Check())
	if through != nil {
		address = through(address)
	}
	e := schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return address, nil }, MaxConnections: 3}}
	if change != nil {
		change(&e)
	}
	p := &policed{db: db}
	p.source, err = Open(t.Context(), Options{Primary: e, ApplicationName: "policies", Session: settings})
	require.NoError(t, err)
	t.Cleanup(p.source.Close)
	if e.Share == schedule.Always { // statements wait for each other, so that many share a round trip
		p.source.primary.Reads.RoundTrips, p.source.primary.Writes.RoundTrips = 1, 1
	}

	dialect := *New()
	dialect.session = newSessionSettings(settings)
	owner, v := field("owner", textType), field("v", int4Type)
	everyone := &ir.Select{Rows: ir.Rows{From: stored("mine")}, Fields: []ir.Field{owner}}
	everyone.DistinctOn = []ir.Expr{ir.Column{Name: "owner", Type: textType}}
	p.count, err = dialect.RenderQuery(everyone, backend.RenderOptions{})
	require.NoError(t, err)
	p.live, err = dialect.RenderLive(ir.Live{Roots: []ir.Root{everyone}}, backend.RenderOptions{})
	require.NoError(t, err)
	p.update, err = dialect.RenderMutation(&ir.Update{
		Table: public("mine"), Where: ir.And{}, Set: []ir.Assignment{{Column: ir.Column{Name: "v", Type: int4Type}, Op: ir.AssignInc, Value: number4("1")}},
		Output: ir.Output{Returning: []ir.Field{owner, v}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	p.insert, err = dialect.RenderMutation(&ir.Insert{
		Table: public("mine"), Columns: []ir.Column{idColumn, {Name: "owner", Type: textType}},
		Rows:   [][]ir.Value{{ir.Variable{Index: 0, Type: int4Type}, ir.Variable{Index: 1, Type: textType}}},
		Output: ir.Output{Returning: []ir.Field{owner}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	return p
}

// sees is what a user has to see.
func sees(u int) string { return fmt.Sprintf(`[{"owner":"u%d"}]`, u%users) }

func (p *policed) query(t *testing.T, s *session.Session) (string, error) {
	t.Helper()
	out := backend.NewAnswer(nil, nil, 0)
	err := p.source.Query(t.Context(), p.count, backend.Args{Session: s}, out)
	return string(out.Buf), err
}

func (p *policed) mutate(t *testing.T, s *session.Session, st backend.Statement, variables ...string) (string, error) {
	t.Helper()
	out := backend.NewAnswer(nil, nil, 0)
	err := p.source.Mutate(t.Context(), s, func(tx backend.Tx) error {
		backend.Last(tx)
		return tx.Query(t.Context(), st, backend.Args{Session: s, Variables: texts(variables...)}, out)
	})
	return string(out.Buf), err
}

// TestSessionsSeeTheirRows: requests of many users at the same time, on few connections, each see and write what policies of the database
// allow their user; nothing of a user is left in a connection.
func TestSessionsSeeTheirRows(t *testing.T) {
	t.Parallel()
	pooler := func(settings map[string]string) func(t *testing.T) func(string) string {
		return func(t *testing.T) func(string) string {
			t.Helper()
			return func(address string) string { return dbtest.Pooler(t, address, settings) }
		}
	}
	shares := func(e *schedule.Endpoint) { e.Share, e.Wait = schedule.Always, schedule.Always }
	for name, c := range map[string]struct {
		through func(*testing.T) func(string) string
		change  func(*schedule.Endpoint)
	}{
		"alone":        {nil, func(e *schedule.Endpoint) { e.Share, e.Wait = schedule.Off, schedule.Off }},
		"auto":         {nil, nil},
		"shared":       {nil, shares},
		"unprepared":   {nil, func(e *schedule.Endpoint) { e.Prepare = wire.PrepareNever }},
		"serializable": {nil, func(e *schedule.Endpoint) { e.Isolation, e.SerializationRetries = wire.Serializable, 50 }},
		"pooler":       {pooler(map[string]string{"pool_mode": "transaction", "default_pool_size": "2"}), shares},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var through func(string) string
			if c.through != nil {
				through = c.through(t)
			}
			p := newPolicies(t, through, c.change)
			var g errgroup.Group
			for worker := range 2 * users {
				g.Go(func() error {
					for i := range 20 {
						u := (worker + i) % users
						got, err := p.query(t, user(u))
						if err == nil && got != sees(u) {
							err = fmt.Errorf("user %d sees %s", u, got)
						}
						if err == nil && i%4 == 0 {
							got, err = p.mutate(t, user(u), p.update)
							if err == nil && (strings.Count(got, fmt.Sprintf(`"owner": "u%d"`, u))+strings.Count(got, fmt.Sprintf(`"owner":"u%d"`, u)) == 0 || strings.Count(got, "owner") != strings.Count(got, fmt.Sprintf(`"u%d"`, u))) {
								err = fmt.Errorf("user %d writes %s", u, got)
							}
						}
						if err != nil {
							return err
						}
					}
					return nil
				})
			}
			require.NoError(t, g.Wait())

			_, err := p.mutate(t, user(1), p.insert, "1001", "u1")
			require.NoError(t, err)
			_, err = p.mutate(t, user(1), p.insert, "1002", "u2")
			require.ErrorContains(t, err, `Policy violation. new row violates row-level security policy for table "mine"`, "another's row")
			require.Equal(t, apierror.PermissionError, apierror.From(err).Code)

			// The same for many cohorts of one statement.
			var cohorts [][][]byte
			for i := range 2 * users {
				values, err := p.live.Bind(backend.Args{Session: user(i)})
				require.NoError(t, err)
				require.Len(t, values, len(p.live.Columns()))
				cohorts = append(cohorts, values)
			}
			got := map[int]string{}
			require.NoError(t, p.source.QueryLive(t.Context(), p.live, cohorts, func(i int, roots [][]byte, _ []byte) { got[i] = string(roots[0]) }))
			require.Len(t, got, len(cohorts))
			for i, answer := range got {
				require.JSONEq(t, sees(i), answer)
			}
			_, plan, err := p.source.Explain(t.Context(), p.count, backend.Args{Session: user(1)})
			require.NoError(t, err)
			require.Contains(t, strings.Join(plan, "\n"), "app.user", "the plan has the policy")
			plan, err = p.source.ExplainLive(t.Context(), p.live, cohorts[0])
			require.NoError(t, err)
			require.Contains(t, strings.Join(plan, "\n"), "app.user")

			// What runs without a session has the role of the connection, and no setting.
			for range 3 {
				conn, err := p.source.primary.Acquire(t.Context())
				require.NoError(t, err)
				defer conn.Release()
				r := conn.PG.ExecParams(t.Context(), `SELECT current_user = session_user, coalesce(current_setting('app.user', true), '')`, nil, nil, nil, nil).Read()
				require.NoError(t, r.Err)
				require.Equal(t, "t", string(r.Rows[0][0]))
				require.Empty(t, string(r.Rows[0][1]))
			}
		})
	}
}

func TestSessionsWithoutWhatTheSourceSets(t *testing.T) {
	t.Parallel()
	p := newPolicies(t, nil, nil)
	got, err := p.query(t, user(3))
	require.NoError(t, err)
	require.Equal(t, sees(3), got)

	got, err = p.query(t, as("user", nil))
	require.NoError(t, err)
	require.Equal(t, "[]", got, "not what the session before it had")
	got, err = p.query(t, as("admin", nil))
	require.NoError(t, err)
	require.Equal(t, users, strings.Count(got, "owner"), "admin has the role of the connection")

	_, err = p.query(t, nil)
	require.ErrorIs(t, err, errNoSession)
	_, err = p.mutate(t, nil, p.update)
	require.ErrorIs(t, err, errNoSession)
	_, err = p.live.Bind(backend.Args{})
	require.ErrorIs(t, err, errNoSession)
	_, err = p.query(t, as("user", map[string]string{session.UserID: "a\x00b"}))
	require.Error(t, err, "PostgreSQL has no such text")
	got, err = p.query(t, user(4))
	require.NoError(t, err)
	require.Equal(t, sees(4), got)
}

// TestRolesThatCantBeTaken: what is wrong is the configuration, and clients don't learn the names of roles.
func TestRolesThatCantBeTaken(t *testing.T) {
	t.Parallel()
	login, other := dbtest.Role(t), dbtest.Role(t)
	address := dbtest.URL(t)
	db, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(t.Context()) })
	_, err = db.Exec(t.Context(), `CREATE TABLE mine (owner text); GRANT SELECT ON mine TO `+pgx.Identifier{login}.Sanitize()+`; ALTER ROLE `+pgx.Identifier{login}.Sanitize()+` LOGIN PASSWORD 'secret'`)
	require.NoError(t, err)
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User = url.UserPassword(login, "secret")
	for _, role := range []string{other, "no_such_role", `no"such"role`, "no\nsuch role"} {
		name, err := json.Marshal(role)
		require.NoError(t, err)
		e := schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return u.String(), nil }, MaxConnections: 1}}
		source, err := Open(t.Context(), Options{Primary: e, ApplicationName: "roles", Session: &SessionSettings{Role: name}})
		require.NoError(t, err)
		t.Cleanup(source.Close)
		st := statementOf(t, &ir.Select{Rows: table("mine"), Fields: []ir.Field{field("owner", textType)}})
		for range 3 {
			err = source.Query(t.Context(), st, backend.Args{Session: as("user", nil)}, backend.NewAnswer(nil, nil, 0))
			require.Error(t, err)
			require.Equal(t, apierror.InvalidConfiguration, apierror.From(err).Code, "%s: %v %s", role, err, apierror.From(err).InternalJSON())
			require.NotContains(t, apierror.From(err).Message, role)
		}
		out := backend.NewAnswer(nil, nil, 0)
		require.NoError(t, source.Query(t.Context(), st, backend.Args{Session: as("admin", nil)}, out))
		require.Equal(t, "[]", string(out.Buf))
	}
}

func TestRolesOfSessions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role    string
		session *session.Session
		want    string
		code    apierror.Code
	}{
		{`"app"`, as("user", nil), "app", ""},
		{`"app"`, as("admin", nil), "none", ""},
		{`{"admin":"boss","*":"app"}`, as("admin", nil), "boss", ""},
		{`{"user":"app_user","*":"app"}`, as("user", nil), "app_user", ""},
		{`{"user":"app_user","*":"app"}`, as("guest", nil), "app", ""},
		{`{"user":"app_user"}`, as("guest", nil), "", apierror.PermissionDenied},
		{`{"user":"app_user"}`, as("admin", nil), "none", ""},
		{`"x-engine-tenant"`, as("user", map[string]string{"x-engine-tenant": "t1"}), "t1", ""},
		{`"x-engine-tenant"`, as("user", nil), "", apierror.NotFound},
		{`"x-engine-tenant"`, as("user", map[string]string{"x-engine-tenant": ""}), "", apierror.NotFound},
		{`"x-engine-tenant"`, as("user", map[string]string{"x-engine-tenant": "None"}), "", apierror.PermissionDenied},
	} {
		settings := &SessionSettings{Role: json.RawMessage(c.role)}
		require.NoError(t, settings.Check())
		values, err := newSessionSettings(settings).values(c.session)
		if c.code != "" {
			require.Error(t, err, c.role)
			require.Equal(t, c.code, apierror.From(err).Code, c.role)
			continue
		}
		require.NoError(t, err, c.role)
		require.Equal(t, texts(c.want), values, c.role)
	}
}

func TestSessionSettingsAreChecked(t *testing.T) {
	t.Parallel()
	read := func(kind, text string) (*Configuration, error) {
		for _, k := range Kinds(os.LookupEnv, "test") {
			if k.Name == kind {
				c := k.Configuration().(*Configuration)
				return c, metadata.DecodeSetting(json.RawMessage(`{"connection_info":{"database_url":"postgres://nowhere"},"session":`+text+`}`), c)
			}
		}
		return nil, nil
	}
	for text, want := range map[string][2]string{
		`{"set":{"search_path":"x"}}`:             {"$.session.set.search_path", "with a dot"},
		`{"set":{"app.a b":"x"}}`:                 {"a b", "with a dot"},
		`{"set":{"app.user', '')--":"x"}}`:        {"app.user", "with a dot"},
		`{"set":{"Engine.user":"x-engine-role"}}`: {"Engine.user", "the engine's own"},
		`{"set":{"app.User":"x","app.user":"y"}}`: {"app.user", "already"},
		`{"role":""}`:          {"$.session.role", "can't be empty"},
		`{"roles":"app"}`:      {"$.session.roles", "unknown key"},
		`{"role":{}}`:          {"$.session.role", "expected the name of a database role"},
		`{"role":["a"]}`:       {"$.session.role", "expected the name of a database role"},
		`{"role":{"user":""}}`: {"$.session.role.user", "can't be empty"},
	} {
		_, err := read("postgres", text)
		require.Error(t, err, text)
		require.Contains(t, apierror.From(err).Path, want[0], text)
		require.Contains(t, apierror.From(err).Message, want[1], text)
	}
	for _, text := range []string{`{}`, `{"set":{"request.jwt.claim.sub":"x-engine-user-id"}}`, `{"role":"app"}`, `{"role":{"user":"app","*":"x-engine-tenant"}}`} {
		c, err := read("postgres", text)
		require.NoError(t, err, text)
		kept, err := json.Marshal(c.Session)
		require.NoError(t, err)
		require.JSONEq(t, text, string(kept))
	}
	for _, kind := range []string{"citus", "cockroach"} {
		_, err := read(kind, `{"role":"app"}`)
		require.Equal(t, apierror.NotSupported, apierror.From(err).Code, kind)
	}
}

func TestDialectsOfSessionSettings(t *testing.T) {
	t.Parallel()
	kind := Kinds(os.LookupEnv, "test")[0]
	dialect := func(configuration string) backend.Dialect {
		d, err := kind.Dialect(&catalog.Source{}, json.RawMessage(configuration))
		require.NoError(t, err)
		return d
	}
	plain := dialect(`{"connection_info":{}}`)
	require.True(t, plain == dialect(`{"session":{}}`), "nothing is set")
	bound := dialect(`{"session":{"set":{"app.user":"x-engine-user-id","app.x":"y"},"role":{"a":"x-engine-a","*":"b"}}}`)
	require.True(t, bound == dialect(`{"connection_info":{},"session":{"set":{"app.user":"x-engine-user-id","app.x":"y"},"role":{"a":"x-engine-a","*":"b"}}}`), "equal ones are one")
	require.False(t, bound == plain)
	settings, names := backend.BoundBySession(bound)
	require.NotEmpty(t, settings)
	require.Equal(t, []string{"x-engine-a", "x-engine-role", "x-engine-user-id"}, names)
	none, _ := backend.BoundBySession(plain)
	require.Empty(t, none)
	settings, names = backend.BoundBySession(dialect(`{"session":{"set":{"app.x":"y"}}}`))
	require.NotEmpty(t, settings, "policies may decide by it")
	require.Empty(t, names)

	keys := map[string]bool{}
	for _, configuration := range []string{`{}`, `{"session":{"set":{"app.x":"y"}}}`, `{"session":{"set":{"app.x":"z"}}}`, `{"session":{"role":"a"}}`, `{"session":{"role":"b"}}`} {
		st, err := dialect(configuration).(backend.LiveRenderer).RenderLive(ir.Live{Roots: []ir.Root{&ir.Select{Rows: table("mine"), Fields: []ir.Field{field("owner", textType)}}}}, backend.RenderOptions{})
		require.NoError(t, err)
		keys[st.Key()] = true
	}
	require.Len(t, keys, 5, "subscriptions whose sessions set something else never run together")
}

// BenchmarkSessionSettings is what settings of sessions cost a query by key: next to none, settings alone, and a role as well, whose policy
// reads one of them.
func BenchmarkSessionSettings(b *testing.B) {
	role := dbtest.Role(b)
	quoted := pgx.Identifier{role}.Sanitize()
	f := newFixture(b, benchSchema+`GRANT SELECT ON track TO `+quoted+`; ALTER TABLE track ENABLE ROW LEVEL SECURITY;
		CREATE POLICY cheap ON track TO `+quoted+` USING (milliseconds < current_setting('app.most')::int)`, nil)
	name, err := json.Marshal(role)
	require.NoError(b, err)
	st, err := New().RenderQuery(benchPlans[0].root, backend.RenderOptions{})
	require.NoError(b, err)
	args := backend.Args{Variables: benchPlans[0].args, Session: as("user", map[string]string{"x-engine-most": "1000000"})}
	set := map[string]string{"app.most": "x-engine-most", "app.role": "x-engine-role"}
	for _, c := range []struct {
		name     string
		settings *SessionSettings
	}{{"none", nil}, {"set", &SessionSettings{Set: set}}, {"set and role", &SessionSettings{Set: set, Role: name}}} {
		b.Run(c.name, func(b *testing.B) {
			source := *f.source.Server
			source.session = newSessionSettings(c.settings)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				out := backend.NewAnswer(nil, nil, 0)
				for pb.Next() {
					out.Buf = out.Buf[:0]
					if err := source.Query(b.Context(), st, args, out); err != nil || len(out.Buf) < 20 {
						b.Error(err, string(out.Buf))
						return
					}
				}
			})
		})
	}
}

// TestPoliciesWriteNothing: where requests only read, the server refuses what a policy writes.
func TestPoliciesWriteNothing(t *testing.T) {
	t.Parallel()
	p := newPolicies(t, nil, nil)
	reads := backend.Args{Session: user(1), ReadOnly: true}
	require.Equal(t, answerOf(t, p.source, p.count, backend.Args{Session: user(1)}), answerOf(t, p.source, p.count, reads))
	_, err := p.db.Exec(t.Context(), `CREATE TABLE seen (id serial);
		CREATE FUNCTION sees() RETURNS boolean LANGUAGE sql VOLATILE SECURITY DEFINER AS 'INSERT INTO seen DEFAULT VALUES RETURNING true';
		CREATE POLICY seen ON mine AS RESTRICTIVE USING (sees())`)
	require.NoError(t, err)
	require.True(t, backend.WasWriteRefused(failed(t, p.source, p.count, reads)))
	answerOf(t, p.source, p.count, backend.Args{Session: user(1)})
}
