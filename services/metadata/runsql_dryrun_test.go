package metadata

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// rehearsed is what a dry run of SQL answers.
type rehearsed struct {
	DryRun  bool                              `json:"dry_run"`
	Changes []struct{ Op, Kind, Name string } `json:"changes"`
	Answer  json.RawMessage                   `json:"answer"`
	Refused *struct{ Error string }           `json:"refused"`
}

func TestRunSQLIsTried(t *testing.T) {
	t.Parallel()
	w, i := startRunSQL(t)
	w.sql(t, w.source, `INSERT INTO kind VALUES (1, 'a')`)
	version, before := i.version(), i.export(t)
	try := func(sql, options string) (r rehearsed) {
		require.NoError(t, json.Unmarshal([]byte(i.okAt(t, v2query, runSQLRequest(t, sql, `,"dry_run":true`+options))), &r))
		require.True(t, r.DryRun)
		return r
	}
	r := try(`DROP TABLE stock CASCADE; SELECT count(*) FROM kind`, `,"cascade":true`)
	require.JSONEq(t, `{"result_type":"TuplesOk","result":[["count"],["1"]]}`, string(r.Answer))
	require.True(t, slices.ContainsFunc(r.Changes, func(c struct{ Op, Kind, Name string }) bool {
		return c.Op == "remove" && c.Kind == "table" && c.Name == "stock"
	}), r.Changes)
	r = try(`ALTER TABLE kind RENAME label TO title`, "")
	require.Nil(t, r.Refused)
	r = try(`INSERT INTO kind VALUES (2, 'b') RETURNING id`, "")
	require.Empty(t, r.Changes)
	require.JSONEq(t, `{"result_type":"TuplesOk","result":[["id"],["2"]]}`, string(r.Answer))

	// What would be refused is, and so is a text that could leave the transaction.
	i.fails(t, v2query, runSQLRequest(t, `DROP TABLE stock CASCADE`, `,"dry_run":true`), "dependency-error", "$",
		`cannot drop due to the following dependent objects: permission kind.auditor.select in source "default", relationship kind.stocks in source "default"`)
	for _, sql := range []string{
		`COMMIT; DROP TABLE bystander`, `DROP TABLE bystander; COMMIT`, `DROP TABLE bystander; END`, `ROLLBACK; DROP TABLE bystander`,
		`DROP TABLE bystander; PREPARE TRANSACTION 'x'`, `DROP TABLE bystander; COMMIT AND CHAIN; SELECT 1`,
		`SET standard_conforming_strings = off; DROP TABLE bystander; SELECT '\'; COMMIT; --'`,
		`DO $$ BEGIN DROP TABLE bystander; COMMIT; END $$`,
	} {
		i.fails(t, v2query, runSQLRequest(t, sql, `,"dry_run":true`), "postgres-error", "$", "query execution failed")
	}
	i.fails(t, v2query, runSQLRequest(t, `SELECT 1`, `,"dry_run":true,"no_transaction":true`), "not-supported", "$.no_transaction", "SQL can't be tried without a transaction")
	i.fails(t, v2query, `{"type":"bulk","args":[`+runSQLRequest(t, `DROP TABLE bystander`, `,"dry_run":true`)+`]}`, "not-supported", "$.args[0]",
		"dry_run is for a whole request: it belongs next to the type of the outermost one")

	require.Equal(t, version, i.version())
	require.Equal(t, before, i.export(t))
	require.JSONEq(t, `{"result_type":"TuplesOk","result":[["kinds","bystanders"],["1","0"]]}`,
		i.run(t, `SELECT (SELECT count(label) FROM kind) AS kinds, (SELECT count(*) FROM bystander JOIN stock ON true) AS bystanders`))
}
