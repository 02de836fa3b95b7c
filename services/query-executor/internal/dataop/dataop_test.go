package dataop_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/dataop"
	"queryengine/services/query-executor/internal/parse"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const schemaSQL = `
CREATE TABLE artist (id int PRIMARY KEY, name text NOT NULL UNIQUE, country text DEFAULT 'nowhere');
CREATE TABLE album (id serial PRIMARY KEY, title text, artist_id int REFERENCES artist, price numeric, tags jsonb, released date, stock bigint DEFAULT 1);
CREATE TABLE track (id int PRIMARY KEY, album_id int REFERENCES album, title text, seconds int CHECK (seconds > 0));
CREATE TABLE hidden (id int PRIMARY KEY);
CREATE TABLE paper (id int PRIMARY KEY, doc json, parsed jsonb, list jsonb[]);
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN feeling AS mood;
CREATE TYPE pair AS (a int, b text);
CREATE TYPE nest AS (p pair, doc json);
CREATE TABLE thing (id int PRIMARY KEY, feels feeling, thought mood, nests nest[], bounds int[], spot point, doc json);
INSERT INTO thing VALUES (1, 'ok', 'ok', ARRAY[ROW(ROW(1, 'a "b"')::pair, 'null')::nest, NULL], '[0:1]={7,8}', '(1,2)', 'null'), (2, 'sad', 'ok', NULL, '{7,8}', '(1,3)', NULL);
CREATE FUNCTION album_label(a album) RETURNS text LANGUAGE sql STABLE AS $$ SELECT a.id || ': ' || a.title $$;
INSERT INTO artist VALUES (1, 'Ann', 'be'), (2, 'Bob', 'ch'), (3, 'Cy', NULL);
INSERT INTO album (title, artist_id, price, tags, released) VALUES
	('Blue', 1, 9.50, '{"live": true}', '2020-01-02'), ('Red', 1, 12.00, '[]', NULL), ('Green', 2, NULL, NULL, '2021-05-06');
INSERT INTO track VALUES (1, 1, 'One', 60), (2, 1, 'Two', 90), (3, 2, 'Three', 120);`

// clerk sees cheap albums of one artist and all tracks; agent writes albums of one artist.
const documentJSON = `{"version":3,"sources":[{"name":"default","kind":"postgres","configuration":{"connection_info":{"database_url":"x"}},"tables":[
	{"table":"artist","array_relationships":[{"name":"albums","using":{"foreign_key_constraint_on":{"table":"album","column":"artist_id"}}}]},
	{"table":"album",
		"object_relationships":[{"name":"artist","using":{"foreign_key_constraint_on":"artist_id"}}],
		"array_relationships":[{"name":"tracks","using":{"foreign_key_constraint_on":{"table":"track","column":"album_id"}}}],
		"computed_fields":[{"name":"label","definition":{"function":"album_label"}}],
		"select_permissions":[
			{"role":"clerk","permission":{"columns":["id","title","artist_id"],"computed_fields":["label"],"filter":{"artist_id":"X-Engine-Artist-Id"},"limit":1}},
			{"role":"ruled","permission":[{"name":"own","columns":["id","title"],"filter":{"artist_id":"X-Engine-Artist-Id"}},
				{"columns":["id"],"mask":{"title":"redact","stock":{"value":0}},"filter":{}},{"name":"dear","columns":["id","price"],"filter":{"price":{"_gt":1000}}}]},
			{"role":"agent","permission":{"columns":"*","filter":{}}}],
		"insert_permissions":[
			{"role":"agent","permission":{"columns":["id","title","price"],"check":{"_or":[{"price":{"_lt":100}},{"price":{"_is_null":true}}]},"set":{"artist_id":"X-Engine-Artist-Id"}}},
			{"role":"writer","permission":{"columns":["title"],"check":{}}}],
		"update_permissions":[
			{"role":"ruled","permission":[{"columns":["stock"],"filter":{"artist_id":2}},{"columns":["title"],"filter":{"artist_id":"X-Engine-Artist-Id"}}]},
			{"role":"agent","permission":{"columns":["title","price"],"filter":{"artist_id":"X-Engine-Artist-Id"},"check":{"_or":[{"price":{"_lt":100}},{"price":{"_is_null":true}}]},"set":{"stock":7}}},
			{"role":"writer","permission":{"columns":["title"],"filter":{}}},
			{"role":"presetter","permission":{"columns":[],"filter":{},"set":{"stock":0}}}],
		"delete_permissions":[{"role":"ruled","permission":{"filter":{"artist_id":2}}},{"role":"agent","permission":{"filter":{"artist_id":"X-Engine-Artist-Id"}}},{"role":"writer","permission":{"filter":{}}}]},
	{"table":"paper","insert_permissions":[{"role":"asked","permission":{"columns":"*","check":{},"validate_input":{"type":"http","definition":{"url":"insert"}}}}]},
	{"table":"thing","select_permissions":[{"role":"clerk","permission":{"columns":["id","spot"],"filter":{}}}]},
	{"table":"track","object_relationships":[{"name":"album","using":{"foreign_key_constraint_on":"album_id"}}],
		"select_permissions":[{"role":"clerk","permission":{"columns":"*","filter":{}}}]}]}]}`

// shop is a database of its own with the tables above, and a Handler for it.
type shop struct {
	source   *postgres.Source
	options  resolve.Options
	snapshot *snapshot.Snapshot
	schema   *resolve.Schema
	handler  *dataop.Handler
}

// everything admits all.
type everything struct{}

func (everything) Listed(*session.Session, string) error    { return nil }
func (everything) Sized(*session.Session, parse.Size) error { return nil }
func (everything) ScanLimit(*session.Session) (int64, bool) { return 0, false }

func setup(t *testing.T) *shop {
	t.Helper()
	url := dbtest.URL(t)
	source, err := postgres.Open(t.Context(), postgres.Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return url, nil }}}})
	require.NoError(t, err)
	t.Cleanup(source.Close)
	_, err = source.RunSQL(t.Context(), backend.RawSQL{SQL: schemaSQL})
	require.NoError(t, err)
	tables, err := source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	doc, err := metadata.Parse(json.RawMessage(documentJSON), &metadata.Document{}, kind.All(os.LookupEnv, "test").Metadata())
	require.NoError(t, err)
	s := &shop{
		source:   source,
		options:  resolve.Options{Kinds: kind.All(os.LookupEnv, "test")},
		snapshot: &snapshot.Snapshot{StreamID: "s", Version: 4, Document: doc, Catalogs: map[string]*catalog.Source{"default": tables}},
	}
	s.schema = resolve.Build(doc, s.snapshot.Catalogs, nil, nil, s.options)
	require.Empty(t, s.schema.Inconsistencies())
	s.handler = dataop.New(dataop.Deps{
		Metadata: func(_ context.Context, minVersion int64) (*snapshot.Snapshot, *resolve.Schema, error) {
			require.LessOrEqual(t, minVersion, s.snapshot.Version)
			return s.snapshot, s.schema, nil
		},
		Source: func(name string) (backend.Source, func(), error) {
			require.Equal(t, "default", name)
			return source, func() {}, nil
		},
		Admission: func() dataop.Admission { return everything{} },
		Resolve:   s.options,
	})
	return s
}

// answer collects what a handler writes.
type answer struct{ strings.Builder }

func (*answer) SetHead(proto.Message) {}

// as is a role with its session variables, names and values in turn.
func as(role string, variables ...string) *session.Session {
	s := &session.Session{Role: role, Variables: map[string]string{"x-engine-role": role}}
	for i := 0; i < len(variables); i += 2 {
		s.Variables[variables[i]] = variables[i+1]
	}
	return s
}

func (s *shop) run(t *testing.T, who *session.Session, body string) (string, error) {
	t.Helper()
	var a answer
	err := s.handler.Execute(t.Context(), &queryv1.DataRequest{Session: who.Proto(), Body: []byte(body), MinVersion: 3}, &a)
	return a.String(), err
}

var (
	admin = as("admin")
	clerk = as("clerk", "x-engine-artist-id", "1")
	agent = as("agent", "x-engine-artist-id", "2")
)

func op(operation, args string) string { return `{"type":"` + operation + `","args":` + args + `}` }

// requireError compares code, path and message of an error.
func requireError(t *testing.T, err error, code, path, message string, hint string) {
	t.Helper()
	var e *apierror.Error
	require.ErrorAs(t, err, &e, hint)
	require.Equal(t, [3]string{code, path, message}, [3]string{string(e.Code), e.Path, e.Message}, hint)
}

func TestRequestErrors(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for body, want := range map[string][3]string{
		`{`:                           {"invalid-json", "$", "Error in $: the request is not JSON"},
		`"select"`:                    {"parse-failed", "$", "parsing Object failed, expected Object, but encountered String"},
		`{"args":{}}`:                 {"parse-failed", "$", `key "type" not found`},
		`{"type":1,"args":{}}`:        {"parse-failed", "$.type", "parsing Text failed, expected String, but encountered Number"},
		`{"type":"select"}`:           {"parse-failed", "$", `key "args" not found`},
		`{"type":"select","args":[]}`: {"parse-failed", "$", "parsing args failed, expected Object, but encountered Array"},
		`{"type":"select","args":{},"version":3}`:                                                {"parse-failed", "$.version", "expected 1 or 2, encountered 3"},
		`{"type":"select","args":{},"version":2}`:                                                {"parse-failed", "$", `unknown operation "select" of version 2`},
		`{"type":"upsert","args":{"table":"album"}}`:                                             {"parse-failed", "$", `unknown data operation "upsert"`},
		op("select", `{"columns":["*"]}`):                                                        {"parse-failed", "$", `key "table" not found`},
		op("select", `{"table":7,"columns":["*"]}`):                                              {"parse-failed", "$.table", `parsing QualifiedObject failed, expected a name or an object with the keys "schema" and "name"`},
		op("select", `{"table":"album"}`):                                                        {"parse-failed", "$", `key "columns" not found`},
		op("select", `{"table":"album","columns":"*"}`):                                          {"parse-failed", "$.columns", "parsing [] failed, expected Array, but encountered String"},
		op("select", `{"table":"album","columns":["id",{"x":1}]}`):                               {"parse-failed", "$.columns[1]", `key "name" not found`},
		op("select", `{"table":"album","columns":["*"],"limit":"3"}`):                            {"parse-failed", "$.limit", "parsing Int failed, expected Number, but encountered String"},
		op("select", `{"table":"album","columns":["*"],"order_by":{"column":"id","type":"up"}}`): {"parse-failed", "$.order_by.type", `expected "asc" or "desc", but found "up"`},
		op("select", `{"table":"album","columns":["*"],"source":"other"}`):                       {"not-exists", "$.args", `source with name "other" does not exist`},
		op("select", `{"table":"nope","columns":["*"]}`):                                         {"not-exists", "$.args.table", `table "nope" does not exist`},
		op("select", `{"table":{"schema":"x","name":"y"},"columns":["*"]}`):                      {"not-exists", "$.args.table", `table "x.y" does not exist`},
		op("select", `{"table":"hidden","columns":["*"]}`):                                       {"not-exists", "$.args.table", `table "hidden" does not exist`},
		op("select", `{"table":"album","columns":["*.*.*.*.*.*.*"]}`):                            {"parse-failed", "$.columns[0]", `at most 6 levels of "*" are supported`},
		op("select", `{"table":"album","columns":["."]}`):                                        {"permission-denied", "$.args.columns[0]", `no such column exists: "."`},
		op("update", `{"table":"album"}`):                                                        {"parse-failed", "$", `key "where" not found`},
		op("delete", `{"table":"album"}`):                                                        {"parse-failed", "$", `key "where" not found`},
		op("insert", `{"table":"album"}`):                                                        {"parse-failed", "$", `key "objects" not found`},
		op("insert", `{"table":"album","objects":[{}],"on_conflict":{"constraint_on":["id"]}}`):  {"parse-failed", "$.on_conflict", "the key 'action' was not present"},
	} {
		_, err := s.run(t, admin, body)
		requireError(t, err, want[0], want[1], want[2], body)
	}
}

func TestOverlay(t *testing.T) {
	t.Parallel()
	s := setup(t)
	next := *s.snapshot
	next.Version++
	doc, err := metadata.Parse(json.RawMessage(strings.Replace(documentJSON, `{"table":"artist"`, `{"table":"hidden"},{"table":"artist"`, 1)), &metadata.Document{}, kind.All(os.LookupEnv, "test").Metadata())
	require.NoError(t, err)
	next.Document = doc
	change, err := snapshot.Diff(s.snapshot, &next, time.Now())
	require.NoError(t, err)
	overlay, err := json.Marshal(change)
	require.NoError(t, err)
	insert := &queryv1.DataRequest{Session: admin.Proto(), Body: []byte(op("insert", `{"table":"hidden","objects":[{"id":1}]}`)), Overlay: overlay}
	var a answer
	require.NoError(t, s.handler.Execute(t.Context(), insert, &a))
	require.JSONEq(t, `{"affected_rows":1}`, a.String())

	insert.Overlay = nil
	require.Error(t, s.handler.Execute(t.Context(), insert, &a), "the overlay is for one request")

	insert.Overlay = overlay
	s.snapshot = &next // another session was faster
	err = s.handler.Execute(t.Context(), insert, &a)
	requireError(t, err, "conflict", "$", "metadata resource version referenced (4) did not match current version", "")
	require.Equal(t, 409, apierror.From(err).Status)
}

func TestFaultsOfOthersKeepTheirPlace(t *testing.T) {
	t.Parallel()
	s := setup(t)
	away := errors.New("the source is away")
	h := dataop.New(dataop.Deps{
		Metadata:  s.handler.Metadata,
		Admission: s.handler.Admission,
		Source:    func(string) (backend.Source, func(), error) { return nil, nil, away },
	})
	err := h.Execute(t.Context(), &queryv1.DataRequest{Session: admin.Proto(), Body: []byte(op("count", `{"table":"album"}`))}, &answer{})
	require.Equal(t, away, err)
}
