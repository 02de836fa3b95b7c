package postgres

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/ir"
)

// statementsOf are the texts of all cases in a dialect, by the names of these.
func statementsOf(t *testing.T, d *Dialect) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, c := range newFixture(t, shopSchema, nil).queryCases(t) {
		if strings.Contains(c.Name, "json_parts") && d.Tables().JSONKinds == nil || strings.Contains(c.Name, "groups") && !d.Tables().Groups {
			continue // no plan for the flavor has them
		}
		st, err := d.RenderQuery(c.Root, c.Options)
		require.NoError(t, err)
		texts[c.Name] = st.SQL()
		live, err := d.RenderLive(ir.Live{Roots: []ir.Root{c.Root}}, c.Options)
		require.NoError(t, err)
		texts["live_"+c.Name] = live.SQL()
	}
	for name, m := range mutationCases() {
		st, err := d.RenderMutation(m, backend.RenderOptions{})
		require.NoError(t, err)
		texts[name] = st.SQL()
	}
	order, err := d.RenderInsertOrder(ir.InsertOrder{})
	require.NoError(t, err)
	texts["insert_order"] = order.SQL()
	return texts
}

// TestStatementsOfFlavors holds the statements of flavors to files, as far as they aren't those of PostgreSQL. On a server they are run by
// TestCitusLayouts, and by TestExerciseByAddress.
func TestStatementsOfFlavors(t *testing.T) {
	t.Parallel()
	own := statementsOf(t, New())
	for _, f := range []*flavor{citus, cockroach} {
		texts := statementsOf(t, f.dialect)
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			if texts[name] != own[name] {
				b.WriteString("-- " + name + "\n" + texts[name] + ";\n")
			}
		}
		golden(t, filepath.Join("testdata", "statements."+f.dialect.kind+".sql"), strings.TrimSuffix(b.String(), "\n"))
	}
}

// TestStatementsForCockroach holds statements to what CockroachDB has of PostgreSQL.
func TestStatementsForCockroach(t *testing.T) {
	t.Parallel()
	lacking := []string{"record_send", "xmax", "ctid", "WITH TIES", "ON CONSTRAINT", "SELECT FROM", "pg_trigger", "pg_rewrite"}
	mine, own := statementsOf(t, cockroach.dialect), statementsOf(t, New())
	for _, word := range lacking {
		has := func(sql string) bool { return strings.Contains(sql, word) }
		require.Empty(t, filter(mine, has), word)
	}
	require.NotEmpty(t, filter(own, func(sql string) bool { return strings.Contains(sql, "record_send") }))
	require.NotEmpty(t, filter(own, func(sql string) bool { return strings.Contains(sql, "xmax") }))
}

func filter(texts map[string]string, keep func(string) bool) map[string]string {
	kept := maps.Clone(texts)
	maps.DeleteFunc(kept, func(_, sql string) bool { return !keep(sql) })
	return kept
}

// TestWritesThatGiveBackTooFewRows holds that a write whose rows aren't all given back fails on CockroachDB: what isn't given back isn't checked.
func TestWritesThatGiveBackTooFewRows(t *testing.T) {
	t.Parallel()
	address := dbtest.Filled(t, `CREATE TABLE item (id int PRIMARY KEY, n int);
		CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.n < 0 THEN RETURN NULL; END IF; RETURN NEW; END $$;
		CREATE TRIGGER lose BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION lose()`)
	id, n := ir.Column{Name: "id", Type: catalog.Type{Name: "int4"}}, ir.Column{Name: "n", Type: catalog.Type{Name: "int4"}}
	literal := func(text string) ir.Value { return ir.Literal{Text: text, Type: id.Type} }
	insert := func(conflict *ir.OnConflict, values ...string) *ir.Insert {
		i := &ir.Insert{Table: catalog.Name{Schema: "public", Name: "item"}, Columns: []ir.Column{id, n}, OnConflict: conflict, Output: ir.Output{
			Answer: []ir.OutputField{{Alias: "affected_rows", Value: ir.AffectedRows{}}}, Returning: []ir.Field{{Alias: "id", Value: ir.Scalar{Expr: id, Type: id.Type}}},
		}}
		for at, value := range values {
			i.Rows = append(i.Rows, []ir.Value{literal(strconv.Itoa(at + 1)), literal(value)})
		}
		return i
	}
	target := ir.ConflictTarget{Columns: []string{"id"}}
	source := cockroach.database(t, address).Source
	run := func(f *flavor, m ir.Mutation) error {
		st, err := f.dialect.RenderMutation(m, backend.RenderOptions{})
		require.NoError(t, err)
		return source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			return tx.Query(t.Context(), st, backend.Args{}, backend.NewAnswer(nil, nil, 0))
		})
	}
	for _, conflict := range []*ir.OnConflict{nil, {Target: target, Set: []string{"n"}}} {
		err := run(cockroach, insert(conflict, "1", "-1"))
		require.ErrorContains(t, err, "database query error")
		require.Equal(t, "the database gave back 1 of 2 written rows", apierror.From(err).Internal)
	}
	require.NoError(t, run(cockroach, insert(&ir.OnConflict{Target: target}, "1", "-1")), "a conflict may leave rows as they are")
	require.NoError(t, run(cockroach, insert(&ir.OnConflict{Target: target, Set: []string{"n"}}, "1")), "nothing of the writes that failed is there")
}
