package metadata

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/services/metadata/internal/store"
)

type versionList struct {
	Current  int64         `json:"resource_version"`
	Versions []store.Entry `json:"versions"`
}

func decoded[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	return v
}

func TestVersionsAreListedComparedAndRestored(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	start := i.version()
	documents := map[int64]string{start: i.export(t)}
	for _, request := range []string{
		track,
		`{"type":"pg_create_select_permission","args":{"table":"kind","role":"clerk","permission":{"columns":["id"],"filter":{}}}}`,
		`{"type":"set_metrics_config","args":{"analyze_query_variables":true,"analyze_response_body":false}}`,
		`{"type":"pg_drop_source","args":{"name":"default"}}`,
		`{"type":"clear_metadata","args":{}}`,
		`{"type":"reload_metadata","args":{}}`,
	} {
		i.ok(t, request)
		documents[i.version()] = i.export(t)
	}
	last := i.version()

	listed := decoded[versionList](t, i.ok(t, `{"type":"list_metadata_versions","args":{"limit":6}}`))
	require.Equal(t, last, listed.Current)
	require.Len(t, listed.Versions, 6)
	require.Equal(t, last, listed.Versions[0].Version)
	require.Equal(t, "reload_metadata", listed.Versions[0].Operation)
	require.Zero(t, listed.Versions[0].Count)
	permission := listed.Versions[4]
	require.Equal(t, "pg_create_select_permission", permission.Operation)
	require.Len(t, permission.Objects, 1)
	require.Equal(t, "admin", permission.By.Role)
	require.Equal(t, "kind", permission.Objects[0].Name)
	require.WithinDuration(t, time.Now(), permission.At, time.Hour)
	require.Len(t, decoded[versionList](t, i.ok(t, fmt.Sprintf(`{"type":"list_metadata_versions","args":{"before":%d}}`, start+1))).Versions, int(start-1))

	require.JSONEq(t, fmt.Sprintf(`{"from":%d,"to":%d,"changes":[
		{"op":"add","kind":"metrics_config","after":{"analyze_query_variables":true,"analyze_response_body":false}},
		{"op":"change","kind":"table","source":"default","schema":"public","name":"kind",
		 "before":{"table":{"name":"kind","schema":"public"},"array_relationships":[{"name":"stocks","using":{"foreign_key_constraint_on":{"column":"kind_id","table":{"name":"stock","schema":"public"}}}}]},
		 "after":{"table":{"name":"kind","schema":"public"},"array_relationships":[{"name":"stocks","using":{"foreign_key_constraint_on":{"column":"kind_id","table":{"name":"stock","schema":"public"}}}}],
			"select_permissions":[{"role":"clerk","permission":{"columns":["id"],"filter":{}}}]}}]}`, start+1, start+3),
		i.ok(t, fmt.Sprintf(`{"type":"diff_metadata_versions","args":{"from":%d,"to":%d}}`, start+1, start+3)))
	require.JSONEq(t, fmt.Sprintf(`{"from":%d,"to":%d,"changes":[]}`, last-1, last),
		i.ok(t, fmt.Sprintf(`{"type":"diff_metadata_versions","args":{"from":%d}}`, last-1)))

	for version := start; version <= last; version++ {
		report := i.ok(t, fmt.Sprintf(`{"type":"rollback_metadata","args":{"version":%d}}`, version))
		require.JSONEq(t, `{"is_consistent":true,"inconsistent_objects":[]}`, report)
		require.Equal(t, documents[version], i.export(t), version)
	}
	require.Equal(t, 2*last-start+1, i.version())
	i.fails(t, v1metadata, `{"type":"rollback_metadata","args":{"version":100000}}`, "not-exists", "$.args", "version 100000 of the metadata is not kept")
	i.fails(t, v1metadata, `{"type":"diff_metadata_versions","args":{"from":0}}`, "not-exists", "$.args", "version 0 of the metadata is not kept")
	i.fails(t, v1metadata, `{"type":"rollback_metadata","args":{}}`, "parse-failed", "$.args", `key "version" not found`)
}

// TestVersionsAreFound looks for words in more versions than are read at once.
func TestVersionsAreFound(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	i.ok(t, track)
	i.ok(t, `{"type":"pg_create_select_permission","args":{"table":"kind","role":"clerk","permission":{"columns":["id"],"filter":{}}}}`)
	version := i.version()
	i.ok(t, `{"type":"set_metrics_config","args":{"analyze_query_variables":true,"analyze_response_body":false}}`)
	const older = 1200
	w.sql(t, w.metadataURL, fmt.Sprintf(`INSERT INTO engine_catalog.metadata_change (version, change, summary)
		SELECT -g, change, CASE WHEN g %% 2 = 0 THEN summary END FROM engine_catalog.metadata_change, generate_series(1, %d) g WHERE version = %d`, older, version))
	found := func(args string) (versions []int64) {
		for _, v := range decoded[versionList](t, i.ok(t, `{"type":"list_metadata_versions","args":{`+args+`}}`)).Versions {
			versions = append(versions, v.Version)
		}
		return versions
	}
	all := found(`"limit":1000,"search":" Create_SELECT  admin default.public.KIND "`)
	require.Len(t, all, 1+older/2)
	require.Equal(t, []int64{version, -2, -4, -6}, all[:4])
	require.EqualValues(t, -older, all[older/2])
	require.Equal(t, []int64{-1000, -1002}, found(`"limit":2,"before":-998,"search":"pg_create_select_permission"`))
	require.Equal(t, []int64{version + 1}, found(`"search":"metrics_config"`))
	require.Empty(t, found(`"search":"create_select nobody"`))
	require.Empty(t, found(`"limit":0,"search":"admin"`))
}

func TestHistoryEndsWhereItIsNotKept(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	i.ok(t, track)
	i.ok(t, `{"type":"reload_metadata","args":{}}`)
	version := i.version()
	// A row as one from before the history was kept.
	w.sql(t, w.metadataURL, fmt.Sprintf(`UPDATE engine_catalog.metadata_change SET undo = NULL, summary = NULL WHERE version = %d`, version))
	i.fails(t, v1metadata, fmt.Sprintf(`{"type":"rollback_metadata","args":{"version":%d}}`, version-1),
		"not-exists", "$.args", fmt.Sprintf("version %d of the metadata is not kept", version-1))
	require.Equal(t, version, decoded[versionList](t, i.ok(t, `{"type":"list_metadata_versions","args":{}}`)).Versions[0].Version)
	i.ok(t, fmt.Sprintf(`{"type":"rollback_metadata","args":{"version":%d}}`, version))
}

func TestRollbackIsCheckedAsAReplacementIs(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	i.ok(t, track)
	version := i.version()
	i.ok(t, `{"type":"clear_metadata","args":{}}`)
	w.sql(t, w.source, `DROP TABLE stock`)
	request := `{"type":"rollback_metadata","args":{"version":%d,"allow_inconsistent_metadata":%t}}`
	i.fails(t, v1metadata, fmt.Sprintf(request, version, false), "unexpected", "$.args", "cannot continue due to inconsistent metadata")
	require.Contains(t, i.ok(t, fmt.Sprintf(request, version, true)), `"is_consistent":false`)
}

func TestDryRunsChangeNothing(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	i.ok(t, track)
	version, before := i.version(), i.export(t)
	type report struct {
		DryRun  bool              `json:"dry_run"`
		Version int64             `json:"resource_version"`
		Changes []json.RawMessage `json:"changes"`
		Is      bool              `json:"is_consistent"`
		Answer  json.RawMessage   `json:"answer"`
		Refused *struct {
			Error, Path, Code string
		} `json:"refused"`
	}
	got := decoded[report](t, i.ok(t, `{"type":"bulk","dry_run":true,"args":[
		{"type":"pg_untrack_table","args":{"table":"kind","cascade":true}},
		{"type":"add_inherited_role","args":{"role_name":"lead","role_set":["none"]}}]}`))
	require.True(t, got.DryRun)
	require.Equal(t, version, got.Version)
	require.Len(t, got.Changes, 3)
	require.False(t, got.Is)
	require.Equal(t, "$.args[1].args", got.Refused.Path)
	require.Equal(t, "invalid-configuration", got.Refused.Code)
	require.JSONEq(t, `[{"message":"success"},{"message":"success"}]`, string(got.Answer))

	replace := `{"type":"replace_metadata","version":2,"args":{"dry_run":true,"metadata":{"version":3,"sources":[]}}}`
	got = decoded[report](t, i.ok(t, replace))
	require.True(t, got.Is)
	require.Nil(t, got.Refused)
	require.Len(t, got.Changes, 3, "the source and its tables")
	got = decoded[report](t, i.ok(t, fmt.Sprintf(`{"type":"rollback_metadata","args":{"version":%d,"dry_run":true}}`, version-1)))
	require.Len(t, got.Changes, 2)

	i.fails(t, v1metadata, `{"type":"bulk","args":[`+replace+`]}`, "not-supported", "$.args[0]",
		"dry_run is for a whole request: it belongs next to the type of the outermost one")
	i.fails(t, v1metadata, `{"type":"set_catalog_state","dry_run":true,"args":{"type":"cli","state":{}}}`, "not-supported", "$.args",
		"this request can't be tried with dry_run")
	i.fails(t, v1metadata, `{"type":"pg_track_table","dry_run":true,"args":{"table":"kind"}}`, "already-tracked", "$.args",
		`view/table already tracked: "kind"`)
	i.fails(t, v1metadata, `{"type":"clear_metadata","dry_run":true,"resource_version":1,"args":{}}`, "conflict", "$",
		"metadata resource version referenced (1) did not match current version")
	require.Equal(t, version, i.version())
	require.Equal(t, before, i.export(t))
}

// TestDryRunOfTheDocumentation sends the example of the page.
func TestDryRunOfTheDocumentation(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/metadata-api.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "## Dry run")
	require.True(t, found)
	_, rest, _ = strings.Cut(rest, "```json request /v1/metadata\n")
	example, _, _ := strings.Cut(rest, "```")
	_, i := startShop(t)
	i.ok(t, track)
	answer := decoded[map[string]json.RawMessage](t, i.ok(t, example))
	for _, key := range []string{"resource_version", "changes", "is_consistent", "inconsistent_objects", "answer"} {
		require.Contains(t, answer, key)
		require.Contains(t, string(page), "`"+key+"`")
	}
}
