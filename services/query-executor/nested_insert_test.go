package queryexecutor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// TestNestedInsertsGoRowByRow: as soon as one object of a list has related ones, each object is
// written with all that belongs to it before the next one, and sees what those before it did.
func TestNestedInsertsGoRowByRow(t *testing.T) {
	t.Parallel()
	const feature = "testdata/cases/mutations"
	e := newFixture(t, feature, Config{})
	runSQL(t, e, `
		CREATE TABLE written (id serial, name text);
		CREATE FUNCTION write_down() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN INSERT INTO written (name) VALUES (coalesce(to_json(NEW) ->> 'name', to_json(NEW) ->> 'title')); RETURN NULL; END $$;
		CREATE TRIGGER write_down AFTER INSERT ON artist FOR EACH ROW EXECUTE FUNCTION write_down();
		CREATE TRIGGER write_down AFTER INSERT ON album FOR EACH ROW EXECUTE FUNCTION write_down();
		CREATE TRIGGER write_down AFTER INSERT ON country FOR EACH ROW EXECUTE FUNCTION write_down();
		CREATE TRIGGER write_down AFTER INSERT ON track FOR EACH ROW EXECUTE FUNCTION write_down();`)
	guard := &session.Session{Role: "guard", Variables: map[string]string{session.RoleHeader: "guard"}}
	const objects = "$.selectionSet.insert_artist.args.objects"
	for _, c := range []struct {
		name, objects string
		session       *session.Session
		want          string // names in order, or the path of the fault
	}{
		{
			"children before the next parent", `[{name: "p1", albums: {data: [{title: "c1"}]}}, {name: "p2", albums: {data: [{title: "c2"}]}}]`,
			adminSession(), "p1 c1 p2 c2",
		},
		{"one with children among others", `[{name: "p1"}, {name: "p2", albums: {data: [{title: "c1"}, {title: "c2"}]}}, {name: "p3"}]`, adminSession(), "p1 p2 c1 c2 p3"},
		{"before and behind the row", `[{name: "p1", albums: {data: [{title: "c1"}]}, home: {data: {code: "x", name: "h1"}}}]`, adminSession(), "h1 p1 c1"},
		{
			"two levels", `[{name: "p1", albums: {data: [{title: "c1", tracks: {data: [{title: "d1"}, {title: "d2"}]}}, {title: "c2"}]}}, {name: "p2"}]`,
			adminSession(), "p1 c1 d1 d2 c2 p2",
		},
		{"a check sees the children of the object before", `[{name: "p1", albums: {data: [{title: "Closed"}]}}, {name: "p2"}]`, guard, objects + "[1]"},
		{"a check of an object with children", `[{name: "p1", albums: {data: [{title: "Closed"}]}}, {name: "p2", albums: {data: [{title: "c"}]}}]`, guard, objects + "[1]"},
		{"without related rows the list is one statement", `[{name: "p1"}, {name: "p2"}]`, guard, "p1 p2"},
		{
			"a fault that is found late", `[{name: "p1", albums: {data: [{title: "c1", price: -1}]}}, {name: "p2", albums: {data: []}}, {name: "p1", home: {data: {code: "y", name: "h"}}}]`,
			adminSession(), objects + "[0].albums.data",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			restore(t, e, feature)
			runSQL(t, e, `TRUNCATE written RESTART IDENTITY`)
			got := answer(t, e, &request{session: c.session, text: `mutation { insert_artist(objects: ` + c.objects + `) { affected_rows } }`})
			names := runSQL(t, e, `SELECT coalesce(string_agg(name, ' ' ORDER BY id), '') FROM written`).Rows[1][0]
			if !strings.HasPrefix(c.want, "$") {
				require.Equal(t, c.want, names, "%s", got)
				require.JSONEq(t, fmt.Sprintf(`{"data":{"insert_artist":{"affected_rows":%d}}}`, len(strings.Fields(c.want))), string(got))
				return
			}
			var fault struct{ Path string }
			require.NoError(t, json.Unmarshal(got, &fault))
			require.Equal(t, c.want, fault.Path, "%s", got)
			require.Empty(t, names, "something of it stayed")
		})
	}
}

// TestStatementsOfNestedInserts: objects without related ones share a statement. A few others
// have one for each of them and one for each list below it; for many, there is one for each
// table, and one that asks whether that is the same.
func TestStatementsOfNestedInserts(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/mutations", Config{})
	lines := logged(t, e, nil, "query-log")
	for _, c := range []struct {
		objects, children int
		statements        int
	}{
		{1, 0, 1},
		{100, 0, 1},
		{1, 3, 2},
		{3, 3, 6},
		{100, 3, 3},
	} {
		var rows []string
		for i := range c.objects {
			row := fmt.Sprintf(`{"name":"n%d-%d-%d"`, c.objects, c.children, i)
			if c.children > 0 {
				row += `,"albums":{"data":[` + strings.TrimSuffix(strings.Repeat(`{"title":"x"},`, c.children), ",") + `]}`
			}
			rows = append(rows, row+"}")
		}
		require.NoError(t, send(t, e, `mutation ($r: [artist_insert_input!]!) { insert_artist(objects: $r) { returning { id } } }`,
			`{"r":[`+strings.Join(rows, ",")+`]}`))
		require.Len(t, lines(), c.statements, "%d objects with %d children each", c.objects, c.children)
	}
}

// TestNestedInsertsInAnyOrderOfKeys: rows that others refer to are written before those, however the keys of an object
// are ordered.
func TestNestedInsertsInAnyOrderOfKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "schema.sql"), []byte(`
		CREATE TABLE foo (id int PRIMARY KEY);
		CREATE TABLE bar (id int PRIMARY KEY, foo_id int REFERENCES foo);
		CREATE TABLE note (id int PRIMARY KEY, bar_id int REFERENCES bar, foo_id int REFERENCES foo);
		CREATE TABLE top (id int PRIMARY KEY, foo_id int REFERENCES foo, bar_id int REFERENCES bar);
		CREATE TABLE zed (id int PRIMARY KEY, top_id int REFERENCES top);
		CREATE TABLE abc (id int PRIMARY KEY, top_id int REFERENCES top, zed_id int REFERENCES zed);
		CREATE TABLE one (id int PRIMARY KEY, top_id int UNIQUE REFERENCES top, abc_id int REFERENCES abc)`), 0o600))
	key := func(name, column string) string {
		return fmt.Sprintf(`{"name":%q,"using":{"foreign_key_constraint_on":%q}}`, name, column)
	}
	list := func(name, table, column string) string {
		return fmt.Sprintf(`{"name":%q,"using":{"foreign_key_constraint_on":{"table":%q,"column":%q}}}`, name, table, column)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "metadata.json"), []byte(`{"version":3,"sources":[{"name":"default","kind":"postgres",
		"configuration":{"connection_info":{"database_url":{"from_env":"SHOP"},"use_prepared_statements":true}},"tables":[
		{"table":"foo"},{"table":"note"},{"table":"zed"},{"table":"abc"},{"table":"one"},
		{"table":"bar","array_relationships":[`+list("notes", "note", "bar_id")+`]},
		{"table":"top","object_relationships":[`+key("a_bar", "bar_id")+`,`+key("z_foo", "foo_id")+`,`+list("a_one", "one", "top_id")+`],
			"array_relationships":[`+list("a_list", "abc", "top_id")+`,`+list("z_list", "zed", "top_id")+`]}]}]}`), 0o600))
	e := newFixture(t, dir, Config{})
	parts := map[string]string{
		"a_bar":  `a_bar: {data: {id: 1, foo_id: 1}}`,
		"notes":  `a_bar: {data: {id: 1, notes: {data: [{id: 1, foo_id: 1}]}}}`,
		"z_foo":  `z_foo: {data: {id: 1}}`,
		"a_one":  `a_one: {data: {id: 1, abc_id: 1}}`,
		"a_list": `a_list: {data: [{id: 1, zed_id: 1}]}`,
		"z_list": `z_list: {data: [{id: 1}]}`,
	}
	for _, names := range []string{
		"a_bar z_foo", "z_foo a_bar", "notes z_foo", "z_foo notes", "a_list z_list", "z_list a_list",
		"a_one a_list z_list", "a_list z_list a_one", "z_list a_one a_list", "a_one a_list a_bar z_list z_foo",
	} {
		runSQL(t, e, `TRUNCATE foo, bar, note, top, zed, abc, one`)
		object := "id: 1"
		for _, name := range strings.Fields(names) {
			object += ", " + parts[name]
		}
		got := answer(t, e, &request{session: adminSession(), text: `mutation { insert_top(objects: [{` + object + `}]) { returning { id } } }`})
		require.JSONEq(t, `{"data":{"insert_top":{"returning":[{"id":1}]}}}`, string(got), names)
	}
}
