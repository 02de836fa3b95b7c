package engine_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
)

// TestAuthenticateInGo identifies callers by code, without a webhook.
func TestAuthenticateInGo(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		m := mount(t, apart, engine.Authenticate(func(_ context.Context, header http.Header) (engine.Identity, error) {
			switch who, _ := strings.CutPrefix(header.Get("Authorization"), "Bearer "); who {
			case "":
				return engine.Identity{}, engine.ErrUnauthorized
			case "broken":
				return engine.Identity{}, errors.New("the directory is gone")
			default:
				return engine.Identity{Role: "user", Variables: map[string]string{"user-id": who}}, nil
			}
		}))
		as := func(token string) string {
			return m.query(`{ people(limit: 1, order_by: {id: asc}) { id } }`, map[string]string{"Authorization": token})
		}
		require.JSONEq(t, `{"data":{"people":[{"id":2}]}}`, as("Bearer even"))
		require.JSONEq(t, `{"data":{"people":[{"id":1}]}}`, as("Bearer odd"))
		require.Contains(t, as(""), "Authentication hook unauthorized this request")
		require.Contains(t, as("Bearer broken"), "Invalid response from authorization hook")
		require.Contains(t, m.log.String(), "the directory is gone")
	})
}
