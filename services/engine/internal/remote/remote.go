// Package remote is the engine's API as the command line uses it: metadata requests, SQL,
// dumps, and the state of migrations that the server keeps for its tools.
package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"

	"queryengine/pkg/session"
	"queryengine/services/engine/internal/project"
)

// answerLimit bounds how much is read of one answer.
const answerLimit = 1 << 30

// Client talks to one server. It is safe for concurrent use.
type Client struct {
	config   *project.Config
	endpoint *url.URL
	http     *http.Client
}

// New returns a client; it makes no connection.
func New(c *project.Config) (*Client, error) {
	endpoint, err := url.Parse(c.Endpoint)
	if err != nil || endpoint.Host == "" {
		return nil, fmt.Errorf("the endpoint %q is no address of a server: expected http://HOST:PORT", c.Endpoint)
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: c.InsecureSkipVerify} //nolint:gosec // asked for by a setting
	if c.CertificateAuthority != "" {
		pem, err := os.ReadFile(c.Path(c.CertificateAuthority))
		if err != nil {
			return nil, fmt.Errorf("certificate authority: %w", err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("certificate authority: no certificate in the file")
		}
	}
	return &Client{config: c, endpoint: endpoint, http: &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: t, DisableCompression: true,
	}}}, nil
}

// RefusedError is an error that the server answered with.
type RefusedError struct {
	Status   int             `json:"-"`
	Message  string          `json:"error"`
	Path     string          `json:"path"`
	Code     string          `json:"code"`
	Internal json.RawMessage `json:"internal"`
}

func (r *RefusedError) Error() string {
	text := r.Message
	if r.Path != "" && r.Path != "$" && r.Path != "$.args" {
		text += " (at " + r.Path + ")"
	}
	if r.Code != "" {
		text += " [" + r.Code + "]"
	}
	return text
}

// Ping reports whether the server is there, and warns when it is unhealthy.
func (c *Client) Ping(ctx context.Context, warn io.Writer) error {
	if _, err := c.send(ctx, http.MethodGet, c.config.Paths.Version, nil, nil); err != nil {
		return err
	}
	if _, err := c.send(ctx, http.MethodGet, "healthz", nil, nil); err != nil {
		fmt.Fprintf(warn, "the server is not well: %s\n", err)
	}
	return nil
}

// request is a request of the metadata and schema APIs.
type request struct {
	Type    string `json:"type"`
	Version int    `json:"version,omitempty"`
	DryRun  bool   `json:"dry_run,omitempty"`
	Args    any    `json:"args"`
}

// Metadata sends a metadata request. Version is the request's, 0 for the usual.
func (c *Client) Metadata(ctx context.Context, name string, version int, args any) (json.RawMessage, error) {
	return c.post(ctx, c.config.Paths.Metadata, request{Type: name, Version: version, Args: args})
}

// Try is Metadata as a dry run.
func (c *Client) Try(ctx context.Context, name string, args any) (json.RawMessage, error) {
	return c.post(ctx, c.config.Paths.Metadata, request{Type: name, DryRun: true, Args: args})
}

// SQL is one text for a source.
type SQL struct {
	Source string
	// Kind of the source.
	Kind string
	Text string
	// NoTransaction has each statement run by itself.
	NoTransaction bool
}

// Run runs texts one after the other.
func (c *Client) Run(ctx context.Context, list []SQL) error {
	requests := make([]request, len(list))
	for i, s := range list {
		args := map[string]any{"source": s.Source, "sql": s.Text, "check_metadata_consistency": false}
		if s.NoTransaction {
			args["no_transaction"] = true
		}
		requests[i] = request{Type: Prefix(s.Kind) + "_run_sql", Args: args}
	}
	_, err := c.post(ctx, c.config.Paths.Query, request{Type: "bulk", Args: requests})
	return err
}

// Rows runs a statement on a PostgreSQL source and gives its rows, values as texts.
func (c *Client) Rows(ctx context.Context, source, sql string) ([][]string, error) {
	return c.rows(ctx, "", map[string]any{"source": source, "sql": sql, "check_metadata_consistency": false})
}

// Read is Rows in a read-only transaction, which also a standby allows.
func (c *Client) Read(ctx context.Context, kind, source, sql string) ([][]string, error) {
	return c.rows(ctx, kind, map[string]any{"source": source, "sql": sql, "read_only": true})
}

func (c *Client) rows(ctx context.Context, kind string, args map[string]any) ([][]string, error) {
	raw, err := c.post(ctx, c.config.Paths.Query, request{Type: Prefix(kind) + "_run_sql", Args: args})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Result [][]string `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || len(answer.Result) == 0 {
		return nil, fmt.Errorf("answer of the server: %s is no rows", raw[:min(len(raw), 200)])
	}
	return answer.Result[1:], nil
}

// Prefix is what the operations of a kind of sources begin with.
func Prefix(kind string) string {
	if kind == "" || kind == "postgres" {
		return "pg"
	}
	return kind
}

// Dump is the text of pg_dump with the options.
func (c *Client) Dump(ctx context.Context, source string, options ...string) (string, error) {
	raw, err := c.post(ctx, c.config.Paths.Dump, map[string]any{"source": source, "opts": options, "clean_output": true})
	return string(raw), err
}

// Query runs a GraphQL operation. An answer with errors is a RefusedError.
func (c *Client) Query(ctx context.Context, text string) (json.RawMessage, error) {
	raw, err := c.post(ctx, c.config.Paths.GraphQL, map[string]string{"query": text})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Errors []struct {
			Message    string `json:"message"`
			Extensions struct {
				Code string `json:"code"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(raw, &answer); err == nil && len(answer.Errors) > 0 {
		return nil, &RefusedError{Message: answer.Errors[0].Message, Code: answer.Errors[0].Extensions.Code}
	}
	return raw, nil
}

// authorize gives a request the secret of the project, instead of any other, and the headers that the command line names.
func (c *Client) authorize(h http.Header) {
	h.Del(session.SecretHeader)
	if secret := c.config.Secret(); secret != "" {
		h.Set(session.SecretHeader, secret)
	}
	maps.Copy(h, c.config.Headers)
}

// Forwarder sends requests of a browser to the server with the secret of the project. What the browser adds for
// the host that it knows stays behind: cookies, and where it comes from.
func (c *Client) Forwarder() *httputil.ReverseProxy {
	paths := map[string]string{
		"/v1/metadata": c.config.Paths.Metadata, "/v2/query": c.config.Paths.Query,
		"/v1alpha1/pg_dump": c.config.Paths.Dump, "/v1/version": c.config.Paths.Version,
	}
	return &httputil.ReverseProxy{Transport: c.http.Transport, Rewrite: func(r *httputil.ProxyRequest) {
		if path, configured := paths[r.In.URL.Path]; configured {
			r.Out.URL.Path, r.Out.URL.RawPath = "/"+strings.TrimPrefix(path, "/"), ""
		}
		r.SetURL(c.endpoint)
		for _, name := range []string{"Cookie", "Origin", "Referer"} {
			r.Out.Header.Del(name)
		}
		c.authorize(r.Out.Header)
	}}
}

// Ask runs a GraphQL request as a role with session variables.
func (c *Client) Ask(ctx context.Context, role string, variables map[string]string, body any) (json.RawMessage, error) {
	as := http.Header{}
	for name, value := range variables {
		as.Set(name, value)
	}
	as.Set(session.RoleHeader, role)
	return c.postAs(ctx, c.config.Paths.GraphQL, as, body)
}

func (c *Client) post(ctx context.Context, path string, body any) (json.RawMessage, error) {
	return c.postAs(ctx, path, nil, body)
}

func (c *Client) postAs(ctx context.Context, path string, as http.Header, body any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		return nil, err
	}
	return c.send(ctx, http.MethodPost, path, as, &b)
}

func (c *Client) send(ctx context.Context, method, path string, as http.Header, body io.Reader) ([]byte, error) {
	answer, err := c.open(ctx, method, path, as, body)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, answerLimit))
	if err != nil {
		return nil, fmt.Errorf("the answer was cut off: %w", err)
	}
	return raw, nil
}

// open sends a request, as admin unless as has the headers of another role. The caller closes the body of the answer,
// whose status is 200; any other is a RefusedError.
func (c *Client) open(ctx context.Context, method, path string, as http.Header, body io.Reader) (*http.Response, error) {
	address := strings.TrimSuffix(c.config.Endpoint, "/") + "/" + strings.TrimPrefix(path, "/")
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(session.RoleHeader, session.Admin)
	c.authorize(r.Header)
	maps.Copy(r.Header, as)
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the server can't be reached: %w", err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, answerLimit))
	if err != nil {
		return nil, fmt.Errorf("the answer was cut off: %w", err)
	}
	refusal := &RefusedError{Status: answer.StatusCode}
	if json.Unmarshal(raw, refusal) != nil || refusal.Message == "" {
		refusal.Message = strings.TrimSpace(answer.Status + " " + string(raw[:min(len(raw), 200)]))
	}
	return nil, refusal
}
