package engine_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
)

// TestHTTPHandlerInGo serves a path below a name to the validation of input.
func TestHTTPHandlerInGo(t *testing.T) {
	t.Parallel()
	m := mount(t, false, engine.HTTP("checks", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints) // isn't the answer
		text, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/people" || strings.Contains(string(text), "bad") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"message":"no bad names"}`)
		}
	})))
	m.metadata(`{"type":"pg_create_insert_permission","args":{"table":"people","role":"user","permission":{"columns":["id","name"],"set":{"owner":"X-Engine-User-Id"},"check":{},"validate_input":{"type":"http","definition":{"url":"go://checks/people"}}}}}`)
	require.Contains(t, m.query(`mutation { insert_people_one(object: {id: 20, name: "good"}) { id } }`, user("odd")), `"id":20`)
	require.Contains(t, m.query(`mutation { insert_people_one(object: {id: 21, name: "bad"}) { id } }`, user("odd")), "no bad names")
}
