package sample_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/services/engine/sample"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// hashSmall changes when any row of the small size does. Figures in the documentation and
// expected answers of tests then have to follow.
const hashSmall = "501b349fbbd26928d2c23d1364cc9d180d43fc21c18517184e0797065b67c5c3"

func TestRowsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	h := sha256.New()
	for _, table := range sample.Small.Tables() {
		for row := range table.Rows {
			b, err := json.Marshal(row)
			require.NoError(t, err)
			fmt.Fprintf(h, "%s %s\n", table.Name, b)
		}
	}
	require.Equal(t, hashSmall, hex.EncodeToString(h.Sum(nil)))
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size sample.Size
		want map[string]int
	}{
		{sample.Small, map[string]int{
			"artists": 275, "albums": 350, "genres": 25, "media_types": 5, "tracks": 3500, "playlists": 18,
			"playlist_tracks": 9000, "employees": 8, "customers": 60, "invoices": 400,
		}},
		{sample.Large, map[string]int{"tracks": 1_000_000, "playlist_tracks": 1_500_000}},
	} {
		t.Run(c.size.Name, func(t *testing.T) {
			t.Parallel()
			tables := c.size.Tables()
			require.Len(t, tables, 11)
			for _, table := range tables {
				want, ok := c.want[table.Name]
				if !ok {
					continue
				}
				n := 0
				for row := range table.Rows {
					if n == 0 {
						require.Len(t, row, len(table.Columns), table.Name)
					}
					n++
				}
				require.Equal(t, want, n, table.Name)
			}
		})
	}
}

// TestEmptyLooksAtSchemaPublic: tables of other schemas and of extensions don't count.
func TestEmptyLooksAtSchemaPublic(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), dbtest.URL(t)
	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(ctx)) }()
	for _, c := range []struct {
		sql   string
		empty bool
	}{
		{`CREATE SCHEMA billing; CREATE TABLE billing.accounts (id int); CREATE TEMP TABLE mine (id int)`, true},
		{`CREATE EXTENSION pg_stat_statements`, true},
		{`CREATE VIEW v AS SELECT 1`, false},
	} {
		_, err := conn.Exec(ctx, c.sql)
		require.NoError(t, err, c.sql)
		empty, err := sample.Empty(ctx, url)
		require.NoError(t, err)
		require.Equal(t, c.empty, empty, c.sql)
	}
	_, err = sample.Empty(ctx, strings.Replace(url, conn.Config().Database, "no_such_database", 1))
	require.ErrorContains(t, err, `connecting to the database: FATAL: database "no_such_database" does not exist`)
	require.NotContains(t, err.Error(), "tls")
}

func TestLoad(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), dbtest.URL(t)
	loaded, err := sample.Loaded(ctx, url)
	require.NoError(t, err)
	require.False(t, loaded)
	empty, err := sample.Empty(ctx, url)
	require.NoError(t, err)
	require.True(t, empty)

	require.NoError(t, sample.Load(ctx, url, sample.Small))
	loaded, err = sample.Loaded(ctx, url)
	require.NoError(t, err)
	require.True(t, loaded)
	empty, err = sample.Empty(ctx, url)
	require.NoError(t, err)
	require.False(t, empty)
	require.ErrorContains(t, sample.Load(ctx, url, sample.Small), "already exists", "a second time")

	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(ctx)) }()
	for what, sql := range map[string]string{
		"every table has rows, counted by the statistics": `SELECT count(*) = 11 FROM pg_class
			WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND reltuples > 0`,
		"eleven foreign keys": `SELECT count(*) = 11 FROM pg_constraint
			WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
		"every foreign key has an index": `SELECT bool_and(EXISTS (SELECT FROM pg_index i
			WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1]))
			FROM pg_constraint c WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
		"an invoice's total is the sum of its lines": `SELECT bool_and(i.total = l.total) FROM invoices i
			JOIN (SELECT invoice_id, sum(unit_price * quantity) AS total FROM invoice_lines GROUP BY 1) l
			ON l.invoice_id = i.id`,
		"a new row gets the next key": `WITH new AS (INSERT INTO artists (name, country)
			VALUES ('Somebody', 'Norway') RETURNING id) SELECT id = 276 FROM new`,
		"the first genres have many tracks": `SELECT bool_and(n > 50) FROM
			(SELECT count(*) AS n FROM tracks WHERE genre_id <= 5 AND duration_ms > 200000 GROUP BY genre_id) s`,
		"the database isn't ASCII only": `SELECT EXISTS (SELECT FROM artists WHERE octet_length(name) > length(name))`,
	} {
		var ok bool
		require.NoError(t, conn.QueryRow(ctx, sql).Scan(&ok), what)
		require.True(t, ok, what)
	}
}

func TestMetadataNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	var args struct {
		Metadata struct {
			Version int `json:"version"`
			Sources []struct {
				Tables []struct {
					Table  struct{ Schema, Name string } `json:"table"`
					Object []struct{ Name string }       `json:"object_relationships"`
					Array  []struct{ Name string }       `json:"array_relationships"`
					Select []struct{ Role string }       `json:"select_permissions"`
				} `json:"tables"`
			} `json:"sources"`
		} `json:"metadata"`
	}
	require.NoError(t, json.Unmarshal(sample.Metadata(), &args))
	require.Equal(t, 3, args.Metadata.Version)
	require.Len(t, args.Metadata.Sources, 1)

	var tracked, made []string
	var objects, arrays int
	roles := map[string]int{}
	for _, table := range args.Metadata.Sources[0].Tables {
		tracked = append(tracked, table.Table.Name)
		objects += len(table.Object)
		arrays += len(table.Array)
		for _, p := range table.Select {
			roles[p.Role]++
		}
	}
	for _, table := range sample.Small.Tables() {
		made = append(made, table.Name)
	}
	require.ElementsMatch(t, made, tracked)
	require.Equal(t, 11, objects, "each foreign key one way")
	require.Equal(t, 11, arrays, "and the other")
	require.Equal(t, map[string]int{"customer": 10, "support": 11}, roles)
}
