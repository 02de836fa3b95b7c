package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"queryengine/pkg/config"
	"queryengine/pkg/program"
	"queryengine/services/engine/sample"
)

// sampleMark is the file in the data directory that says that the sample was offered: what
// the user makes of it afterwards stays.
const sampleMark = "sample-loaded"

// healthLimit is how long the services may take to be well for the first time.
const healthLimit = time.Minute

// loadSample fills the database with the sample when it holds no tables.
func (sh *Shell) loadSample(ctx context.Context, v *config.Values) error {
	url := config.DatabaseURL.Get(v).Reveal()
	empty, err := sample.Empty(ctx, url)
	if err != nil || !empty {
		return err
	}
	fmt.Fprintln(sh.Out, "loading the sample")
	return sample.Load(ctx, url, sample.Small)
}

// applySample applies the sample's metadata on the first start, where the database holds
// the sample and no table is tracked yet.
func (sh *Shell) applySample(ctx context.Context, v *config.Values) error {
	mark := filepath.Join(config.DataDir.Get(v), sampleMark)
	if _, err := os.Stat(mark); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	loaded, err := sample.Loaded(ctx, config.DatabaseURL.Get(v).Reveal())
	if err != nil {
		return err
	}
	c := selfClient(v)
	if err := c.await(ctx, "/healthz"); err != nil {
		return err
	}
	tracked, err := c.tracksTables(ctx)
	if err != nil {
		return err
	}
	if loaded && !tracked {
		body := fmt.Appendf(nil, `{"type":"replace_metadata","args":%s}`, sample.Metadata())
		if _, err := c.metadata(ctx, body); err != nil {
			return fmt.Errorf("the sample's metadata: %w", err)
		}
	}
	return os.WriteFile(mark, nil, 0o600)
}

// welcome says where the engine is and what to ask it.
func (sh *Shell) welcome(v *config.Values) {
	header := ""
	if config.AdminSecret.Get(v) != "" {
		header = ` -H "x-engine-admin-secret: $ENGINE_GRAPHQL_ADMIN_SECRET"`
	}
	fmt.Fprintf(sh.Out, `
GraphQL is served at %[1]s/v1/graphql. Try:

  curl %[1]s/v1/graphql%[2]s -d '{"query": "{ albums(order_by: {released: desc, id: asc}, limit: 2) { title artist { name } } }"}'

Ctrl-C stops it; the data stays in %[3]s.
`, address(v), header, config.DataDir.Get(v))
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

func (c client) tracksTables(ctx context.Context) (bool, error) {
	answer, err := c.metadata(ctx, []byte(`{"type":"export_metadata","args":{}}`))
	if err != nil {
		return false, err
	}
	var document struct {
		Sources []struct {
			Tables []json.RawMessage `json:"tables"`
		} `json:"sources"`
	}
	if err := json.Unmarshal(answer, &document); err != nil {
		return false, err
	}
	for _, s := range document.Sources {
		if len(s.Tables) > 0 {
			return true, nil
		}
	}
	return false, nil
}

func (c client) metadata(ctx context.Context, body []byte) ([]byte, error) {
	return c.do(ctx, http.MethodPost, "/v1/metadata", body)
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
		err = fmt.Errorf("%s%s: status %d: %s", c.base, path, response.StatusCode, answer)
	}
	return answer, err
}
