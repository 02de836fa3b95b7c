package limits_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/limits"
)

// TestSubscriptionsOfASession holds that a session is identified by what its caller proved: a caller
// without credentials can't become another session by claiming to be one.
func TestSubscriptionsOfASession(t *testing.T) {
	t.Parallel()
	of := func(role, user string, anonymous bool) *session.Session {
		return &session.Session{Role: role, Variables: map[string]string{"x-engine-user-id": user}, Anonymous: anonymous}
	}
	s := limits.NewSubscriptions(2)
	begin := func(of *session.Session, address string) func() {
		t.Helper()
		end, err := s.Begin(of, address)
		require.NoError(t, err)
		return end
	}
	refused := func(of *session.Session, address string) {
		t.Helper()
		_, err := s.Begin(of, address)
		require.EqualError(t, err, "start-failed at $: the session has too many subscriptions: at most 2 are allowed")
	}
	end := begin(of("user", "1", false), "a")
	begin(of("user", "1", false), "b")
	refused(of("user", "1", false), "c")
	begin(of("user", "2", false), "a")
	end()
	end() // counts once
	begin(of("user", "1", false), "a")
	refused(of("user", "1", false), "a")

	begin(of("guest", "1", true), "a")
	begin(of("guest", "2", true), "a")
	refused(of("guest", "3", true), "a")
	begin(of("guest", "1", true), "b")

	for range 5 {
		begin(of("admin", "1", false), "a")
	}
	for range 5 {
		_, err := limits.NewSubscriptions(0).Begin(of("user", "1", false), "a")
		require.NoError(t, err)
	}
}
