package e2e

import (
	"bytes"
	"context"
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
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/services/engine/sample"
)

// atHome is where pages have the engine.
const atHome = "http://127.0.0.1:8080"

// command runs a block of a page: a request by curl, or another start of the engine. Others are
// for the reader.
func (e *examples) command(content string) {
	e.t.Helper()
	switch {
	case strings.HasPrefix(content, "curl "+atHome):
		e.curl(words(e.t, content)[1:])
	case strings.HasPrefix(content, "engine dev "):
		options := words(e.t, e.outside.reachable(content))[2:]
		e.engine.stop()
		e.engine = startDevIn(e.t, e.dir, options, e.env...)
	}
}

// words has the shell split a command.
func words(t *testing.T, command string) []string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+command).Output()
	require.NoError(t, err, command)
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// curl sends what curl would.
func (e *examples) curl(args []string) {
	e.t.Helper()
	r, err := http.NewRequestWithContext(e.t.Context(), http.MethodGet, e.engine.url+strings.TrimPrefix(args[0], atHome), nil)
	require.NoError(e.t, err)
	r.Header = http.Header{"User-Agent": {"curl/8.5.0"}, "Accept": {"*/*"}}
	for i := 1; i+1 < len(args); i += 2 {
		switch value := args[i+1]; args[i] {
		case "-d":
			r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(strings.NewReader(value)), int64(len(value))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		case "-H":
			name, text, _ := strings.Cut(value, ": ")
			r.Header.Set(name, text)
		case "-b":
			r.Header.Set("Cookie", value)
		default:
			require.Fail(e.t, "an option of curl that the tests don't know: "+args[i])
		}
	}
	connections := &http.Transport{DisableCompression: true}
	defer connections.CloseIdleConnections()
	response, err := connections.RoundTrip(r)
	require.NoError(e.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(e.t, err)
	e.last = &answer{response.StatusCode, response.Header, body}
}

// outside stands for what pages name by an address of its own: providers of tokens, whose key
// it has, and an authentication webhook.
type outside struct {
	t      *testing.T
	url    string
	key    *rsa.PrivateKey
	mu     sync.Mutex
	says   []byte
	asked  []byte
	events chan []byte
}

const keyID = "2026-11"

func newOutside(t *testing.T) *outside {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	o := &outside{t: t, key: key, events: make(chan []byte, 16)}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	o.url = server.URL
	return o
}

var addresses = regexp.MustCompile(`("jwk_url": "|--auth-hook )https://[^/]+`)

// reachable leads the addresses in options of the engine here.
func (o *outside) reachable(options string) string {
	return addresses.ReplaceAllString(options, "${1}"+o.url)
}

// ServeHTTP is the authentication webhook at /who, and webhooks of event triggers for other POST
// requests. What else is asked for is the key set.
func (o *outside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path != "/who" {
		event, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		o.events <- event
		return
	}
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

// nextEvent waits for an event, without what differs from run to run.
func (o *outside) nextEvent() []byte {
	o.t.Helper()
	select {
	case event := <-o.events:
		var parts map[string]json.RawMessage
		require.NoError(o.t, json.Unmarshal(event, &parts))
		delete(parts, "id")
		delete(parts, "created_at")
		encoded, err := json.Marshal(parts)
		require.NoError(o.t, err)
		return encoded
	case <-time.After(startLimit):
		require.Fail(o.t, "no event has come")
		return nil
	}
}

// shop is a database with the tables of the sample, and its owner.
type shop struct {
	t         *testing.T
	name      string
	ownerURL  string
	engineURL string // of the role that the page makes
}

// shopRoles are the roles that the page makes; they belong to the server.
var shopRoles = []string{"shop_engine", "shop_import"}

func newShop(t *testing.T) *shop {
	t.Helper()
	server := dbtest.URL(t)
	dropRoles := func() {
		for _, role := range shopRoles {
			executeAlone(t, server, "DROP ROLE IF EXISTS "+role)
		}
	}
	t.Cleanup(dropRoles) // after the database is dropped, which comes first
	dropRoles()
	s := &shop{t: t, ownerURL: dbtest.URL(t)}
	u, err := url.Parse(s.ownerURL)
	require.NoError(t, err)
	s.name = strings.TrimPrefix(u.Path, "/")
	u.User = url.UserPassword("shop_engine", "a password of its own")
	s.engineURL = u.String()
	require.NoError(t, sample.Load(t.Context(), s.ownerURL, sample.Small))
	return s
}

// executeAlone is execute for clean-ups, when the context of the test has ended.
func executeAlone(t *testing.T, url, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	require.NoError(t, err)
}

// execute runs statements of a page, where the database is called shop. The answer has the rows of
// the last one.
func (s *shop) execute(sql string) *answer {
	s.t.Helper()
	conn, err := pgconn.Connect(s.t.Context(), s.ownerURL)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, conn.Close(s.t.Context())) }()
	results, err := conn.Exec(s.t.Context(),
		strings.ReplaceAll(sql, "DATABASE shop ", "DATABASE "+pgx.Identifier{s.name}.Sanitize()+" ")).ReadAll()
	require.NoError(s.t, err, sql)
	rows := [][]string{}
	for _, row := range results[len(results)-1].Rows {
		values := make([]string, len(row))
		for i, value := range row {
			values[i] = string(value)
		}
		rows = append(rows, values)
	}
	encoded, err := json.Marshal(rows)
	require.NoError(s.t, err)
	return &answer{body: encoded}
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
