package queryexecutor

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/pkg/testlong"
)

// orderSchema are four tables in three levels; place is written before owner.
const orderSchema = `
CREATE TABLE place (id serial PRIMARY KEY, name text);
CREATE TABLE owner (id serial PRIMARY KEY, name text NOT NULL, place_id int REFERENCES place, size int DEFAULT 7 CHECK (size < 100));
CREATE TABLE item (id serial PRIMARY KEY, owner_id int REFERENCES owner, name text NOT NULL, size int DEFAULT 3, spare_id int);
CREATE UNIQUE INDEX ON item (name);
CREATE TABLE part (id serial PRIMARY KEY, item_id int REFERENCES item, name text, owner2 int, size int);`

// orderSpices are what may reveal the order in which rows are inserted.
var orderSpices = []string{
	`ALTER TABLE item ALTER id SET DEFAULT nextval('owner_id_seq')`,
	`ALTER TABLE part ADD FOREIGN KEY (owner2) REFERENCES owner`,
	`ALTER TABLE item ADD FOREIGN KEY (spare_id) REFERENCES item`,
	`CREATE FUNCTION items() RETURNS int LANGUAGE sql AS 'SELECT count(*)::int FROM item'; ALTER TABLE owner ALTER size SET DEFAULT items()`,
	`CREATE FUNCTION few() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) < 6 FROM item); END'; ALTER TABLE owner ADD CHECK (few())`,
	`CREATE FUNCTION even() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) < 9 FROM part); END';
		CREATE DOMAIN word AS text CHECK (even()); ALTER TABLE item ALTER name TYPE word`,
	`CREATE FUNCTION grow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE owner SET size = size + 1; RETURN NULL; END';
		CREATE TRIGGER grow AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION grow()`,
	`CREATE RULE more AS ON INSERT TO part DO ALSO UPDATE owner SET name = name || '+'`,
	`ALTER TABLE item DROP CONSTRAINT item_owner_id_fkey`,
}

// orderChecks are checks of a role by table; some see what other rows there are.
var orderChecks = map[string][]string{
	"place": {`{}`, `{"name":{"_neq":"p3"}}`},
	"owner": {
		`{}`, `{"size":{"_lt":97}}`, `{"place":{"name":{"_neq":"p2"}}}`, `{"_not":{"items":{"size":{"_gt":20}}}}`,
		`{"_not":{"_exists":{"_table":"item","_where":{"size":{"_gt":90}}}}}`,
		`{"_or":[{"place_id":{"_is_null":true}},{"place":{"name":{"_like":"p%"}}}]}`,
	},
	"item": {
		`{}`, `{"owner":{"size":{"_lt":97}}}`, `{"owner":{"_not":{"place":{"name":{"_eq":"p1"}}}}}`,
		`{"_not":{"_exists":{"_table":"part","_where":{"size":{"_gt":80}}}}}`, `{"size":{"_is_null":false}}`,
	},
	"part": {`{}`, `{"item":{"owner":{"size":{"_lt":97}}}}`, `{"item":{"owner":{"items":{"size":{"_gt":1}}}}}`, `{"size":{"_lt":97}}`},
}

// TestOrderOfNestedInserts: rows that are inserted table by table give the same answers, faults
// and rows as those that are inserted one after the other. That is what a database does where
// each table has a trigger.
func TestOrderOfNestedInserts(t *testing.T) {
	t.Parallel()
	models, requests := testlong.Of(3, 8), 10
	together, apart, faults := 0, 0, 0
	for seed := range uint64(models) {
		random := rand.New(rand.NewPCG(seed, 16)) //nolint:gosec // no secret
		m := newOrderModel(t, random)
		for range requests {
			role := pickOne(random, []string{session.Admin, "clerk"})
			objects := orderObjects(random)
			variables, err := json.Marshal(map[string]any{"objects": objects})
			require.NoError(t, err)
			got, statements := m.insert(t, m.free, role, variables)
			want, oneByOne := m.insert(t, m.bound, role, variables)
			require.Equal(t, want, got, "seed %d, %s\n%s\n%s", seed, role, m.what, variables)
			switch {
			case strings.Contains(want, `"error"`):
				faults++
			case statements == 1:
				require.Greater(t, oneByOne, 1, "the trigger has the rows go one by one")
				together++
			default:
				apart++
			}
		}
	}
	require.Greater(t, together, testlong.Of(2, 10), "inserts that went table by table (%d did not, %d failed)", apart, faults)
	require.Greater(t, apart, 5)
	require.Greater(t, faults, 5)
}

// TestChecksOfNestedInsertsSeeRowsBefore: a check that looks for other rows finds those of the
// objects before, however many there are, and none of those behind.
func TestChecksOfNestedInsertsSeeRowsBefore(t *testing.T) {
	t.Parallel()
	everything := map[string]string{"place": `{}`, "owner": `{}`, "item": `{}`, "part": `{}`}
	for _, c := range []struct{ table, check, place string }{
		{"owner", `{"_not":{"_exists":{"_table":"item","_where":{"size":{"_gt":90}}}}}`, `[2]`},
		{"item", `{"_not":{"_exists":{"_table":"owner","_where":{"name":{"_eq":"o3"}}}}}`, `[3].items.data`},
		{"item", `{"owner":{"size":{"_neq":1}}}`, `[1].items.data`},
	} {
		checks := maps.Clone(everything)
		checks[c.table] = c.check
		e := orderFixture(t, orderSchema, checks)
		var objects []object
		for i := range 6 {
			size := 3
			if i == 1 {
				size = 95
			}
			objects = append(objects, object{
				"name": fmt.Sprint("o", i), "size": i, "items": object{"data": []object{{"name": fmt.Sprint("i", i), "size": size}}},
			})
		}
		variables, err := json.Marshal(map[string]any{"objects": objects})
		require.NoError(t, err)
		got := answer(t, e, &request{
			session:   &session.Session{Role: "clerk", Variables: map[string]string{session.RoleHeader: "clerk"}},
			text:      `mutation ($objects: [owner_insert_input!]!) { insert_owner(objects: $objects) { affected_rows } }`,
			variables: variables,
		})
		require.Contains(t, string(got), `"path":"$.selectionSet.insert_owner.args.objects`+c.place+`"`, c.check)
		require.Equal(t, "0", runSQL(t, e, `SELECT count(*) FROM owner`).Rows[1][0])
	}
}

// orderModel is a schema in two databases, of which the bound one shows the order of inserts.
type orderModel struct {
	free, bound *Executor
	lines       map[*Executor]func() []map[string]any
	what        string
}

func newOrderModel(t *testing.T, random *rand.Rand) *orderModel {
	t.Helper()
	schema := orderSchema
	for _, spice := range orderSpices {
		if random.IntN(2*len(orderSpices)) == 0 {
			schema += "\n" + spice + ";"
		}
	}
	checks := map[string]string{}
	for _, table := range []string{"place", "owner", "item", "part"} {
		checks[table] = pickOne(random, orderChecks[table])
	}
	m := &orderModel{what: schema + fmt.Sprint(checks), lines: map[*Executor]func() []map[string]any{}}
	const shown = `
		CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
		CREATE TRIGGER nothing AFTER INSERT ON owner FOR EACH ROW EXECUTE FUNCTION nothing();`
	m.free, m.bound = orderFixture(t, schema, checks), orderFixture(t, schema+shown, checks)
	for _, e := range []*Executor{m.free, m.bound} {
		m.lines[e] = logged(t, e, nil, "query-log")
	}
	return m
}

func orderFixture(t *testing.T, schema string, checks map[string]string) *Executor {
	t.Helper()
	object := func(name, remote, column string) string {
		return fmt.Sprintf(`{"name":%q,"using":{"manual_configuration":{"remote_table":%q,"column_mapping":{%q:"id"}}}}`, name, remote, column)
	}
	list := func(name, remote, column string) string {
		return fmt.Sprintf(`{"name":%q,"using":{"manual_configuration":{"remote_table":%q,"column_mapping":{"id":%q}}}}`, name, remote, column)
	}
	table := func(name, objects, lists string) string {
		return fmt.Sprintf(`{"table":%q,"object_relationships":[%s],"array_relationships":[%s],
			"insert_permissions":[{"role":"clerk","permission":{"columns":"*","check":%s}}],
			"select_permissions":[{"role":"clerk","permission":{"columns":"*","filter":{}}}]}`, name, objects, lists, checks[name])
	}
	document := `{"version":3,"sources":[{"name":"default","kind":"postgres",
		"configuration":{"connection_info":{"database_url":{"from_env":"SHOP"},"use_prepared_statements":true}},"tables":[` + strings.Join([]string{
		table("place", "", ""),
		table("owner", object("place", "place", "place_id"), list("items", "item", "owner_id")),
		table("item", object("owner", "owner", "owner_id"), list("parts", "part", "item_id")),
		table("part", object("item", "item", "item_id"), ""),
	}, ",") + `]}]}`
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "schema.sql"), []byte(schema), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "metadata.json"), []byte(document), 0o600))
	return newFixture(t, dir, Config{})
}

// insert gives the answer and the rows that are there then, and how often the first table was
// written to.
func (m *orderModel) insert(t *testing.T, e *Executor, role string, variables []byte) (got string, statements int) {
	t.Helper()
	runSQL(t, e, `TRUNCATE place, owner, item, part RESTART IDENTITY CASCADE`)
	_ = m.lines[e]()
	answered := answer(t, e, &request{
		session: &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}},
		text: `mutation ($objects: [owner_insert_input!]!) { insert_owner(objects: $objects) { affected_rows
			returning { id name size place { name } items(order_by: {id: asc}) { id name parts(order_by: {id: asc}) { id size } } } } }`,
		variables: variables,
	})
	for _, line := range m.lines[e]() {
		text, err := json.Marshal(line["generated_sql"])
		require.NoError(t, err)
		if strings.Contains(string(text), `INSERT INTO \"public\".\"owner\"`) {
			statements++
		}
	}
	rows := runSQL(t, e, `SELECT json_build_array((SELECT json_agg(t) FROM place t), (SELECT json_agg(t) FROM owner t),
		(SELECT json_agg(t) FROM item t), (SELECT json_agg(t) FROM part t))`).Rows[1][0]
	return string(answered) + "\n" + rows, statements
}

func orderObjects(random *rand.Rand) []object {
	name := 0
	next := func(prefix string) string {
		if random.IntN(60) > 0 { // else it may be there already
			name++
		}
		return fmt.Sprint(prefix, name)
	}
	size := func(row object) {
		if random.IntN(2) == 0 {
			row["size"] = random.IntN(101 - random.IntN(30))
		}
	}
	list := func(most int, make func() object) object {
		rows := []object{}
		for range random.IntN(most + 1) {
			rows = append(rows, make())
		}
		return object{"data": rows}
	}
	var owners []object
	for i := range 4 + random.IntN(4) {
		owner := object{"name": next("o")}
		size(owner)
		if random.IntN(8) == 0 {
			owner["id"] = 1000 + i
		}
		if random.IntN(3) == 0 {
			owner["place"] = object{"data": object{"name": fmt.Sprint("p", random.IntN(9))}}
		}
		owner["items"] = list(3, func() object {
			item := object{"name": next("i")}
			size(item)
			if random.IntN(12) == 0 {
				item["spare_id"] = 1 + random.IntN(8)
			}
			if random.IntN(2) == 0 {
				item["parts"] = list(2, func() object {
					part := object{"name": "x"}
					size(part)
					if random.IntN(12) == 0 {
						part["owner2"] = pickOne(random, []int{1, 2, 3, 4, 1002, 1003})
					}
					return part
				})
			}
			return item
		})
		owners = append(owners, owner)
	}
	return owners
}

func pickOne[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }
