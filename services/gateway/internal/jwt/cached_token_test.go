package jwt_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/jwt"
)

// TestTokensThatWereVerifiedBefore holds that nothing but the signature is taken from the time
// before.
func TestTokensThatWereVerifiedBefore(t *testing.T) {
	t.Parallel()
	var clock atomic.Int64
	clock.Store(now.Unix())
	config, err := jwt.ParseConfig(`{"type":"HS256","key":"`+secret+`"}`, false)
	require.NoError(t, err)
	v := jwt.New([]*jwt.Config{config}, jwt.Deps{
		Client: http.DefaultClient, Logger: telemetry.Discard(), Now: func() time.Time { return time.Unix(clock.Load(), 0) },
	})
	token := sign(t, jwa.HS256, []byte(secret), with(claimed, map[string]any{"exp": now.Unix() + 60}))
	for _, role := range []string{"user", "editor", "user"} {
		got, err := v.Authenticate(bearer(token), role)
		require.NoError(t, err)
		require.Equal(t, role, got.Session.Role)
		require.Equal(t, map[string]string{"x-engine-role": role, "x-engine-user-id": "7"}, got.Session.Variables)
		got.Session.Variables["x-engine-user-id"] = "8" // each request has its own
	}
	_, err = v.Authenticate(bearer(token), "admin")
	requireFault(t, err, apierror.AccessDenied, "Your requested role is not in allowed roles")
	_, err = v.Authenticate(bearer(token[:len(token)-2]+"AA"), "")
	requireFault(t, err, apierror.InvalidJWT, "Could not verify JWT: JWSError JWSInvalidSignature")
	clock.Add(61)
	_, err = v.Authenticate(bearer(token), "")
	requireFault(t, err, apierror.InvalidJWT, "Could not verify JWT: JWTExpired")
}

func TestTokensOfKeysThatAreGone(t *testing.T) {
	t.Parallel()
	p := newProvider(t, map[string]string{"Cache-Control": "no-cache"}, rsaJWK("r1"))
	v := verifier(t, false, map[string]any{"jwk_url": p.URL})
	token := sign(t, jwa.RS256, rsaKey(), claimed, keyID(t, "r1"))
	_, err := v.Authenticate(bearer(token), "")
	require.NoError(t, err)
	p.change(func() { p.keys = []map[string]any{edJWK("e1")} })
	require.Eventually(t, func() bool {
		_, err := v.Authenticate(bearer(token), "")
		return err != nil
	}, 30*time.Second, 10*time.Millisecond)
	requireFault(t, func() error { _, err := v.Authenticate(bearer(token), ""); return err }(),
		apierror.InvalidJWT, "Could not verify JWT: JWSError NoUsableKeys")
}

func BenchmarkAuthenticate(b *testing.B) {
	config, err := jwt.ParseConfig(`{"type":"HS256","key":"`+secret+`"}`, false)
	require.NoError(b, err)
	v := jwt.New([]*jwt.Config{config}, jwt.Deps{Client: http.DefaultClient, Logger: telemetry.Discard(), Now: func() time.Time { return now }})
	header := bearer(sign(&testing.T{}, jwa.HS256, []byte(secret), claimed))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Authenticate(header, ""); err != nil {
			b.Fatal(err)
		}
	}
}
