package postgres

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

func texts(values ...string) [][]byte {
	list := make([][]byte, len(values))
	for i, v := range values {
		if v != "NULL" {
			list[i] = []byte(v)
		}
	}
	return list
}

// TestInsertEach: one statement takes any number of rows.
func TestInsertEach(t *testing.T) {
	t.Parallel()
	f := newFixture(t, albumSchema, nil)
	st, err := New().RenderMutation(&ir.Insert{
		Table:   public("album"),
		Columns: []ir.Column{titleColumn, tagsColumn, priceColumn, metaColumn},
		Rows: [][]ir.Value{{
			ir.Each{Index: 1, Type: textType},
			ir.Each{Index: 0, Type: tagsColumn.Type},
			ir.SessionVar{Name: "x-engine-price", Type: numericType},
			ir.Each{Index: 2, Type: jsonbType},
		}},
		Output: ir.Output{Returning: []ir.Field{
			field("title", textType), field("tags", tagsColumn.Type), field("price", numericType), field("meta", jsonbType),
		}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	require.Equal(t, `INSERT INTO "public"."album" AS t0 ("title", "tags", "price", "meta") SELECT c0, c1::text[], $3::numeric, c2 `+
		`FROM unnest($1::text[], $2::text[], $4::jsonb[]) AS v(c0, c1, c2) RETURNING t0."title", t0."tags", t0."price", t0."meta"`, st.SQL())
	write := func(lists ...[][]byte) (string, error) {
		out := backend.NewAnswer(nil, nil, 0)
		user := as("clerk", map[string]string{"x-engine-price": "3"})
		err := f.source.Mutate(t.Context(), user, func(tx backend.Tx) error {
			return tx.Query(t.Context(), st, backend.Args{Session: user, Lists: lists}, out)
		})
		return string(out.Buf), err
	}
	got, err := write(texts("{}", `{"a b",NULL,c}`, "NULL"), texts(`say "hi"`, `back\slash`, "NULL, almost"), texts(`{"a": "\""}`, "NULL", "[]"))
	require.NoError(t, err)
	require.Equal(t, `[{"title":"say \"hi\"","tags":[],"price":3.00,"meta":{"a": "\""}}, `+
		`{"title":"back\\slash","tags":["a b",null,"c"],"price":3.00,"meta":null}, `+
		`{"title":"NULL, almost","tags":null,"price":3.00,"meta":[]}]`, got)
	got, err = write(texts(), texts(), texts())
	require.NoError(t, err)
	require.Equal(t, `[]`, got)
	_, err = write(texts())
	require.ErrorContains(t, err, "the statement needs list 1, and there are 1")
}

// TestWrittenEach: rows that were written are read again in their order, whatever is joined
// to them.
func TestWrittenEach(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, nil)
	f.exec(t, `INSERT INTO artist (id, name) SELECT i, 'Artist ' || i FROM generate_series(1000, 4000) AS i; ANALYZE artist`)
	st := statementOf(t, &ir.Select{
		Rows:   ir.Rows{From: ir.Written{Table: public("album"), Rows: []ir.Value{ir.Each{Type: catalog.Type{Name: "album"}}}}},
		Fields: []ir.Field{idField, one("artist", "artist", pair("artist_id", "id"), nil, nameField)},
	})
	require.Contains(t, st.SQL(), "LATERAL", "a plain join may change the order")
	all := f.text(t, `SELECT string_agg(r::text, E'\n' ORDER BY i) FROM generate_series(1, 1000) AS i,
		jsonb_populate_record(NULL::album, jsonb_build_object('id', 1001 - i, 'artist_id', 1000 + i * 7 % 3001)) AS r`)
	var rows [][]byte
	for row := range strings.SplitSeq(all, "\n") {
		rows = append(rows, []byte(row))
	}
	want := "["
	for i := 1; i <= 1000; i++ {
		want += fmt.Sprintf(`{"id":%d,"artist":{"name":"Artist %d"}}, `, 1001-i, 1000+i*7%3001)
	}
	out := backend.NewAnswer(nil, nil, 0)
	require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
		return tx.Query(t.Context(), st, backend.Args{Lists: [][][]byte{rows}}, out)
	}))
	require.Equal(t, want[:len(want)-2]+"]", string(out.Buf))
}

// TestStaleStatements: a transaction begins again when one of its statements is out of date on
// the connection.
func TestStaleStatements(t *testing.T) {
	t.Parallel()
	const mood = `CREATE TYPE mood AS ENUM ('calm', 'wild')`
	f := newFixture(t, albumSchema+mood, nil)
	moodType := catalog.Type{Schema: "public", Name: "mood", Kind: catalog.TypeEnum}
	insert, err := New().RenderMutation(&ir.Insert{
		Table: public("album"), Columns: []ir.Column{titleColumn}, Rows: [][]ir.Value{{given(titleColumn, "Blue")}},
		Output: ir.Output{Returning: []ir.Field{field("id", int4Type)}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	read := statementOf(t, &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: public("album")}, Where: ir.Compare{
			Left: titleColumn, Op: ir.OpNeq, Args: []ir.Value{ir.Variable{Type: moodType}},
		}},
		Fields: []ir.Field{field("title", textType)},
	})
	f.exec(t, `CREATE FUNCTION differs(text, mood) RETURNS boolean LANGUAGE sql AS 'SELECT $1 <> $2::text';
		CREATE OPERATOR <> (LEFTARG = text, RIGHTARG = mood, FUNCTION = differs)`)
	calls := 0
	mutate := func() error {
		calls = 0
		return f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			calls++
			if err := tx.Exec(t.Context(), insert, backend.Args{}, func([][]byte) error { return nil }); err != nil {
				return err
			}
			out := backend.NewAnswer(nil, nil, 0)
			if err := tx.Query(t.Context(), read, backend.Args{Variables: texts("calm")}, out); err != nil {
				return err
			}
			require.Equal(t, `[{"title":"Blue"}]`, string(out.Buf))
			return nil
		})
	}
	require.NoError(t, mutate())
	require.Equal(t, 1, calls)
	f.exec(t, `DELETE FROM album; DROP TYPE mood CASCADE; `+mood+`;
		CREATE FUNCTION differs(text, mood) RETURNS boolean LANGUAGE sql AS 'SELECT $1 <> $2::text';
		CREATE OPERATOR <> (LEFTARG = text, RIGHTARG = mood, FUNCTION = differs)`)
	require.NoError(t, mutate())
	require.Equal(t, 2, calls)
	require.Equal(t, "1", f.text(t, `SELECT count(*)::text FROM album`))
}

// TestLostStatements: a server that lost its prepared statements gets all of them again.
func TestLostStatements(t *testing.T) {
	t.Parallel()
	f := newFixture(t, albumSchema, func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	insert, err := New().RenderMutation(&ir.Insert{
		Table: public("album"), Columns: []ir.Column{titleColumn}, Rows: [][]ir.Value{{ir.Variable{Type: textType}}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	for _, title := range []string{"Blue", "Red"} {
		require.NoError(t, f.source.Mutate(t.Context(), as("admin", nil), func(tx backend.Tx) error {
			backend.Last(tx)
			return tx.Exec(t.Context(), insert, backend.Args{Variables: texts(title)}, func([][]byte) error { return nil })
		}))
		c, err := f.source.primary.Acquire(t.Context())
		require.NoError(t, err)
		_, err = c.PG.Exec(t.Context(), `DEALLOCATE ALL`).ReadAll()
		require.NoError(t, err)
		c.Release()
	}
	require.Equal(t, "Blue Red", f.text(t, `SELECT string_agg(title, ' ' ORDER BY id) FROM album`))
}
