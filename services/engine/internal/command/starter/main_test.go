package main

import (
	"context"
	_ "embed"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	"queryengine/pkg/localpg"
	"queryengine/services/engine"
)

//go:embed metadata.json
var metadata string

// database starts PostgreSQL in a container, or the one that is installed where no Docker answers. DATABASE_URL names a
// server that runs already.
func database(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("DATABASE_URL"); url != "" {
		return url
	}
	c, err := testcontainers.Run(t.Context(), "postgres:17",
		testcontainers.WithExposedPorts("5432/tcp"), testcontainers.WithEnv(map[string]string{"POSTGRES_PASSWORD": "test"}),
		testcontainers.WithWaitStrategy(wait.ForLog("ready to accept connections").WithOccurrence(2), wait.ForListeningPort("5432/tcp")))
	if err == nil {
		t.Cleanup(func() { _ = c.Terminate(context.Background()) })
		host, err := c.PortEndpoint(t.Context(), "5432/tcp", "")
		if err != nil {
			t.Fatal(err)
		}
		return "postgres://postgres:test@" + host + "/postgres?sslmode=disable"
	}
	server, err := localpg.Start(t.Context(), localpg.Config{Dir: t.TempDir()})
	if err != nil {
		t.Skipf("neither Docker nor an installed PostgreSQL: %s", err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	return server.URL("postgres")
}

func TestEngine(t *testing.T) {
	url := database(t)
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.Background()) }()
	if _, err = db.Exec(t.Context(), `
		CREATE TABLE tracks (id integer PRIMARY KEY, name text, duration_ms integer);
		CREATE TABLE invoices (id integer PRIMARY KEY, total numeric);
		INSERT INTO tracks VALUES (1, 'short', 1000), (9, 'long', 400000)`); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{
		Args:   []string{"--database-url", url, "--data-dir", t.TempDir(), "--admin-secret", "test"},
		Logger: slog.New(slog.DiscardHandler),
	}, options()...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := e.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer e.Stop()
	server := httptest.NewServer(e.Handler())
	defer server.Close()
	post := func(path, body string) string {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Engine-Admin-Secret", "test")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		text, _ := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", path, text)
		}
		return string(text)
	}
	post("/v1/metadata", `{"type": "bulk", "args": [
		{"type": "pg_track_table", "args": {"table": "tracks"}}, {"type": "pg_track_table", "args": {"table": "invoices"}}]}`)
	post("/v1/metadata", metadata)
	post("/v1/metadata", metadata) // as after a change
	for query, want := range map[string]string{
		`{ tracks(order_by: {id: asc}) { name copies } }`: `{"data":{"tracks":[{"name":"short","copies":1},{"name":"long","copies":2}]}}`,
		`{ recommend(longer_than: 60) { track reason } }`: `{"data":{"recommend":[{"track":"long","reason":"long enough for admin"}]}}`,
	} {
		got := strings.ReplaceAll(post("/v1/graphql", `{"query": "`+query+`"}`), "}, {", "},{")
		if got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}
