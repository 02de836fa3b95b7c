package queryexecutor

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/casetest"
)

// serveCases starts the servers that the cases of a feature ask, and adds their addresses to an
// environment. The introspection of the remote schema is stored once, instead of an empty object: its
// order varies.
func serveCases(t testing.TB, feature string, env metadata.Env, recorder *casetest.ServerRecorder) metadata.Env {
	t.Helper()
	people := newRemoteServer(t)
	stored := filepath.Join(feature, casetest.RemotesFile)
	if *update && string(readFile(t, stored)) == "{}\n" {
		raw, err := json.Marshal(map[string]json.RawMessage{"people": people.introspection(t)})
		require.NoError(t, err)
		requireFile(t, stored, raw)
	}
	urls := map[string]string{}
	for i, handler := range []http.Handler{people, http.HandlerFunc(handleAction)} {
		name := casetest.ServerVariables[i]
		server := httptest.NewServer(recorder.Around(name, handler))
		t.Cleanup(server.Close)
		urls[name] = server.URL
	}
	return func(name string) (string, bool) {
		if url := urls[name]; url != "" {
			return url, true
		}
		return env(name)
	}
}

// handleAction answers calls of actions with an object that shows what it was given, or a list of
// one.
func handleAction(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Input json.RawMessage `json:"input"`
	}
	body, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := `{"id":1,"mood":"GOOD","home":{"city":"Ulm","next":{"city":"Bonn"}},"extra":true,"given":` + string(in.Input) + `}`
	if r.URL.Path == "/tell" {
		answer = "[" + answer + "]"
	}
	_, _ = io.WriteString(w, answer)
}
