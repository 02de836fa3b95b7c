package bigquery_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/backend/bigquery"
)

// addressVariable names an emulator of BigQuery and a project of it: http://host:port/project.
const addressVariable = "ENGINE_TEST_BIGQUERY_URL"

// notEnforced are the parts of definitions that BigQuery has no such words for.
var notEnforced = regexp.MustCompile(`, (?:PRIMARY KEY|UNIQUE) \([^)]*\)| REFERENCES \S+[^,)\s]`)

// emulated is the fixture of an emulator, in GoogleSQL. Tests make the datasets again.
func emulated(t *testing.T, address *url.URL) backendtest.Fixture {
	project := strings.Trim(address.Path, "/")
	require.NotEmpty(t, project, "%s has no project", addressVariable)
	endpoint := address.Scheme + "://" + address.Host
	call := func(t testing.TB, method, path, body string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, endpoint+"/bigquery/v2/projects/"+url.PathEscape(project)+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	types := map[backendtest.Type]string{
		backendtest.Serial: "INT64", backendtest.Integer: "INT64", backendtest.Big: "INT64", backendtest.Decimal: "NUMERIC", backendtest.Float: "FLOAT64",
		backendtest.Boolean: "BOOL", backendtest.Text: "STRING", backendtest.Date: "DATE", backendtest.Timestamp: "TIMESTAMP", backendtest.UUID: "STRING",
		backendtest.Document: "JSON", backendtest.Mood: "STRING",
	}
	f := fixture()
	f.Server, f.Layout = "an emulator of BigQuery", "local"
	f.SQL.Types, f.SQL.Before = types, ""
	f.SQL.Quote = func(name string) string { return "`" + name + "`" }
	f.SQL.Literal = func(of backendtest.Type, text string) string {
		literal := "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
		switch name := types[of]; name {
		case "STRING":
			return literal
		case "JSON":
			return "JSON " + literal
		default:
			return "CAST(" + literal + " AS " + name + ")"
		}
	}
	f.Open = func(t testing.TB) backendtest.Database {
		t.Helper()
		for _, dataset := range []string{f.SQL.Default, f.SQL.Other} {
			call(t, http.MethodDelete, "/datasets/"+dataset+"?deleteContents=true", "")
			body, err := json.Marshal(map[string]any{"datasetReference": map[string]string{"projectId": project, "datasetId": dataset}})
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, call(t, http.MethodPost, "/datasets", string(body)))
		}
		raw, err := json.Marshal(map[string]any{"project_id": project, "datasets": []string{f.SQL.Default, f.SQL.Other}, "endpoint": endpoint, "retry_limit": 0})
		require.NoError(t, err)
		var c bigquery.Configuration
		require.NoError(t, json.Unmarshal(raw, &c))
		o, err := bigquery.Configure(c, func(string) (string, bool) { return "", false })
		require.NoError(t, err)
		source := bigquery.Open(o)
		t.Cleanup(source.Close)
		return backendtest.Database{Source: source, Exec: func(t testing.TB, statements string) {
			t.Helper()
			for statement := range strings.SplitSeq(notEnforced.ReplaceAllString(statements, ""), ";\n") {
				if statement == "" {
					continue
				}
				_, err := source.RunSQL(t.Context(), backend.RawSQL{SQL: statement})
				require.NoError(t, err, statement)
			}
		}}
	}
	return f
}

// TestExerciseByAddress compares answers with what every kind has to give, on the server that a variable names.
func TestExerciseByAddress(t *testing.T) {
	t.Parallel()
	text := os.Getenv(addressVariable)
	if text == "" {
		t.Skip(addressVariable + " is not set")
	}
	address, err := url.Parse(text)
	require.NoError(t, err)
	f := emulated(t, address)
	maps.Copy(f.Except, emulatorLacks)
	backendtest.ExerciseDialect(t, f)
}

// emulatorLacks are the tests that the emulator can't pass, with its reasons.
var emulatorLacks = map[string]string{
	"operators/_in": noArrays, "operators/_in bound": noArrays, "operators/_nin": noArrays, "operators/_nin bound": noArrays, "queries/by_keys": noArrays,
	"operators/_like": "_ of LIKE stands for itself",
}

const noArrays = "parameters of arrays have no type"
