package jwt_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jws"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/lifecycle/lifecycletest"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/jwt"
)

// provider publishes a JWK set that a test may change.
type provider struct {
	*httptest.Server
	mu      sync.Mutex
	keys    []map[string]any
	headers map[string]string
	status  int
	fetches chan struct{}
}

func newProvider(t *testing.T, headers map[string]string, keys ...map[string]any) *provider {
	t.Helper()
	p := &provider{keys: keys, headers: headers, status: http.StatusOK, fetches: make(chan struct{}, 100)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for name, value := range p.headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(p.status)
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": p.keys})
		p.fetches <- struct{}{}
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func octets(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func rsaJWK(id string) map[string]any {
	// as some providers write it: a zero byte in front, standard alphabet, padding
	n := append([]byte{0}, rsaKey().N.Bytes()...)
	return map[string]any{"kty": "RSA", "kid": id, "use": "sig", "n": base64.StdEncoding.EncodeToString(n), "e": "AQAB"}
}

func edJWK(id string) map[string]any {
	return map[string]any{"kty": "OKP", "crv": "Ed25519", "kid": id, "x": octets(edKey().Public().(ed25519.PublicKey))}
}

func keyID(t *testing.T, id string) jws.Option {
	t.Helper()
	h := jws.NewHeaders()
	require.NoError(t, h.Set(jws.KeyIDKey, id))
	return jws.WithProtectedHeaders(h)
}

func TestKeySet(t *testing.T) {
	t.Parallel()
	p := newProvider(t, nil,
		map[string]any{"kty": "RSA", "use": "other", "n": "AQAB", "e": "AQAB", "kid": "skipped"},
		map[string]any{"kty": "EC", "crv": "P-256", "x": octets(ecKey().X.Bytes()), "y": octets(ecKey().Y.Bytes()), "kid": "ec"},
		map[string]any{"kty": "nonsense"},
		rsaJWK("r1"), edJWK("e1"))
	v := verifier(t, false, map[string]any{"jwk_url": p.URL})
	for name, token := range map[string]string{
		"by id":        sign(t, jwa.RS256, rsaKey(), claimed, keyID(t, "r1")),
		"by algorithm": sign(t, jwa.EdDSA, edKey(), claimed),
		"id of no key": sign(t, jwa.RS512, rsaKey(), claimed, keyID(t, "unknown")),
	} {
		_, err := v.Authenticate(bearer(token), "")
		require.NoError(t, err, name)
	}
	_, err := v.Authenticate(bearer(sign(t, jwa.ES256, ecKey(), claimed)), "")
	requireFault(t, err, apierror.InvalidJWT, "Could not verify JWT: JWSError NoUsableKeys")
	_, err = v.Authenticate(bearer(sign(t, jwa.EdDSA, edKey(), claimed, keyID(t, "r1"))), "")
	requireFault(t, err, apierror.InvalidJWT, "Could not verify JWT: JWSError NoUsableKeys")

	_, err = verifier(t, true, map[string]any{"jwk_url": p.URL}).Authenticate(bearer(sign(t, jwa.ES256, ecKey(), claimed)), "")
	require.NoError(t, err, "elliptic curves are accepted when switched on")
}

func TestKeysAreRotated(t *testing.T) {
	t.Parallel()
	p := newProvider(t, map[string]string{"Cache-Control": "public, no-cache"}, rsaJWK("r1"))
	v := verifier(t, false, map[string]any{"jwk_url": p.URL})
	token := sign(t, jwa.EdDSA, edKey(), claimed, keyID(t, "e1"))
	_, err := v.Authenticate(bearer(token), "")
	require.Error(t, err)
	p.change(func() { p.keys = []map[string]any{edJWK("e1")} })
	require.Eventually(t, func() bool {
		_, err := v.Authenticate(bearer(token), "")
		return err == nil
	}, 30*time.Second, 10*time.Millisecond)

	p.change(func() { p.status = http.StatusInternalServerError })
	for range len(p.fetches) + 1 {
		<-p.fetches
	}
	_, err = v.Authenticate(bearer(token), "")
	require.NoError(t, err, "while a refresh fails the old keys stay in use")
}

func TestKeysWithoutExpiryAreFetchedOnce(t *testing.T) {
	t.Parallel()
	p := newProvider(t, map[string]string{"Cache-Control": "public"}, rsaJWK("r1"))
	v := verifier(t, false, map[string]any{"jwk_url": p.URL})
	<-p.fetches
	v.Stop() // returns only when nothing refreshes any more
	require.Empty(t, p.fetches)
}

func TestUnreadableExpiryIsLogged(t *testing.T) {
	t.Parallel()
	for header, message := range map[string]string{
		"Cache-Control": "Failed parsing Cache-Control header from JWK response",
		"Expires":       "Failed parsing Expires header from JWK response. Value of header is not a valid timestamp",
	} {
		value := map[string]string{"Cache-Control": "max-age=soon", "Expires": "soon"}[header]
		p := newProvider(t, map[string]string{header: value}, rsaJWK("r1"))
		config, err := jwt.ParseConfig(`{"jwk_url":"`+p.URL+`"}`, false)
		require.NoError(t, err)
		var log bytes.Buffer
		v := jwt.New([]*jwt.Config{config}, jwt.Deps{Client: http.DefaultClient, Logger: slog.New(slog.NewJSONHandler(&log, nil)), Now: time.Now})
		require.NoError(t, v.Start(t.Context()), "the start goes on")
		v.Stop()
		var line struct{ Level, Msg string }
		require.NoError(t, json.Unmarshal(log.Bytes(), &line), log.String())
		require.Equal(t, "INFO", line.Level)
		require.Equal(t, message, line.Msg)
	}
}

func TestStartNeedsTheKeys(t *testing.T) {
	t.Parallel()
	p := newProvider(t, nil)
	config, err := jwt.ParseConfig(`{"jwk_url":"`+p.URL+`"}`, false)
	require.NoError(t, err)
	v := jwt.New([]*jwt.Config{config}, jwt.Deps{Client: http.DefaultClient, Logger: telemetry.Discard(), Now: time.Now})
	require.ErrorContains(t, v.Start(t.Context()), "Error parsing JWK from url: "+p.URL)
	require.Len(t, p.fetches, 1, "trying again does not fix a set without keys")
}

func TestStartTriesAgain(t *testing.T) {
	t.Parallel()
	p := newProvider(t, nil, rsaJWK("r1"))
	p.change(func() { p.status = http.StatusBadGateway })
	go func() {
		<-p.fetches
		p.change(func() { p.status = http.StatusOK })
	}()
	_, err := verifier(t, false, map[string]any{"jwk_url": p.URL}).Authenticate(bearer(sign(t, jwa.RS256, rsaKey(), claimed)), "")
	require.NoError(t, err)
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	p := newProvider(t, map[string]string{"Cache-Control": "max-age=60"}, rsaJWK("r1"))
	lifecycletest.Stress(t, func(t *testing.T) lifecycle.Service {
		config, err := jwt.ParseConfig(`{"jwk_url":"`+p.URL+`"}`, false)
		require.NoError(t, err)
		return jwt.New([]*jwt.Config{config}, jwt.Deps{Client: http.DefaultClient, Logger: telemetry.Discard(), Now: time.Now})
	})
}
