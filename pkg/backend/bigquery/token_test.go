package bigquery

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTokensAreAskedForOnce has several requests wait for one token, and one of them end before it comes.
func TestTokensAreAskedForOnce(t *testing.T) {
	t.Parallel()
	var tokens atomic.Int32
	asked, give := make(chan struct{}, 10), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		assert.NotEmpty(t, r.FormValue("assertion"))
		tokens.Add(1)
		asked <- struct{}{}
		<-give
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token": "abc", "token_type": "Bearer", "expires_in": 3600}`)
	})
	mux.HandleFunc("POST /bigquery/v2/projects/demo/queries", func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer abc", r.Header.Get("Authorization"))
		fmt.Fprint(w, rowsOf("1"))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	account, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "engine@demo.example", "token_uri": server.URL + "/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})),
	})
	require.NoError(t, err)
	s := Open(Options{Project: "demo", ServiceAccount: account, Endpoint: server.URL})
	t.Cleanup(s.Close)

	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { first <- s.Ping(ctx) }()
	<-asked
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	others := make(chan error, 3)
	for range cap(others) {
		go func() { others <- s.Ping(t.Context()) }()
	}
	close(give)
	for range cap(others) {
		require.NoError(t, <-others)
	}
	require.EqualValues(t, 1, tokens.Load())
}
