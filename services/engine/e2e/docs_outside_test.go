package e2e

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// outside stands for what pages name by an address of its own: providers of tokens, whose key
// it has, and an authentication webhook.
type outside struct {
	t     *testing.T
	url   string
	key   *rsa.PrivateKey
	mu    sync.Mutex
	says  []byte
	asked []byte
}

const keyID = "2026-11"

func newOutside(t *testing.T) *outside {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	o := &outside{t: t, key: key}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	o.url = server.URL
	return o
}

// providers are addresses in options of the engine.
var providers = regexp.MustCompile(`("jwk_url": "|--auth-hook )https://[^/]+`)

// reachable leads the addresses in options of the engine here.
func (o *outside) reachable(options string) string {
	return providers.ReplaceAllString(options, "${1}"+o.url)
}

// ServeHTTP answers GET requests without credentials with the key set; all others are for the
// webhook.
func (o *outside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/who") {
		encode := base64.RawURLEncoding.EncodeToString
		w.Header().Set("Cache-Control", "max-age=3600")
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]string{
			"kty": "RSA", "use": "sig", "alg": "RS256", "kid": keyID,
			"n": encode(o.key.N.Bytes()), "e": encode(big.NewInt(int64(o.key.E)).Bytes()),
		}}})
		return
	}
	asked, err := o.request(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = asked
	if !bytes.Contains(asked, []byte("Cookie")) && !bytes.Contains(asked, []byte("Authorization")) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	_, _ = w.Write(o.says)
}

// request is the body of a request to the webhook, without what differs from run to run.
func (o *outside) request(r *http.Request) ([]byte, error) {
	if r.Method == http.MethodPost {
		return io.ReadAll(r.Body)
	}
	flat := map[string]string{}
	for name, values := range r.Header {
		if name != "User-Agent" && name != "Traceparent" {
			flat[name] = strings.Join(values, ", ")
		}
	}
	return json.Marshal(flat)
}

func (o *outside) answer(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.says = []byte(text)
}

func (o *outside) lastAsked() []byte {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	require.NotNil(o.t, o.asked, "the webhook was not asked")
	return o.asked
}

// sign makes a token of its payload, as a provider does.
func (o *outside) sign(payload string) string {
	o.t.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"RS256","typ":"JWT","kid":"`+keyID+`"}`)) + "." + encode([]byte(payload))
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, o.key, crypto.SHA256, digest[:])
	require.NoError(o.t, err)
	return signed + "." + encode(signature)
}
