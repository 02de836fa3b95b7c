package postgres

import (
	"encoding/binary"
	"errors"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/ir"
)

// benchSchema is a music shop of the size that the design's figures are of.
const benchSchema = `
CREATE TABLE artist (id int PRIMARY KEY, name text);
CREATE TABLE album (id int PRIMARY KEY, title text, artist_id int);
CREATE TABLE track (
	id int PRIMARY KEY, name text NOT NULL, album_id int, media_type_id int, genre_id int, composer text,
	milliseconds int NOT NULL, bytes int, unit_price numeric(10,2) NOT NULL
);
CREATE INDEX ON album (artist_id);
CREATE INDEX ON track (album_id);
INSERT INTO artist SELECT i, 'Artist number ' || i FROM generate_series(1, 275) AS i;
INSERT INTO album SELECT i, 'The album of ' || i, 1 + i % 275 FROM generate_series(1, 347) AS i;
INSERT INTO track SELECT i, 'A track with a name ' || i, 1 + i % 347, 1 + i % 5, 1 + i % 25,
	CASE WHEN i % 4 > 0 THEN 'Composer, Another & Third ' || i END, 200000 + i * 37, i * 1000, 0.99 FROM generate_series(1, 3503) AS i;
ANALYZE;
`

var (
	trackFields = []ir.Field{
		field("id", int4Type), field("name", textType), field("album_id", int4Type), field("media_type_id", int4Type),
		field("genre_id", int4Type), field("composer", textType), field("milliseconds", int4Type), field("bytes", int4Type),
		field("unit_price", numericType),
	}
	firstByID = orderBy(by("id"))
)

func firsts(name, limit string) ir.Rows {
	rows := table(name)
	rows.OrderBy, rows.Limit = firstByID, number4(limit)
	return rows
}

// benchPlan is a plan, and its hand-written counterpart.
type benchPlan struct {
	name string
	root ir.Root
	args [][]byte
	sql  string
	hand func(b *testing.B, out []byte, rows pgx.Rows) []byte
}

var benchPlans = []benchPlan{
	{
		name: "Q1 one row",
		root: &ir.Select{
			Rows:   ir.Rows{From: ir.Table{Name: public("track")}, Where: equals("id", int4Type, ir.Variable{Index: 0, Type: int4Type})},
			Fields: trackFields[:6], One: true,
		},
		args: [][]byte{[]byte("1234")},
		sql:  `SELECT id, name, album_id, media_type_id, genre_id, composer FROM track WHERE id = $1`, hand: handTracks,
	},
	{
		name: "Q2 20 rows", root: &ir.Select{Rows: firsts("track", "20"), Fields: trackFields},
		sql: `SELECT * FROM track ORDER BY id LIMIT 20`, hand: handTracks,
	},
	{
		name: "Q3 nested",
		root: &ir.Select{Rows: firsts("artist", "50"), Fields: []ir.Field{
			field("id", int4Type), field("name", textType),
			many("albums", pair("id", "artist_id"), firsts("album", "10"), field("id", int4Type), field("title", textType),
				many("tracks", pair("id", "album_id"), firsts("track", "10"), field("id", int4Type), field("name", textType), field("milliseconds", int4Type))),
		}},
		sql: `SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'albums', (
				SELECT coalesce(json_agg(json_build_object('id', id, 'title', title, 'tracks', (
					SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'milliseconds', milliseconds)), '[]')
					FROM (SELECT id, name, milliseconds FROM track WHERE album_id = al.id ORDER BY id LIMIT 10) t))), '[]')
				FROM (SELECT id, title FROM album WHERE artist_id = ar.id ORDER BY id LIMIT 10) al))), '[]')
			FROM (SELECT id, name FROM artist ORDER BY id LIMIT 50) ar`,
		hand: func(b *testing.B, out []byte, rows pgx.Rows) []byte {
			b.Helper()
			require.True(b, rows.Next())
			return append(out, rows.RawValues()[0]...)
		},
	},
	{
		name: "Q6 3503 rows", root: &ir.Select{Rows: table("track"), Fields: trackFields},
		sql: `SELECT * FROM track`, hand: handTracks,
	},
}

// handTracks writes rows in code made for these columns.
func handTracks(_ *testing.B, out []byte, rows pgx.Rows) []byte {
	out = append(out, '[')
	number := func(key string, v []byte) {
		out = append(out, key...)
		if v == nil {
			out = append(out, "null"...)
			return
		}
		out = strconv.AppendInt(out, int64(int32(binary.BigEndian.Uint32(v))), 10)
	}
	for n := 0; rows.Next(); n++ {
		if n > 0 {
			out = append(out, ',', ' ')
		}
		v := rows.RawValues()
		number(`{"id":`, v[0])
		out = append(out, `,"name":`...)
		out = answer.AppendString(out, v[1])
		number(`,"album_id":`, v[2])
		number(`,"media_type_id":`, v[3])
		number(`,"genre_id":`, v[4])
		out = append(out, `,"composer":`...)
		if v[5] == nil {
			out = append(out, "null"...)
		} else {
			out = answer.AppendString(out, v[5])
		}
		if len(v) > 6 {
			number(`,"milliseconds":`, v[6])
			number(`,"bytes":`, v[7])
			out = append(out, `,"unit_price":`...)
			cents := int64(binary.BigEndian.Uint16(v[8][8:]))*100 + 99 // all prices are below 10
			out = strconv.AppendInt(out, cents/100, 10)
			out = append(out, ".99"...)
		}
		out = append(out, '}')
	}
	return append(out, ']')
}

// BenchmarkQuery compares running a plan with a hand-written reader of the same rows.
func BenchmarkQuery(b *testing.B) {
	s, db := benchSource(b)
	for _, p := range benchPlans {
		st, err := New().RenderQuery(p.root, backend.RenderOptions{})
		require.NoError(b, err)
		b.Run(p.name+"/plan", func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				out := backend.NewAnswer(buf, nil, 0)
				if err := s.Query(b.Context(), st, backend.Args{Variables: p.args}, out); err != nil {
					b.Fatal(err)
				}
				buf = out.Buf
			}
			b.SetBytes(int64(len(buf)))
		})
		b.Run(p.name+"/hand", func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			var args []any
			for range p.args {
				args = append(args, 1234)
			}
			for b.Loop() {
				rows, err := db.Query(b.Context(), p.sql, args...)
				if err != nil {
					b.Fatal(err)
				}
				buf = p.hand(b, buf[:0], rows)
				rows.Close()
				if rows.Err() != nil {
					b.Fatal(rows.Err())
				}
			}
			b.SetBytes(int64(len(buf)))
		})
	}
}

// BenchmarkRender is what a plan costs before it is cached.
func BenchmarkRender(b *testing.B) {
	for _, p := range benchPlans {
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := New().RenderQuery(p.root, backend.RenderOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchSource(b *testing.B) (*Source, *pgx.Conn) {
	b.Helper()
	f := newFixture(b, benchSchema, nil)
	f.exec(b, `VACUUM`)
	return f.source, f.db
}

// BenchmarkInsert writes 1,000 rows with one statement: as arrays, and as a list of VALUES,
// which it has to be when rows leave out different columns.
func BenchmarkInsert(b *testing.B) {
	s, _ := benchSource(b)
	nothing := errors.New("roll back")
	name := column("name", textType)
	for _, gaps := range []bool{false, true} {
		insert := &ir.Insert{Table: public("artist"), Columns: []ir.Column{idColumn, name}}
		for i := range 1000 {
			insert.Rows = append(insert.Rows, []ir.Value{number4(strconv.Itoa(1000 + i)), given(name, "An artist")})
		}
		if gaps {
			insert.Rows[0][1] = ir.Default{}
		}
		b.Run("gaps="+strconv.FormatBool(gaps), func(b *testing.B) {
			for b.Loop() {
				st, err := New().RenderMutation(insert, backend.RenderOptions{})
				if err != nil {
					b.Fatal(err)
				}
				err = s.Mutate(b.Context(), nil, func(tx backend.Tx) error {
					if err := tx.Exec(b.Context(), st, backend.Args{}, func([][]byte) error { return nil }); err != nil {
						return err
					}
					return nothing
				})
				require.ErrorIs(b, err, nothing)
			}
		})
	}
}
