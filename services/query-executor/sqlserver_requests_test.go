package queryexecutor

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/telemetry"
	planenv "queryengine/services/query-executor/internal/plan/env"
)

// sqlServerSchema has what databases of others have: code pages, triggers of their own, and columns that can't be written.
var sqlServerSchema = []string{
	`CREATE TABLE place (id int PRIMARY KEY, code varchar(20) COLLATE Cyrillic_General_CI_AS, label nvarchar(50), size float)`,
	`INSERT INTO place VALUES (1, N'Север', N'Norden', 0.30000000000000004), (2, N'Юг', N'Süden', 2.5)`,
	`CREATE TABLE article (id int PRIMARY KEY, title nvarchar(50), published_on timestamp, title_length AS (LEN(title)))`,
	`INSERT INTO article (id, title) VALUES (1, N'one'), (2, N'two')`,
	`CREATE TABLE noisy (id int PRIMARY KEY, n int)`,
	`INSERT INTO noisy VALUES (1, 1)`,
	`CREATE TRIGGER noisy_says ON noisy AFTER INSERT, UPDATE, DELETE AS SELECT 'surprise' AS s, 'more' AS t`,
}

const sqlServerMetadata = `{"version": 3, "sources": [{"name": "default", "kind": "mssql",
	"configuration": {"connection_info": {"connection_string": {"from_env": "URL"}, "isolation_level": "LEVEL"}},
	"tables": [
		{"table": {"schema": "dbo", "name": "place"}},
		{"table": {"schema": "dbo", "name": "noisy"}, "select_permissions": [{"role": "reader", "permission": {"columns": "*", "filter": {}}}],
			"insert_permissions": [{"role": "reader", "permission": {"columns": "*", "check": {"n": {"_gt": 0}}}}]},
		{"table": {"schema": "dbo", "name": "article"},
			"select_permissions": [{"role": "reader", "permission": {"columns": "*", "filter": {}}}],
			"insert_permissions": [{"role": "reader", "permission": {"columns": ["id", "title", "published_on"], "check": {}}}],
			"update_permissions": [{"role": "reader", "permission": {"columns": ["title", "published_on", "title_length"], "filter": {}, "check": null}}]}]}]}`

// sqlServerRequests are requests with the answers of SQL Server.
var sqlServerRequests = []struct {
	name, role, text, variables string
	want                        string
	// babelfish is why Babelfish can't answer, empty where it can.
	babelfish string
}{
	{name: "a text of another code page", text: `{ place(where: {code: {_eq: "Север"}}) { id code } }`, want: `{"data":{"place":[{"id":1,"code":"Север"}]}}`},
	{name: "a pattern of another code page", text: `{ place(where: {code: {_like: "Ю%"}}) { id } }`, want: `{"data":{"place":[{"id":2}]}}`},
	{
		name: "a list of another code page", text: `query($l: [String!]) { place(where: {code: {_in: $l}}, order_by: {id: asc}) { id } }`, variables: `{"l": ["Юг", "Север"]}`,
		want: `{"data":{"place":[{"id":1}, {"id":2}]}}`,
	},
	{
		name: "a subscription of another code page", text: `subscription($c: String) { place(where: {code: {_eq: $c}}) { id } }`, variables: `{"c": "Юг"}`,
		want: `[{"id": 2}]`, babelfish: "texts of OPENJSON ... WITH stay escaped",
	},
	{
		name: "variables that are null", text: `query($l: Int, $o: Int) { place(limit: $l, offset: $o, order_by: {id: asc}) { id } }`, variables: `{}`,
		want: `{"data":{"place":[{"id":1}, {"id":2}]}}`,
	},
	{
		name: "an upsert by a text of another code page", text: `mutation { insert_place_one(object: {id: 3, code: "Восток", label: "Osten"}, if_matched: {match_columns: code, update_columns: []}) { id code } }`,
		want: `{"data":{"insert_place_one":{"id":3,"code":"Восток"}}}`,
	},
	{
		name: "an upsert of a row that is there", text: `mutation { insert_place(objects: [{id: 4, code: "Восток"}], if_matched: {match_columns: code, update_columns: []}) { affected_rows } }`,
		want: `{"data":{"insert_place":{"affected_rows" : 0}}}`,
	},
	{
		name: "a permission that names columns which can't be written", role: "reader", text: `mutation { insert_article_one(object: {id: 3, title: "three"}) { id title } }`,
		want: `{"data":{"insert_article_one":{"id":3,"title":"three"}}}`,
	},
	{
		name: "a column that can't be written", role: "reader", text: `mutation { update_article(where: {}, _set: {published_on: "AA=="}) { affected_rows } }`,
		want: `validation-failed at $.selectionSet.update_article.args._set.published_on: field 'published_on' not found in type: 'article_set_input'`,
	},
	{
		name: "a trigger that gives rows", text: `mutation { insert_noisy_one(object: {id: 2, n: 5}) { id n } }`,
		want: `{"data":{"insert_noisy_one":{"id":2,"n":5}}}`,
	},
	{
		name: "a trigger that gives rows, counted", text: `mutation { update_noisy(where: {}, _inc: {n: 1}) { affected_rows } }`,
		want: `{"data":{"update_noisy":{"affected_rows" : 2}}}`,
	},
	{
		name: "a trigger that gives rows, checked", role: "reader", text: `mutation { insert_noisy_one(object: {id: 3, n: 0}) { id } }`,
		want: `permission-error`,
	},
	{
		name: "a trigger that gives rows of deletions", text: `mutation { delete_noisy(where: {id: {_eq: 1}}) { returning { id n } } }`,
		want: `{"data":{"delete_noisy":{"returning" : [{"id":1,"n":2}]}}}`,
	},
}

// TestSQLServer runs requests on the server of ENGINE_TEST_SQL_SERVER_URL.
func TestSQLServer(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"read-committed", "snapshot"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			server := dbtest.SQLServerURL(t)
			babelfish := strings.HasPrefix(dbtest.SQLServerVersion(t, server), "Babelfish")
			if level == "snapshot" && !babelfish { // which has it on
				own, err := url.Parse(server)
				require.NoError(t, err)
				name := own.Query().Get("database")
				dbtest.OnSQLServer(t, server, "ALTER DATABASE "+name+" SET ALLOW_SNAPSHOT_ISOLATION ON")
			}
			env := func(string) (string, bool) { return server, true }
			document := strings.Replace(sqlServerMetadata, "LEVEL", level, 1)
			e, err := newExecutor(Config{PlanCacheSize: 1000, Limits: planenv.DefaultLimits}, Deps{Kinds: kind.All(env, serviceName), Env: env, Logger: telemetry.Discard()})
			require.NoError(t, err)
			t.Cleanup(e.sources.Close)
			empty, _, _ := strings.Cut(document, `"tables"`)
			e.apply(snapshotOf(t, []byte(empty+`"tables": []}]}`), env))
			source, err := e.sources.Named("default")
			require.NoError(t, err)
			for _, text := range sqlServerSchema { // definitions, also where queries read snapshots
				_, err := source.Source.RunSQL(t.Context(), backend.RawSQL{SQL: text})
				require.NoError(t, err, text)
			}
			source.Release()
			e.apply(snapshotOf(t, []byte(document), env))
			proven := backendtest.Tested{Server: dbtest.SQLServerVersion(t, server), Tests: "requests", Layout: level, Except: map[string]string{}}
			for _, c := range sqlServerRequests {
				t.Run(c.name, func(t *testing.T) {
					if babelfish && c.babelfish != "" {
						proven.Except[c.name] = c.babelfish
						t.Skip(c.babelfish)
					}
					r := &citusRequest{text: c.text, variables: c.variables, role: c.role}
					require.Contains(t, citusAnswer(t, e, r), c.want)
					proven.Cases++
				})
			}
			backendtest.Report(t, proven)
		})
	}
}
