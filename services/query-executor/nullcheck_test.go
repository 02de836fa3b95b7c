package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
)

// A check that is NULL for a row is not met, as in row security, unless a setting allows it: otherwise
// a row without an owner would pass for one's own.
func TestChecksThatAreNull(t *testing.T) {
	t.Parallel()
	const refused = "check constraint of an insert/update permission has failed"
	for _, pass := range []bool{false, true} {
		e := newFixture(t, "testdata/cases/mutations", Config{NullChecksPass: pass})
		permit(t, e, "default", "track", `{
			"select_permissions":[{"role":"owner","permission":{"columns":"*","filter":{}}}],
			"insert_permissions":[{"role":"owner","permission":{"columns":"*","check":{"seconds":{"_eq":"X-Engine-Seconds"}}}}],
			"update_permissions":[{"role":"owner","permission":{"columns":"*","filter":{},"check":{"seconds":{"_eq":"X-Engine-Seconds"}}}}]}`)
		user := &session.Session{Role: "owner", Variables: map[string]string{session.RoleHeader: "owner", "x-engine-seconds": "60"}}
		graphql := func(text string) string { return string(answer(t, e, &request{session: user, text: text})) }
		data := func(body string) error {
			var w dataAnswer
			return e.dataop.Execute(t.Context(), &queryv1.DataRequest{Session: user.Proto(), Body: []byte(body)}, &w)
		}
		require.Contains(t, graphql(`mutation { insert_track(objects: {title: "mine", seconds: 60}) { affected_rows } }`), `"affected_rows"`)
		for _, text := range []string{
			`mutation { insert_track(objects: {title: "nobody"}) { affected_rows } }`,
			`mutation { insert_track(objects: [{title: "mine", seconds: 60}, {title: "nobody", seconds: null}]) { affected_rows } }`,
			`mutation { update_track(where: {}, _set: {seconds: null}) { affected_rows } }`,
		} {
			if pass {
				require.Contains(t, graphql(text), "affected_rows", text)
			} else {
				require.Contains(t, graphql(text), refused, text)
			}
		}
		require.Contains(t, graphql(`mutation { insert_track(objects: {title: "other", seconds: 61}) { affected_rows } }`), refused)
		for _, body := range []string{
			`{"type":"insert","args":{"table":"track","objects":[{"title":"nobody"}]}}`,
			`{"type":"update","args":{"table":"track","where":{},"$set":{"seconds":null}}}`,
		} {
			if err := data(body); pass {
				require.NoError(t, err, body)
			} else {
				require.ErrorContains(t, err, refused, body)
			}
		}
	}
}
