package queryexecutor

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/pkg/testlong"
	"queryengine/services/query-executor/internal/casetest"
)

const jsonFeature = "testdata/cases/json"

// TestJSONPartsUseIndexes: PostgreSQL finds rows and orders them by indexes on the expressions that the documentation names, also when it
// has run a prepared statement often enough to choose a plan for all parameters.
func TestJSONPartsUseIndexes(t *testing.T) {
	t.Parallel()
	recorder := &casetest.Recorder{}
	e := newCasesFixture(t, jsonFeature, Config{}, recorder, &casetest.ServerRecorder{})
	runSQL(t, e, `TRUNCATE doc;
		INSERT INTO doc SELECT n, 1, NULL, jsonb_build_object('size', n, 'name', 'n' || n, 'a', jsonb_build_object('b', n)) FROM generate_series(1, 20000) n;
		CREATE INDEX doc_size ON doc ((CASE WHEN jsonb_typeof(meta #> '{size}') = 'number' THEN (meta #> '{size}')::numeric END));
		CREATE INDEX doc_name ON doc ((meta #>> '{name}'));
		CREATE INDEX doc_b ON doc ((meta #> '{a,b}'));
		ANALYZE doc`)
	known, _ := sessions.Load(e)
	conn := known.(*databaseSession).conn
	for index, query := range map[string]string{
		"doc_size":            `{ doc(where: {meta: {_at: {path: ["size"], int: {_gt: 3, _lt: 6}}}}) { id } }`,
		"doc_size ":           `{ doc(where: {meta: {_at: {path: ["size"], float: {_eq: 7}}}}) { id } }`,
		"doc_size in lists":   `{ doc(where: {meta: {_at: {path: ["size"], int: {_in: [7, 8]}}}}) { id } }`,
		"doc_size for orders": `{ doc(order_by: {_at: {meta: {path: ["size"], float: asc}}}, limit: 3) { id } }`,
		"doc_name":            `{ doc(where: {meta: {_at: {path: ["name"], text: {_eq: "n3"}}}}) { id } }`,
		"doc_b":               `{ doc(where: {meta: {_at: {path: ["a", "b"], json: {_eq: 3}}}}) { id } }`,
	} {
		answer(t, e, &request{session: adminSession(), text: query})
		var statements []struct {
			SQL        string   `json:"sql"`
			Parameters []string `json:"parameters"`
		}
		require.NoError(t, json.Unmarshal(recorder.Take(t), &statements))
		require.Len(t, statements, 1)
		literals := make([]string, len(statements[0].Parameters))
		for i, p := range statements[0].Parameters {
			literals[i] = "'" + strings.ReplaceAll(p, "'", "''") + "'"
		}
		run := "EXECUTE found(" + strings.Join(literals, ", ") + ")"
		for _, sql := range []string{"DEALLOCATE ALL", "PREPARE found AS " + statements[0].SQL} {
			_, err := conn.Exec(t.Context(), sql)
			require.NoError(t, err)
		}
		for range 8 {
			_, err := conn.Exec(t.Context(), run)
			require.NoError(t, err)
		}
		rows, err := conn.Query(t.Context(), "EXPLAIN "+run)
		require.NoError(t, err)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		name, _, _ := strings.Cut(index, " ")
		require.Contains(t, strings.Join(plan, "\n"), name, query)
	}
}

// TestJSONPartsInCursors: the pages of rows that are ordered by parts of JSON values have each row once.
func TestJSONPartsInCursors(t *testing.T) {
	t.Parallel()
	e := newFixture(t, jsonFeature, Config{})
	restore(t, e, jsonFeature)
	for _, order := range []string{
		`[{_at: {meta: {path: ["size"], int: desc}}}, {_at: {meta: {path: ["name"], text: asc}}}]`,
		`[{_at: {meta: {path: ["a"], text: asc}}}, {_at: {meta: {path: ["a", "b"], float: desc_nulls_last}}}]`,
		`[{shelf: {_at: {rules: {path: ["order"], int: asc}}}}, {_at: {meta: {path: ["ok"], bool: desc}}}]`,
	} {
		requirePages(t, e, session.Admin, "doc_connection", "order_by: "+order)
	}
}

// TestJSONPartsOfTwoWorlds: whatever changes in rows, cells and columns that a role can't see, its answers are the same.
func TestJSONPartsOfTwoWorlds(t *testing.T) {
	t.Parallel()
	e := newFixture(t, jsonFeature, Config{})
	restore(t, e, jsonFeature)
	var requests []*request
	for _, role := range []string{"clerk", "both"} {
		for _, text := range []string{
			`{ doc(where: {meta: {_at: {path: ["size"], int: {_gt: 1}}}}, order_by: {id: asc}) { id } }`,
			`{ doc(where: {_not: {meta: {_at: {path: ["size"], float: {_is_null: true}}}}}, order_by: {id: asc}) { id } }`,
			`{ doc(where: {meta: {_path_exists: ["a", "b"]}}, order_by: {id: asc}) { id } }`,
			`{ doc(where: {meta: {_at: {path: ["ok"], bool: {_eq: true}}}}, order_by: {id: asc}) { id } }`,
			`{ doc(order_by: [{_at: {meta: {path: ["size"], int: desc}}}, {_at: {meta: {path: ["a"], text: asc}}}, {id: asc}], where: {id: {_lt: 4}}) { id meta } }`,
			`{ doc(order_by: [{_at: {meta: {path: ["name"], text: asc}}}, {id: asc}], where: {id: {_lt: 4}}, limit: 2) { id } }`,
		} {
			requests = append(requests, &request{session: &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}, text: text})
		}
	}
	answers := func() []string {
		var list []string
		for _, q := range requests {
			again := *q
			list = append(list, string(answer(t, e, &again)))
		}
		return list
	}
	want := answers()
	for _, meta := range []string{
		`{"size": 3, "a": {"b": 1}, "ok": true, "name": "a"}`, `{"size": "x", "a": 1, "ok": "maybe"}`, `{"size": 1e400, "ok": 1}`, `[1]`, `"3"`, `null`,
	} {
		runSQL(t, e, `UPDATE doc SET meta = '`+meta+`' WHERE owner = 2; UPDATE doc SET secret = '`+meta+`' WHERE owner = 1; UPDATE shelf SET rules = '`+meta+`'`)
		require.Equal(t, want, answers(), meta)
	}
	runSQL(t, e, `UPDATE doc SET meta = NULL WHERE owner = 2; DELETE FROM doc WHERE owner = 2 AND id > 4`)
	require.Equal(t, want, answers())
}

// TestRandomJSONEdits compares the updates of parts of JSON values with what they do in Go.
func TestRandomJSONEdits(t *testing.T) {
	t.Parallel()
	e := newFixture(t, jsonFeature, Config{})
	seed := testlong.Seed(t, 46)
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // G404: a test that can be repeated
	for range testlong.Of(300, 20000) {
		old, patch := randomJSON(r, 3), randomJSON(r, 3)
		path := []string{}
		for range r.IntN(4) {
			path = append(path, jsonEditKeys[r.IntN(3)])
		}
		before, err := json.Marshal(old)
		require.NoError(t, err)
		runSQL(t, e, `TRUNCATE doc; INSERT INTO doc VALUES (1, 1, NULL, '`+string(before)+`', '`+string(before)+`')`)
		variables, err := json.Marshal(map[string]any{"patch": patch, "path": path})
		require.NoError(t, err)
		var got struct {
			Data struct {
				Doc struct{ Meta, Secret any }
			}
		}
		raw := answer(t, e, &request{session: adminSession(), variables: variables, text: `mutation ($patch: jsonb, $path: [String!]!) {
			doc: update_doc_by_pk(pk_columns: {id: 1}, _merge: {meta: $patch}, _set_at: {secret: {path: $path, value: $patch}}) { meta secret }
		}`})
		require.NotContains(t, string(raw), `"error"`)
		require.NoError(t, json.Unmarshal(raw, &got), string(raw))
		at := fmt.Sprintf("seed %d: %s, %s", seed, before, variables)
		require.Equal(t, mergePatch(old, patch), got.Data.Doc.Meta, at)
		require.Equal(t, setAt(old, path, patch), got.Data.Doc.Secret, at)
	}
}

var jsonEditKeys = []string{"a", "b", "0"}

// randomJSON is a value without arrays, in which keys that are no indexes fail.
func randomJSON(r *rand.Rand, depth int) any {
	if depth > 0 && r.IntN(4) > 0 {
		o := map[string]any{}
		for _, key := range jsonEditKeys {
			if r.IntN(3) > 0 {
				o[key] = randomJSON(r, depth-1)
			}
		}
		return o
	}
	return []any{1.0, "x", true, nil, map[string]any{}}[r.IntN(5)]
}

// mergePatch is the algorithm of RFC 7396.
func mergePatch(target, patch any) any {
	members, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	merged, _ := target.(map[string]any)
	merged = maps.Clone(merged)
	if merged == nil {
		merged = map[string]any{}
	}
	for key, value := range members {
		if value == nil {
			delete(merged, key)
		} else {
			merged[key] = mergePatch(merged[key], value)
		}
	}
	return merged
}

// setAt sets a part, and makes what leads to it.
func setAt(target any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	members, _ := target.(map[string]any)
	members = maps.Clone(members)
	if members == nil {
		members = map[string]any{}
	}
	members[path[0]] = setAt(members[path[0]], path[1:], value)
	return members
}
