package metadata

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

// TestTextsThatTheDatabaseCannotStore: PostgreSQL has no NUL, takes valid UTF-8 alone, and indexes
// no name of thousands of bytes. Whatever a client puts where, it is a client's fault, and
// nothing is half done.
func TestTextsThatTheDatabaseCannotStore(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	i.ok(t, track)
	version := i.version()
	noise := make([]rune, 4000) // hardly to be compressed
	random := rand.New(rand.NewPCG(1, 2))
	for k := range noise {
		noise[k] = rune('a' + random.IntN(26))
	}
	long, err := json.Marshal(string(noise))
	require.NoError(t, err)
	for kind, text := range map[string]string{"NUL": `"a\u0000b"`, "long": string(long), "UTF-8": "\"a\xffb\""} {
		for operation, request := range map[string]string{
			"query collection": `{"type":"create_query_collection","args":{"name":%s,"definition":{"queries":[]}}}`,
			"comment":          `{"type":"create_query_collection","args":{"name":"c","comment":%s,"definition":{"queries":[]}}}`,
			"query":            `{"type":"create_query_collection","args":{"name":"c","definition":{"queries":[{"name":%s,"query":"{ kind { id } }"}]}}}`,
			"source":           `{"type":"pg_add_source","args":{"name":%s,"configuration":{"connection_info":{"database_url":{"from_env":"NO_SUCH_VARIABLE_HERE"}}}}}`,
			"remote schema":    `{"type":"add_remote_schema","args":{"name":%s,"definition":{"url":"http://127.0.0.1:1"}}}`,
			"endpoint":         `{"type":"create_rest_endpoint","args":{"name":%s,"url":"u","methods":["GET"],"definition":{"query":{"collection_name":"c","query_name":"q"}}}}`,
			"inherited role":   `{"type":"add_inherited_role","args":{"role_name":%s,"role_set":["a","b"]}}`,
			"role":             `{"type":"pg_create_select_permission","args":{"table":"kind","role":%s,"permission":{"columns":"*","filter":{}}}}`,
			"table":            `{"type":"pg_track_table","args":{"table":%s}}`,
			"cron trigger":     `{"type":"create_cron_trigger","args":{"name":%s,"webhook":"http://127.0.0.1:1","schedule":"0 0 1 1 *","include_in_metadata":true}}`,
			"state":            `{"type":"set_catalog_state","args":{"type":"cli","state":{"a":%s}}}`,
			"event":            `{"type":"create_scheduled_event","args":{"webhook":"http://127.0.0.1:1","schedule_at":"2999-01-01T00:00:00Z","payload":{"a":%[1]s},"comment":%[1]s}}`,
			"SQL":              `{"type":"run_sql","args":{"sql":%s}}`,
		} {
			name := fmt.Sprintf("%s in %s", kind, operation)
			endpoint := v1metadata
			if operation == "SQL" {
				endpoint = v2query
			}
			before := i.version()
			_, _, err := call(t, i.bus, endpoint, fmt.Sprintf(request, text))
			if err == nil {
				continue // it can be stored: in a value, or as another text
			}
			e := apierror.From(err)
			require.Less(t, e.Status, http.StatusInternalServerError, "%s: %v %s", name, e, e.InternalJSON())
			require.NotEqual(t, apierror.Unexpected, e.Code, name)
			require.Equal(t, before, i.version(), name)
		}
	}
	require.GreaterOrEqual(t, i.version(), version)
	i.export(t)
	_, _, err = call(t, i.bus, v1metadata, `{"type":"create_query_collection","args":{"name":"a\u0000b","definition":{"queries":[]}}}`)
	require.Equal(t, apierror.DataException, apierror.From(err).Code)
	require.Equal(t, "$.args", apierror.From(err).Path)
}
