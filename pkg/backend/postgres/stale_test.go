package postgres

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

var allStale = flag.Bool("stale-all", false, "run every change of a schema with every trigger in every mode, and not only some")

// usedSchema is what is in use while something changes; @ stands for the schema, @db for the database.
const usedSchema = `
	CREATE SCHEMA @;
	CREATE DOMAIN @.word AS text;
	CREATE TYPE @.mood AS ENUM ('glad', 'sad');
	CREATE TYPE @.pair AS (a int, b text);
	CREATE TABLE @.note (id int PRIMARY KEY, label text, short varchar(3), n numeric(4,1), w @.word, m @.mood DEFAULT 'glad', p @.pair, rest text DEFAULT 'r');
	CREATE TABLE @.seen (id int, label text);
	CREATE TABLE @.plain (id int PRIMARY KEY, label text);
	CREATE VIEW @.notes AS SELECT id, label FROM @.note;
	CREATE FUNCTION @.upper_label(r @.note) RETURNS text STABLE LANGUAGE sql AS 'SELECT upper(r.label)';
	CREATE FUNCTION @.lower_label(r @.note) RETURNS text STABLE LANGUAGE plpgsql AS 'BEGIN RETURN lower(r.label); END';
	INSERT INTO @.note (id, label, short, n, w, p) VALUES (1, 'one', 'abc', 1.5, 'w', '(1,a)');`

// usedTriggers are the triggers of a table in use.
var usedTriggers = map[string]string{
	"none": ``,
	"assigns": `CREATE FUNCTION @.t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
			NEW.label := NEW.label || '!'; NEW.rest := 'set'; NEW.m := 'sad'; NEW.p.a := 7; RETURN NEW; END $$;
		CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON @.note FOR EACH ROW EXECUTE FUNCTION @.t();`,
	"row variables": `CREATE FUNCTION @.t() RETURNS trigger LANGUAGE plpgsql AS $$
		DECLARE r @.note%ROWTYPE; s @.note.short%TYPE; m @.note.m%TYPE; w @.word; p @.pair; x record; l @.notes%ROWTYPE; BEGIN
			IF TG_OP = 'DELETE' THEN r := OLD; INSERT INTO @.seen SELECT r.id, r.label; RETURN OLD; END IF;
			s := NEW.short; m := NEW.m; w := NEW.w; p := NEW.p; p.a := 8; r := NEW; r.rest := s;
			SELECT * INTO x FROM @.note LIMIT 1;
			SELECT * INTO l FROM @.notes LIMIT 1;
			INSERT INTO @.seen VALUES (r.id, x.rest || l.label || r.label);
			NEW := r; RETURN NEW; END $$;
		CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON @.note FOR EACH ROW EXECUTE FUNCTION @.t();`,
	"deferred": `CREATE FUNCTION @.t() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE r @.note; BEGIN
			SELECT * INTO r FROM @.note WHERE id = coalesce(NEW.id, OLD.id);
			r.label := 'x'; r.short := 'y'; INSERT INTO @.seen SELECT r.id, r.label; RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER t AFTER INSERT OR UPDATE OR DELETE ON @.note DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION @.t();`,
	"SQL function": `CREATE FUNCTION @.f(r @.note) RETURNS @.note VOLATILE LANGUAGE sql AS $$ SELECT r.* $$;
		CREATE FUNCTION @.g(r @.note) RETURNS text VOLATILE LANGUAGE sql AS $$ INSERT INTO @.seen VALUES (r.id, r.label) RETURNING label; $$;
		CREATE FUNCTION @.t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF TG_OP = 'DELETE' THEN PERFORM @.g(OLD); RETURN OLD; END IF;
			NEW := @.f(NEW); NEW.label := @.g(NEW) || @.upper_label(NEW) || @.lower_label(NEW); RETURN NEW; END $$;
		CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON @.note FOR EACH ROW EXECUTE FUNCTION @.t();`,
	"unqualified": `ALTER DATABASE @db SET search_path = @, public; SET search_path = @, public;
		CREATE FUNCTION @.t() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE b word; BEGIN
			IF TG_OP = 'DELETE' THEN INSERT INTO seen VALUES (OLD.id, OLD.label); RETURN OLD; END IF;
			b := lower_label(NEW); INSERT INTO seen VALUES (NEW.id, b); RETURN NEW; END $$;
		CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON @.note FOR EACH ROW EXECUTE FUNCTION @.t();`,
}

var usedTriggerNames = []string{"none", "assigns", "row variables", "deferred", "SQL function", "unqualified"}

const recreated = `DROP TABLE @.note CASCADE;
	CREATE TABLE @.note (id int PRIMARY KEY, short varchar(9), label varchar, n numeric, w @.word, m @.mood, p @.pair, rest text);
	INSERT INTO @.note (id, label) VALUES (1, 'other');
	CREATE VIEW @.notes AS SELECT id, label FROM @.note;
	CREATE FUNCTION @.upper_label(r @.note) RETURNS text STABLE LANGUAGE sql AS 'SELECT upper(r.label)';
	CREATE FUNCTION @.lower_label(r @.note) RETURNS text STABLE LANGUAGE plpgsql AS 'BEGIN RETURN lower(r.label); END';
	DO $$ BEGIN IF to_regproc('@.t') IS NOT NULL THEN
		CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON @.note FOR EACH ROW EXECUTE FUNCTION @.t(); END IF; END $$`

// schemaChanges are changes of the schema by other clients.
var schemaChanges = []struct{ name, sql string }{
	{"alter type", `DROP VIEW @.notes; ALTER TABLE @.note ALTER label TYPE varchar; CREATE VIEW @.notes AS SELECT id, label FROM @.note`},
	{"alter length", `ALTER TABLE @.note ALTER short TYPE varchar(30)`},
	{"alter type of what isn't read", `ALTER TABLE @.note ALTER rest TYPE varchar(20)`},
	{"alter type twice", `ALTER TABLE @.note ALTER rest TYPE varchar(20); ALTER TABLE @.note ALTER rest TYPE text`},
	{"alter type of a number", `ALTER TABLE @.note ALTER n TYPE int`},
	{"alter type of the key", `DROP VIEW @.notes; ALTER TABLE @.note ALTER id TYPE bigint; CREATE VIEW @.notes AS SELECT id, label FROM @.note`},
	{"alter type of the log", `ALTER TABLE @.seen ALTER label TYPE varchar, ALTER id TYPE bigint`},
	{"add column", `ALTER TABLE @.note ADD more int DEFAULT 5`},
	{"add and drop column", `ALTER TABLE @.note ADD more int DEFAULT 5; ALTER TABLE @.note DROP more`},
	{"drop column that isn't read", `ALTER TABLE @.note DROP n`},
	{"drop column", `ALTER TABLE @.note DROP rest`},
	{"drop column that is read", `ALTER TABLE @.note DROP label CASCADE`},
	{"drop and add column", `ALTER TABLE @.note DROP rest; ALTER TABLE @.note ADD rest varchar DEFAULT 'again'`},
	{"rename column", `ALTER TABLE @.note RENAME n TO number`},
	{"rename columns crosswise", `ALTER TABLE @.note RENAME rest TO tmp; ALTER TABLE @.note RENAME w TO rest; ALTER TABLE @.note RENAME tmp TO w`},
	{"rename table and back", `ALTER TABLE @.note RENAME TO note2; ALTER TABLE @.note2 RENAME TO note`},
	{"drop and recreate table", recreated},
	{"recreate the log", `DROP TABLE @.seen; CREATE TABLE @.seen (id bigint, label varchar)`},
	{"change default", `ALTER TABLE @.note ALTER rest SET DEFAULT 'new'`},
	{"generated column", `ALTER TABLE @.note ADD g text GENERATED ALWAYS AS (upper(label)) STORED`},
	{"column becomes generated", `ALTER TABLE @.note DROP short; ALTER TABLE @.note ADD short text GENERATED ALWAYS AS ('x' || id) STORED`},
	{"enum value", `ALTER TYPE @.mood ADD VALUE 'calm' BEFORE 'sad'`},
	{"enum value renamed", `ALTER TYPE @.mood RENAME VALUE 'sad' TO 'blue'; ALTER TYPE @.mood RENAME VALUE 'glad' TO 'sad'`},
	{"enum recreated", `ALTER TABLE @.note ALTER m DROP DEFAULT, ALTER m TYPE text; DROP TYPE @.mood; CREATE TYPE @.mood AS ENUM ('sad', 'glad');
		ALTER TABLE @.note ALTER m TYPE @.mood USING m::@.mood, ALTER m SET DEFAULT 'glad'`},
	{"composite type", `ALTER TYPE @.pair ADD ATTRIBUTE c int, DROP ATTRIBUTE b`},
	{"composite type recreated", `ALTER TABLE @.note ALTER p TYPE text USING NULL; DROP TYPE @.pair; CREATE TYPE @.pair AS (b text, a bigint);
		ALTER TABLE @.note ALTER p TYPE @.pair USING NULL`},
	{"domain changed", `ALTER DOMAIN @.word ADD CHECK (value <> 'wrong')`},
	{"domain recreated", `ALTER TABLE @.note ALTER w TYPE text; DROP DOMAIN @.word; CREATE DOMAIN @.word AS varchar; ALTER TABLE @.note ALTER w TYPE @.word`},
	{"constraint", `ALTER TABLE @.note ADD CHECK (id < 1000000); ALTER TABLE @.note ALTER label SET NOT NULL`},
	{"view replaced", `CREATE OR REPLACE VIEW @.notes AS SELECT id, label, 'more' AS more FROM @.note`},
	{"view of another type", `DROP VIEW @.notes; CREATE VIEW @.notes AS SELECT id::bigint, label::varchar FROM @.note`},
	{"function replaced", `CREATE OR REPLACE FUNCTION @.lower_label(r @.note) RETURNS text STABLE LANGUAGE plpgsql AS 'BEGIN RETURN ''l'' || r.label; END'`},
	{"function recreated", `DROP FUNCTION @.lower_label(@.note); CREATE FUNCTION @.lower_label(r @.note) RETURNS varchar STABLE LANGUAGE plpgsql AS 'BEGIN RETURN ''l'' || r.label; END'`},
	{"trigger replaced", `DROP TRIGGER IF EXISTS t ON @.note; CREATE OR REPLACE FUNCTION @.t() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN NEW.rest := 'other'; RETURN NEW; END $$; CREATE TRIGGER t BEFORE INSERT ON @.note FOR EACH ROW EXECUTE FUNCTION @.t()`},
	{"inherited", `CREATE TABLE @.child (more int) INHERITS (@.note); INSERT INTO @.child (id, label) VALUES (90, 'child')`},
	{"partitioned", `ALTER TABLE @.note RENAME TO part; ALTER TABLE @.part RENAME CONSTRAINT note_pkey TO part_pkey; DROP VIEW @.notes;
		CREATE TABLE @.note (LIKE @.part, PRIMARY KEY (id)) PARTITION BY RANGE (id);
		ALTER TABLE @.note ATTACH PARTITION @.part FOR VALUES FROM (0) TO (50); CREATE TABLE @.part2 PARTITION OF @.note FOR VALUES FROM (50) TO (1000000);
		CREATE VIEW @.notes AS SELECT id, label FROM @.note`},
	{"row security", `ALTER TABLE @.note ENABLE ROW LEVEL SECURITY`},
	{"search path", `CREATE SCHEMA @b; ALTER TABLE @.seen SET SCHEMA @b; CREATE VIEW @.other AS SELECT 1; ALTER DATABASE @db SET search_path = @b, @, public`},
	{"schema renamed", `ALTER SCHEMA @ RENAME TO @x; ALTER SCHEMA @x RENAME TO @`},
}

// usedModes are the ways in which statements reach the server.
var usedModes = []string{"prepared", "generic", "never", "pipeline", "shared"}

// stale is a source with one old session.
type stale struct {
	mode string
	*fixture
	// schemas and others count the schemas, and the rows that others write.
	schemas, others int
}

func newStale(t *testing.T, mode string) *stale {
	t.Helper()
	s := &stale{mode: mode}
	s.fixture = newFixture(t, "SELECT 1", s.endpoint)
	s.set(s.source)
	return s
}

func (s *stale) endpoint(e *schedule.Endpoint) {
	e.MaxConnections = 1
	switch s.mode {
	case "never":
		e.Prepare = wire.PrepareNever
	case "generic":
		direct := e.URL
		e.URL = func() (string, error) {
			address, err := direct()
			if err != nil {
				return "", err
			}
			u, err := url.Parse(address)
			if err != nil {
				return "", err
			}
			q := u.Query()
			q.Set("plan_cache_mode", "force_generic_plan")
			u.RawQuery = q.Encode()
			return u.String(), nil
		}
	}
}

func (s *stale) set(source *Source) {
	if s.mode == "shared" {
		for _, sharer := range []*schedule.Batcher{source.primary.Reads, source.primary.Writes} {
			sharer.RoundTrips, sharer.Always = 1, true
			sharer.Yield = func() { time.Sleep(time.Millisecond) } // for the others to come
		}
	}
}

// fresh is a source without a session.
func (s *stale) fresh(t *testing.T) *Source {
	t.Helper()
	e := schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return s.url, nil }}}
	s.endpoint(&e)
	source, err := Open(t.Context(), Options{Primary: e, ApplicationName: "fresh"})
	require.NoError(t, err)
	s.set(source)
	return source
}

// used are the statements about what is in use.
type used struct {
	names      []string
	plain      func(ctx context.Context, s *Source, id string) error
	statements map[string]func(ctx context.Context, s *Source, id string) (string, error)
}

func (s *stale) statements(t *testing.T, schema string) *used {
	t.Helper()
	name := func(n string) catalog.Name { return catalog.Name{Schema: schema, Name: n} }
	u := &used{statements: map[string]func(context.Context, *Source, string) (string, error){}}
	add := func(name string, run func(ctx context.Context, s *Source, id string) (string, error)) {
		u.names = append(u.names, name)
		u.statements[name] = run
	}
	key := ir.Variable{Type: int4Type}
	where := equals("id", int4Type, key)
	fields := []ir.Field{idField, field("label", textType)}
	reads := func(kind string, root ir.Root) {
		st := statementOf(t, root)
		add(kind, func(ctx context.Context, s *Source, _ string) (string, error) {
			out := backend.NewAnswer(nil, nil, 0)
			err := s.Query(ctx, st, backend.Args{Variables: texts("1")}, out)
			return string(out.Buf), err
		})
		live, err := New().RenderLive(ir.Live{Roots: []ir.Root{root}}, backend.RenderOptions{})
		require.NoError(t, err)
		add("live "+kind, func(ctx context.Context, s *Source, _ string) (string, error) {
			values, err := live.Bind(backend.Args{Variables: texts("1")})
			if err != nil {
				return "", err
			}
			var got string
			err = s.QueryLive(ctx, live, [][][]byte{values}, func(_ int, roots [][]byte, _ []byte) { got = string(roots[0]) })
			return got, err
		})
	}
	reads("table", &ir.Select{Rows: ir.Rows{From: ir.Table{Name: name("note"), Stored: true}, Where: where}, Fields: fields})
	reads("view", &ir.Select{Rows: ir.Rows{From: ir.Table{Name: name("notes")}, Where: where}, Fields: fields})
	reads("functions", &ir.Select{Rows: ir.Rows{From: ir.Table{Name: name("note")}, Where: where}, Fields: []ir.Field{
		{Alias: "u", Value: ir.Scalar{Expr: ir.Call{Function: name("upper_label"), Args: []ir.CallArg{{Row: true}}}, Type: textType}},
		{Alias: "l", Value: ir.Scalar{Expr: ir.Call{Function: name("lower_label"), Args: []ir.CallArg{{Row: true}}}, Type: textType}},
	}})
	writes := func(kind string, root ir.Mutation, args func(id string) [][]byte) {
		st, err := New().RenderMutation(root, backend.RenderOptions{})
		require.NoError(t, err)
		add(kind, func(ctx context.Context, s *Source, id string) (string, error) {
			out := backend.NewAnswer(nil, nil, 0)
			err := s.Mutate(ctx, as("clerk", nil), func(tx backend.Tx) error {
				backend.Last(tx)
				return tx.Query(ctx, st, backend.Args{Variables: args(id)}, out)
			})
			return string(out.Buf), err
		})
	}
	output := ir.Output{Returning: fields}
	labelColumn, shortColumn := ir.Column{Name: "label", Type: textType}, ir.Column{Name: "short", Type: textType}
	second, third := ir.Variable{Index: 1, Type: textType}, ir.Variable{Index: 2, Type: textType}
	insert := &ir.Insert{Table: name("note"), Columns: []ir.Column{idColumn, labelColumn, shortColumn}, Rows: [][]ir.Value{{key, second, third}}, Output: output}
	update := &ir.Update{Table: name("note"), Where: where, Set: []ir.Assignment{{Column: labelColumn, Op: ir.AssignSet, Value: second}}, Output: output}
	remove := &ir.Delete{Table: name("note"), Where: where, Output: output}
	short := func(id string) string { // longer than it may be at first
		if len(id) > 2 {
			return "long" + id
		}
		return "abc"
	}
	writes("insert", insert, func(id string) [][]byte { return texts(id, "label", short(id)) })
	writes("update", update, func(id string) [][]byte { return texts(id, "Changed") })
	writes("delete", remove, func(id string) [][]byte { return texts(id) })

	list := make([]backend.Statement, 3)
	for i, root := range []ir.Mutation{insert, update, remove} {
		st, err := New().RenderMutation(root, backend.RenderOptions{})
		require.NoError(t, err)
		list[i] = st
	}
	plain, err := New().RenderMutation(&ir.Insert{Table: name("plain"), Columns: []ir.Column{idColumn, labelColumn}, Rows: [][]ir.Value{{key, second}}, Output: output}, backend.RenderOptions{})
	require.NoError(t, err)
	u.plain = func(ctx context.Context, s *Source, id string) error {
		return s.Mutate(ctx, as("clerk", nil), func(tx backend.Tx) error {
			backend.Last(tx)
			return tx.Query(ctx, plain, backend.Args{Variables: texts(id, "p")}, backend.NewAnswer(nil, nil, 0))
		})
	}
	add("transaction", func(ctx context.Context, s *Source, id string) (string, error) {
		var all []string
		err := s.Mutate(ctx, as("clerk", nil), func(tx backend.Tx) error {
			all = nil
			for i, st := range append([]backend.Statement{plain}, list...) {
				out := backend.NewAnswer(nil, nil, 0)
				args := [][][]byte{texts(id, "p"), texts(id, "label", short(id)), texts(id, "Changed"), texts(id)}[i]
				if err := tx.Query(ctx, st, backend.Args{Variables: args}, out); err != nil {
					return err
				}
				all = append(all, string(out.Buf))
			}
			return nil
		})
		return strings.Join(all, " "), err
	})
	return u
}

// outcome is what a statement comes to, with the server's words about its error.
func outcome(answer string, err error) string {
	if err == nil {
		return answer
	}
	e := apierror.From(err)
	if d, ok := e.Internal.(wire.Detail); ok {
		return fmt.Sprint("fault: ", e.Code, " ", e.Message, " ", d.Detail())
	}
	return fmt.Sprint("fault: ", e.Code, " ", e.Message, " ", e.Internal)
}

// run runs a statement. Where round trips are shared, others run at the same time.
func (s *stale) run(t *testing.T, u *used, name string, source *Source, id string) string {
	t.Helper()
	if s.mode == "pipeline" {
		c, err := source.primary.Acquire(t.Context())
		require.NoError(t, err)
		c.Suspends = false
		c.Release()
	}
	if s.mode != "shared" {
		return outcome(u.statements[name](t.Context(), source, id))
	}
	writes := map[string]bool{"insert": true, "update": true, "delete": true}[name]
	var g errgroup.Group
	for range 2 {
		s.others++
		other := strconv.Itoa(1000 + s.others)
		g.Go(func() error {
			if writes {
				return u.plain(t.Context(), source, other)
			}
			_ = outcome(u.statements["table"](t.Context(), source, "1")) // which may have lost its table
			return nil
		})
	}
	got := outcome(u.statements[name](t.Context(), source, id))
	require.NoError(t, g.Wait())
	return got
}

// requireSame holds that after a change the statements of an old session come to what they come to in a new one.
func (s *stale) requireSame(t *testing.T, change struct{ name, sql string }, trigger string) {
	t.Helper()
	s.schemas++
	schema := "s" + strconv.Itoa(s.schemas)
	database := s.text(t, `SELECT quote_ident(current_database())`)
	replace := strings.NewReplacer("@db", database, "@", schema)
	apply := func(sql string) {
		s.exec(t, `RESET ALL`)
		_, err := s.db.Exec(t.Context(), replace.Replace(sql))
		require.NoError(t, err, replace.Replace(sql))
	}
	apply(usedSchema)
	apply(usedTriggers[trigger])
	if trigger == "unqualified" { // the settings of a database are those of new sessions
		c, err := s.source.primary.Acquire(t.Context())
		require.NoError(t, err)
		c.Discard()
		c.Release()
		defer apply(`ALTER DATABASE @db RESET search_path`)
	}
	u := s.statements(t, schema)
	for i := range 2 {
		for _, name := range u.names {
			got := s.run(t, u, name, s.source, strconv.Itoa(20+i))
			require.NotContains(t, got, "fault", name)
		}
	}
	apply(change.sql)
	if strings.Contains(change.sql, "search_path") && trigger != "unqualified" {
		defer apply(`ALTER DATABASE @db RESET search_path`)
	}
	reset := func() {
		s.exec(t, replace.Replace(`SET session_replication_role = replica; DELETE FROM @.note; DELETE FROM @.plain;
			DO $$ BEGIN INSERT INTO @.note (id, label) VALUES (1, 'again');
				EXCEPTION WHEN undefined_column THEN INSERT INTO @.note (id) VALUES (1); END $$`))
	}
	fresh := s.fresh(t)
	defer fresh.Close()
	reset()
	for _, name := range u.names {
		ids := []string{"1"}
		if name == "insert" || name == "transaction" {
			ids = []string{"30", "300"}
		}
		for _, id := range ids {
			want := s.run(t, u, name, fresh, id)
			reset()
			got := s.run(t, u, name, s.source, id)
			reset()
			assert.Equal(t, want, got, "%s %s", name, id)
		}
	}
}

// TestStaleSessions holds that whatever is done to what is in use, statements in sessions that have used it before come to
// what they come to in new ones.
func TestStaleSessions(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	type pick struct{ change, trigger int }
	picks := map[string][]pick{}
	for i := range schemaChanges {
		some := random.Perm(len(usedTriggerNames))[:2]
		for j := range usedTriggerNames {
			chosen := random.IntN(len(usedModes))
			for k, mode := range usedModes {
				if *allStale || k == chosen && slices.Contains(some, j) {
					picks[mode] = append(picks[mode], pick{i, j})
				}
			}
		}
	}
	for _, mode := range usedModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := newStale(t, mode)
			for _, p := range picks[mode] {
				t.Run(schemaChanges[p.change].name+"/"+usedTriggerNames[p.trigger], func(t *testing.T) {
					s.requireSame(t, schemaChanges[p.change], usedTriggerNames[p.trigger])
				})
			}
		})
	}
}

// TestBrokenTrigger holds that an error which new sessions raise, too, is returned, and doesn't cost a session for each request;
// and that what is repaired works at once.
func TestBrokenTrigger(t *testing.T) {
	t.Parallel()
	w := newNoteWriter(t, nil)
	process := func() string {
		c, err := w.source.primary.Acquire(t.Context())
		require.NoError(t, err)
		defer c.Release()
		return strconv.Itoa(int(c.PG.PID()))
	}
	w.writes(t, "clerk", "1")
	const broken = `CREATE OR REPLACE FUNCTION sign() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.missing := 1; RETURN NEW; END $$`
	w.exec(t, broken)
	first := process()
	var second string
	for i := range 20 {
		_, err := w.write(t.Context(), "clerk", "2")
		requireCode(t, err, apierror.Unexpected, "database query error")
		require.Contains(t, fmt.Sprintf("%+v", err), `record \"new\" has no field \"missing\"`)
		if i == 0 {
			second = process()
			require.NotEqual(t, first, second, "one session was made to see whether it is the session's fault")
		}
		require.Equal(t, second, process())
	}
	w.exec(t, `CREATE OR REPLACE FUNCTION sign() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.by := 'clerk'; RETURN NEW; END $$`)
	w.writes(t, "clerk", "3")
	w.exec(t, `ALTER TABLE note ADD more text; ALTER TABLE note ALTER by TYPE varchar(70)`)
	w.writes(t, "clerk", "4")

	// What a function raises on purpose, and what is wrong with the data, says nothing about the session.
	before := process()
	w.exec(t, `CREATE OR REPLACE FUNCTION sign() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '42804'; END $$`)
	_, err := w.write(t.Context(), "clerk", "5")
	require.Contains(t, fmt.Sprintf("%+v", err), `"no"`)
	_, err = w.write(t.Context(), "clerk", "abc")
	requireCode(t, err, apierror.DataException, `invalid input syntax for type integer: "abc"`)
	require.Equal(t, before, process())
}

// TestStalePooledSessions holds that clients of a pooler, which can't choose the server's session, see nothing of its state.
func TestStalePooledSessions(t *testing.T) {
	t.Parallel()
	for mode, settings := range map[string]map[string]string{
		"transaction": {"pool_mode": "transaction", "default_pool_size": "1"},
		"session":     {"pool_mode": "session", "default_pool_size": "1"},
	} {
		for name, prepare := range map[string]wire.Prepare{"unless pooled": wire.PrepareUnlessPooled, "always": wire.PrepareAlways, "never": wire.PrepareNever} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				t.Parallel()
				p := newPooled(t, settings, func(e *schedule.Endpoint) { e.Prepare, e.MaxConnections = prepare, 1 })
				exec := func(sql string) {
					_, err := p.direct.Exec(t.Context(), sql)
					require.NoError(t, err)
				}
				exec(`ALTER TABLE n ADD label text; CREATE TYPE mood AS ENUM ('glad', 'sad'); ALTER TABLE n ADD m mood;
					CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.label := 'x'; NEW.m := 'sad'; RETURN NEW; END $$;
					CREATE TRIGGER t BEFORE INSERT OR UPDATE ON n FOR EACH ROW EXECUTE FUNCTION t()`)
				for _, change := range []string{
					`SELECT`,
					`ALTER TABLE n ALTER label TYPE varchar`,
					`ALTER TABLE n ALTER v TYPE bigint`,
					`ALTER TABLE n ALTER m TYPE text; DROP TYPE mood; CREATE TYPE mood AS ENUM ('sad', 'glad'); ALTER TABLE n ALTER m TYPE mood USING m::mood`,
				} {
					exec(change)
					for range 3 {
						require.NoError(t, p.write(t.Context()), change)
						require.NoError(t, p.read(t.Context(), 1), change)
						require.NoError(t, p.watch(t.Context(), 1), change)
					}
				}
				complete, others := p.count(t)
				require.Equal(t, 12, complete)
				require.Equal(t, 12, others)
			})
		}
	}
}

// TestStaleRawSQL holds that a text, which doesn't run again, has a session that knows tables as they are.
func TestStaleRawSQL(t *testing.T) {
	t.Parallel()
	w := newNoteWriter(t, nil)
	w.exec(t, `CREATE OR REPLACE FUNCTION sign() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.by := 'clerk'; RETURN NEW; END $$`)
	for i, run := range []func(context.Context, backend.RawSQL) (*backend.RawResult, error){
		w.source.RunSQL,
		func(ctx context.Context, r backend.RawSQL) (*backend.RawResult, error) {
			r.NoTransaction = true
			return w.source.RunSQL(ctx, r)
		},
	} {
		w.writes(t, "clerk", strconv.Itoa(2*i+1))
		w.exec(t, `ALTER TABLE note ALTER by TYPE varchar(`+strconv.Itoa(50+i)+`); ALTER TABLE note ALTER by TYPE `+[]string{"varchar", "text"}[i])
		_, err := run(t.Context(), backend.RawSQL{SQL: `INSERT INTO note (id) VALUES (` + strconv.Itoa(2*i+2) + `)`})
		require.NoError(t, err)
	}
}
