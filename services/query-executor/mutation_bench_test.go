package queryexecutor

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
)

func benchObjects(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"name":"A song with a name %d","seconds":%d,"price":"0.99","composer":"Someone, Another & Third %d"}`, i, 200+i, i)
	}
	return "[" + b.String()[1:] + "]"
}

// BenchmarkInsertRows inserts 1,000 rows from JSON and answers with their keys: as a mutation, and in
// hand-written code.
func BenchmarkInsertRows(b *testing.B) {
	objects := benchObjects(1000)
	b.Run("mutation", func(b *testing.B) {
		e := newFixture(b, "testdata/bench", Config{})
		in := &queryv1.ExecuteRequest{
			Session:   &queryv1.Session{Role: "admin"},
			Query:     `mutation ($rows: [song_insert_input!]!) { insert_song(objects: $rows) { affected_rows returning { id } } }`,
			Variables: []byte(`{"rows":` + objects + `}`),
		}
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, e.execute(b.Context(), in, discard{}))
		}
	})
	b.Run("hand", func(b *testing.B) {
		db, err := pgx.Connect(b.Context(), dbtest.URL(b))
		require.NoError(b, err)
		_, err = db.Exec(b.Context(), string(readFile(b, "testdata/bench/schema.sql")))
		require.NoError(b, err)
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, insertByHand(b, db, objects))
		}
	})
}

// BenchmarkNestedInsert inserts objects with three children each.
func BenchmarkNestedInsert(b *testing.B) {
	e := newFixture(b, "testdata/cases/mutations", Config{})
	for _, n := range []int{1, 100} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			row := `,{"title":"x","tracks":{"data":[{"title":"a"},{"title":"b"},{"title":"c"}]}}`
			in := &queryv1.ExecuteRequest{
				Session:   &queryv1.Session{Role: session.Admin},
				Query:     `mutation ($r: [album_insert_input!]!) { insert_album(objects: $r) { returning { id } } }`,
				Variables: []byte(`{"r":[` + strings.Repeat(row, n)[1:] + `]}`),
			}
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, e.execute(b.Context(), in, discard{}))
			}
		})
	}
}

// insertByHand is a hand-written handler.
func insertByHand(b *testing.B, db *pgx.Conn, body string) error {
	var songs []struct {
		Name     string
		Seconds  *int
		Price    string
		Composer *string
	}
	if err := json.Unmarshal([]byte(body), &songs); err != nil {
		return err
	}
	names, seconds := make([]string, len(songs)), make([]*int, len(songs))
	prices, composers := make([]string, len(songs)), make([]*string, len(songs))
	for i, s := range songs {
		names[i], seconds[i], prices[i], composers[i] = s.Name, s.Seconds, s.Price, s.Composer
	}
	return pgx.BeginFunc(b.Context(), db, func(tx pgx.Tx) error {
		rows, err := tx.Query(b.Context(), `INSERT INTO song (name, seconds, price, composer)
			SELECT * FROM unnest($1::text[], $2::int[], $3::text[]::numeric[], $4::text[]) RETURNING id`, names, seconds, prices, composers)
		if err != nil {
			return err
		}
		type song struct {
			ID int `json:"id"`
		}
		written, err := pgx.CollectRows(rows, pgx.RowToStructByPos[song])
		if err != nil {
			return err
		}
		_, err = json.Marshal(map[string]any{"affected_rows": len(written), "returning": written})
		return err
	})
}

// BenchmarkInsertRow inserts one row: as a mutation, and by hand.
func BenchmarkInsertRow(b *testing.B) {
	b.Run("mutation", func(b *testing.B) {
		e := newFixture(b, "testdata/bench", Config{})
		in := &queryv1.ExecuteRequest{
			Session:   &queryv1.Session{Role: session.Admin, Variables: map[string]string{session.RoleHeader: session.Admin}},
			Query:     `mutation ($name: String!) { insert_song_one(object: {name: $name, seconds: 5, price: "9.99"}) { id price } }`,
			Variables: []byte(`{"name": "Blue"}`),
		}
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, e.execute(b.Context(), in, discard{}))
		}
	})
	b.Run("hand", func(b *testing.B) {
		db, err := pgx.Connect(b.Context(), dbtest.URL(b))
		require.NoError(b, err)
		_, err = db.Exec(b.Context(), string(readFile(b, "testdata/bench/schema.sql")))
		require.NoError(b, err)
		b.ReportAllocs()
		for b.Loop() {
			var song struct {
				ID    int    `json:"id"`
				Price string `json:"price"`
			}
			row := db.QueryRow(b.Context(), `INSERT INTO song (name, seconds, price) VALUES ($1, 5, '9.99') RETURNING id, price::text`, "Blue")
			require.NoError(b, row.Scan(&song.ID, &song.Price))
			_, err := json.Marshal(song)
			require.NoError(b, err)
		}
	})
}

// BenchmarkKeptMutation is what a mutation of one row costs apart from the database.
func BenchmarkKeptMutation(b *testing.B) {
	e := newFixture(b, "testdata/cases/mutations", Config{})
	e.sources = open.New(func(*metadata.Source) (backend.Source, error) { return instant{}, nil })
	e.sources.Update(e.state.Load().snapshot.Document.Sources)
	for name, q := range map[string]string{
		"insert": `mutation ($id: Int!, $title: String!) { insert_album_one(object: {id: $id, artist_id: 5, made: "2015-01-01T00:00:00", title: $title, price: "9.99"}) { id price } }`,
		"update": `mutation ($id: Int!, $title: String!) { update_album_by_pk(pk_columns: {id: $id}, _set: {title: $title}) { id title } }`,
	} {
		b.Run(name, func(b *testing.B) {
			in := &queryv1.ExecuteRequest{
				Session: &queryv1.Session{Role: session.Admin}, Query: q, Variables: []byte(`{"id": 1, "title": "Blue"}`),
			}
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, e.execute(b.Context(), in, discard{}))
			}
		})
	}
}

// Mutate runs f on a transaction that answers every statement at once.
func (i instant) Mutate(_ context.Context, _ *session.Session, f func(backend.Tx) error) error {
	return f(instantTx{i})
}

type instantTx struct{ instant }

func (instantTx) Exec(context.Context, backend.Statement, backend.Args, func([][]byte) error) error {
	return nil
}

func (instantTx) Defer(context.Context, backend.Deferred) error { return nil }

func (instantTx) Flush(context.Context) error { return nil }
