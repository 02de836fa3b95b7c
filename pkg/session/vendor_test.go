package session_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// use has the tests of one function see the names of acme. It is the process's, so none of them
// is parallel.
func use(t *testing.T) {
	t.Helper()
	session.UseVendor("acme")
	t.Cleanup(func() { session.UseVendor("") })
}

func TestNamesOfVendors(t *testing.T) {
	for _, name := range []string{"acme", "a1"} {
		require.NoError(t, session.CheckVendor(name))
	}
	for _, name := range []string{"", "Acme", "1a", "a-b", "a_b", "é", "a'b", "engine", "forwarded", "real"} {
		require.Error(t, session.CheckVendor(name), name)
	}
}

func TestNamesMeanSessionVariables(t *testing.T) {
	given := []string{"X-Engine-User-Id", "X-Acme-User-Id", "x-ACME-user-id", "x-acme-", "x-acme", "X-Acmes-Id", "acme"}
	for name, wants := range map[string][]string{
		"":     {"x-engine-user-id", "", "", "", "", "", ""},
		"acme": {"x-engine-user-id", "x-engine-user-id", "x-engine-user-id", "", "", "", ""},
	} {
		session.UseVendor(name)
		for i, text := range given {
			own, ok := session.Reference(text)
			require.Equal(t, wants[i], own, "%s %s", name, text)
			require.Equal(t, wants[i] != "", ok)
		}
	}
	session.UseVendor("")
}

func TestOurNamesWinOverTheVendors(t *testing.T) {
	use(t)
	for range 50 { // maps have no order
		require.Equal(t, map[string]string{"x-engine-role": "ours", "x-engine-a": "small"}, session.Own(map[string]string{
			"X-Engine-Role": "ours", "x-acme-role": "theirs", "X-Acme-A": "large", "x-acme-a": "small", "other": "no", "X-Acme": "no",
		}))
	}
}

func TestHeadersOfTheVendorBecomeOurs(t *testing.T) {
	use(t)
	h := http.Header{
		"X-Engine-Role": {"ours"}, "X-Acme-Role": {"theirs"}, "X-Acme-User-Id": {"7"}, "X-Acme-": {"nothing"}, "Accept": {"*/*"},
	}
	session.OwnHeaders(h)
	require.Equal(t, http.Header{"X-Engine-Role": {"ours"}, "X-Engine-User-Id": {"7"}, "Accept": {"*/*"}}, h)
	session.VendorHeaders(h)
	require.Equal(t, http.Header{
		"X-Engine-Role": {"ours"}, "X-Engine-User-Id": {"7"}, "Accept": {"*/*"}, "X-Acme-Role": {"ours"}, "X-Acme-User-Id": {"7"},
	}, h)
}

func TestSessionsHaveBothNames(t *testing.T) {
	use(t)
	s := session.New("clerk", map[string]string{"x-engine-user-id": "7", "x-engine-role": "other"})
	both := map[string]string{"x-engine-user-id": "7", "x-acme-user-id": "7", "x-engine-role": "clerk", "x-acme-role": "clerk"}
	require.Equal(t, both, s.Variables)
	require.Equal(t, both, s.Given())
	require.JSONEq(t, `{"x-engine-user-id":"7","x-acme-user-id":"7","x-engine-role":"clerk","x-acme-role":"clerk"}`, string(s.JSON()))
	session.UseVendor("")
	require.Equal(t, map[string]string{"x-engine-role": "clerk"}, session.New("clerk", nil).Variables)
	require.NotContains(t, string(session.New("clerk", nil).JSON()), "acme")
}
