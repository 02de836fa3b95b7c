package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"queryengine/pkg/config"
	"queryengine/pkg/program"
	"queryengine/services/engine/internal/remote"
)

// healthLimit is how long the services may take to be healthy for the first time.
const healthLimit = time.Minute

// welcome prints where the engine is, a first query to ask it, and a hint, if there is one.
func (sh *Shell) welcome(v *config.Values, query, hint string) {
	header, disabled := "", config.DisableAdminSecret.Get(v)
	if config.AdminSecret.Get(v) != "" && !disabled {
		secret := "SECRET"
		if name := config.AdminSecret.Spec().Env(); sh.has(name) {
			secret = "$" + name
		}
		header = ` -H "x-engine-admin-secret: ` + secret + `"`
	}
	secret := ""
	if config.AdminSecret.Get(v) == "" && len(config.AdminSecrets.Get(v)) == 0 && !disabled {
		secret = "No admin secret is set: every program that reaches this address is admin. Set one with --admin-secret. Pages of your application may call\nafter --cors-domain http://localhost:3000.\n\n"
	}
	console := ""
	if config.EnableConsole.Get(v) {
		console = "The console is at " + address(v) + "/console.\n\n"
	}
	fmt.Fprintf(sh.Out, `
GraphQL is served at %[1]s/v1/graphql. Try:

  curl %[1]s/v1/graphql%[2]s -d '{"query": "%[3]s"}'

%[7]s%[5]s%[6]sCtrl-C stops it; the data stays in %[4]s.
`, address(v), header, query, config.DataDir.Get(v), console, secret, hint)
}

func (sh *Shell) has(variable string) bool {
	value, ok := sh.Env(variable)
	return ok && value != ""
}

// address is how this machine reaches the gateway.
func address(v *config.Values) string {
	host := config.ServerHost.Get(v)
	if host == "*" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	return program.Scheme(v) + "://" + net.JoinHostPort(host, strconv.Itoa(config.ServerPort.Get(v)))
}

// client calls the gateway of this process.
type client struct {
	http         *http.Client
	base, secret string
}

func selfClient(v *config.Values) client {
	return client{http: program.SelfClient(v), base: address(v), secret: config.AdminSecret.Get(v).Reveal()}
}

// await waits until a path of health checks answers that all is well.
func (c client) await(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	for {
		_, err := c.do(ctx, http.MethodGet, path, nil)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (c client) metadata(ctx context.Context, body []byte) ([]byte, error) {
	return c.do(ctx, http.MethodPost, "/v1/metadata", body)
}

// tracker tracks tables of a source of this engine.
func (c client) tracker(source, prefix string) tracker {
	return tracker{source: source, prefix: prefix, send: func(ctx context.Context, name string, args any) (json.RawMessage, error) {
		body, err := json.Marshal(map[string]any{"type": name, "args": args})
		if err != nil {
			return nil, err
		}
		return c.metadata(ctx, body)
	}}
}

func (c client) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.secret != "" {
		request.Header.Set("X-Engine-Admin-Secret", c.secret)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		refusal := &remote.RefusedError{Status: response.StatusCode}
		if json.Unmarshal(answer, refusal) == nil && refusal.Message != "" {
			return answer, refusal
		}
		err = fmt.Errorf("%s%s: status %d: %s", c.base, path, response.StatusCode, answer)
	}
	return answer, err
}
