package engine_test

import (
	"context"
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

// TestLargeCallsInGo has input of code that is larger than what HTTP servers usually accept.
func TestLargeCallsInGo(t *testing.T) {
	t.Parallel()
	type text struct {
		Of string `json:"of"`
	}
	m := mount(t, false, engine.Action("twice", func(ctx context.Context, in text) (int, error) {
		var got struct{ Size int }
		err := engine.ClientOf(ctx).Run(ctx, `query ($of: String!) { size(of: $of) }`, in, &got)
		return 2 * got.Size, err
	}, engine.Query()), engine.Action("size", func(_ context.Context, in text) (int, error) { return len(in.Of), nil }, engine.Query()))
	for _, name := range []string{"twice", "size"} {
		m.metadata(`{"type":"create_action","args":{"name":"` + name + `","definition":{"type":"query","handler":"go://` + name + `","output_type":"Int!","arguments":[{"name":"of","type":"String!"}]}}}`)
	}
	large := strings.Repeat("a", 33<<20)
	var got struct{ Twice int }
	require.NoError(t, m.engine.Client().As("admin", nil).Run(t.Context(), `query ($of: String!) { twice(of: $of) }`, text{large}, &got))
	require.Equal(t, 2*len(large), got.Twice)
}
