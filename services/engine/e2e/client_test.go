package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// answer is what a client gets.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) text() string { return string(a.body) }

func (p *process) get(path string) (answer, error) { return p.send(http.MethodGet, path, nil, nil) }

func (p *process) send(method, path string, header map[string]string, body []byte) (answer, error) {
	request, err := http.NewRequestWithContext(context.Background(), method, p.url+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	for k, v := range header {
		request.Header.Set(k, v)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, text}, err
}

var asAdmin = map[string]string{"X-Engine-Admin-Secret": secret}

// as is a request of a role, with session variables.
func as(role string, variables ...string) map[string]string {
	header := map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": role}
	for i := 0; i+1 < len(variables); i += 2 {
		header[variables[i]] = variables[i+1]
	}
	return header
}

// post sends a JSON body.
func (p *process) post(path string, header map[string]string, body any) answer {
	p.t.Helper()
	encoded, err := json.Marshal(body)
	require.NoError(p.t, err)
	a, err := p.send(http.MethodPost, path, header, encoded)
	require.NoError(p.t, err)
	return a
}

func (p *process) query(header map[string]string, document string) answer {
	p.t.Helper()
	return p.post("/v1/graphql", header, map[string]any{"query": document})
}

// metadata sends one metadata request as admin, which has to succeed.
func (p *process) metadata(kind string, args any) answer {
	p.t.Helper()
	a := p.post("/v1/metadata", asAdmin, map[string]any{"type": kind, "args": args})
	require.Equal(p.t, http.StatusOK, a.status, "%s: %s", kind, a.text())
	return a
}

// execute runs SQL in a database, past the engine.
func execute(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// queryUntil sends a query and gives it up when ctx ends.
func (p *process) queryUntil(ctx context.Context, document string) error {
	body, err := json.Marshal(map[string]any{"query": document})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/v1/graphql", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("X-Engine-Admin-Secret", secret)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	return err
}
