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
	release, err := session.UseVendor("acme")
	require.NoError(t, err)
	t.Cleanup(release)
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
		release, err := session.UseVendor(name)
		require.NoError(t, err)
		for i, text := range given {
			own, ok := session.Reference(text)
			require.Equal(t, wants[i], own, "%s %s", name, text)
			require.Equal(t, wants[i] != "", ok)
		}
		release()
	}
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
}

// TestEnginesOfAProcessShareTheVendor refuses an engine with another vendor until the others have ended.
func TestEnginesOfAProcessShareTheVendor(t *testing.T) {
	for _, names := range [][2]string{{"acme", ""}, {"", "acme"}, {"acme", "other"}} {
		first, err := session.UseVendor(names[0])
		require.NoError(t, err)
		second, err := session.UseVendor(names[0])
		require.NoError(t, err)
		_, err = session.UseVendor(names[1])
		require.ErrorContains(t, err, `an engine in this process has "`+names[0]+`", this one "`+names[1]+`"`)
		first()
		first()
		require.Equal(t, names[0], session.Vendor())
		_, err = session.UseVendor(names[1])
		require.Error(t, err)
		second()
		require.Empty(t, session.Vendor())
		third, err := session.UseVendor(names[1])
		require.NoError(t, err)
		third()
	}
	require.Equal(t, map[string]string{"x-engine-role": "clerk"}, session.New("clerk", nil).Variables)
}
