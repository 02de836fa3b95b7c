package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"queryengine/pkg/config"
)

const mcpUsage = `Usage: engine mcp [--endpoint URL] [--header NAME:VALUE]...

Speaks the Model Context Protocol on standard input and output, for desktop assistants, and passes it on to the /mcp of a
running engine. A token comes from --header or from the variable ENGINE_GRAPHQL_MCP_TOKEN.
`

// mcpTokenVariable holds a bearer token.
const mcpTokenVariable = config.VariablePrefix + "MCP_TOKEN"

// mcpOptions are the options of mcp.
type mcpOptions struct {
	*flag.FlagSet
	endpoint *string
	header   http.Header
}

func newMCPFlags() mcpOptions {
	o := mcpOptions{FlagSet: newFlags(), header: http.Header{}}
	o.endpoint = o.String("endpoint", defaultAddress, "`URL` of the engine")
	o.Func("header", "`NAME:VALUE` of a header of all requests", func(text string) error {
		name, value, ok := strings.Cut(text, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return errors.New("a header is NAME:VALUE")
		}
		o.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		return nil
	})
	return o
}

// mcp passes messages between standard input and output and an engine.
func (sh *Shell) mcp(ctx context.Context, args []string) error {
	o := newMCPFlags()
	rest, err := sh.parse(o.FlagSet, mcpUsage, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("engine mcp: unknown argument %q", rest[0])
	}
	if token, ok := sh.Env(mcpTokenVariable); ok && o.header.Get("Authorization") == "" {
		o.header.Set("Authorization", "Bearer "+token)
	}
	out := &messageWriter{to: sh.Out}
	local, err := (&mcp.IOTransport{Reader: messagesOf(sh.In, out), Writer: out, MaxLineLength: -1}).Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = local.Close() }()
	remote, err := (&mcp.StreamableClientTransport{
		Endpoint: strings.TrimSuffix(strings.TrimSuffix(*o.endpoint, "/"), mcpPath) + mcpPath, DisableStandaloneSSE: true,
		HTTPClient: &http.Client{Transport: headerTransport(o.header), CheckRedirect: sameHost},
	}).Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = remote.Close() }()
	ctx, cancel := context.WithCancelCause(ctx)
	var waiting waitingCalls
	go func() { cancel(pass(ctx, remote, local, &waiting)) }()
	err = pass(ctx, local, remote, &waiting)
	if errors.Is(err, io.EOF) {
		waiting.wait(ctx)
		return nil
	}
	return err
}

// waitingCalls are the calls of an assistant that have no answer yet.
type waitingCalls struct {
	ids  sync.Map
	left sync.WaitGroup
}

func (w *waitingCalls) begin(id jsonrpc.ID) {
	if _, twice := w.ids.LoadOrStore(id.Raw(), true); !twice {
		w.left.Add(1)
	}
}

func (w *waitingCalls) end(id jsonrpc.ID) {
	if _, ok := w.ids.LoadAndDelete(id.Raw()); ok {
		w.left.Done()
	}
}

// wait waits until all have an answer, or none can come any more.
func (w *waitingCalls) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		w.left.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// pass passes messages on until one side ends, and then waits for those that are on their way. They don't wait for each
// other: one may cancel another. An error of the engine is the answer to the message that has it.
func pass(ctx context.Context, from, to mcp.Connection, waiting *waitingCalls) error {
	var passing sync.WaitGroup
	defer passing.Wait()
	for {
		m, err := from.Read(ctx)
		if err != nil {
			return err
		}
		q, isRequest := m.(*jsonrpc.Request)
		isCall := isRequest && q.ID.IsValid()
		if isCall {
			waiting.begin(q.ID)
		}
		passing.Go(func() {
			err := to.Write(ctx, m)
			if err != nil && isCall {
				_ = from.Write(ctx, &jsonrpc.Response{ID: q.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}}) // it may have left
				waiting.end(q.ID)
			}
			if answer, ok := m.(*jsonrpc.Response); ok {
				waiting.end(answer.ID)
			}
		})
	}
}

// mcpPath is where an engine serves assistants.
const mcpPath = "/mcp"

// messagesOf are the lines of in that are messages. The others are answered on out, as JSON-RPC has it.
func messagesOf(in io.Reader, out *messageWriter) io.ReadCloser {
	messages, to := io.Pipe()
	go func() {
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadBytes('\n')
			if line = bytes.TrimSpace(line); len(line) > 0 {
				if refusal := refusalOf(line); refusal != "" {
					_, _ = io.WriteString(out, refusal) // an assistant that is gone shows when it is read next
				} else if _, err := to.Write(append(line, '\n')); err != nil {
					return // no one reads on
				}
			}
			if err != nil {
				_ = to.CloseWithError(err) // it has no error
				return
			}
		}
	}()
	return messages
}

// refusalOf is the answer to a line that isn't a message, empty for one that is.
func refusalOf(line []byte) string {
	if !json.Valid(line) { // two messages on a line, too, of which the library decodes the first
		return `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}` + "\n"
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}` + "\n"
	}
	return ""
}

// messageWriter writes one message at a time.
type messageWriter struct {
	mu sync.Mutex
	to io.Writer
}

// Write implements io.Writer.
func (w *messageWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// Close implements io.Closer.
func (*messageWriter) Close() error { return nil }

// headerTransport adds headers to requests.
type headerTransport http.Header

// RoundTrip implements http.RoundTripper. A refusal is an error with the engine's reason: the library would show the status alone,
// and end the session.
func (t headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range t {
		r.Header[name] = values
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || response.StatusCode < http.StatusBadRequest {
		return response, err
	}
	defer func() { _ = response.Body.Close() }()
	reason, err := io.ReadAll(io.LimitReader(response.Body, longestReason))
	if err != nil {
		return nil, err
	}
	if m, err := jsonrpc.DecodeMessage(reason); err == nil { // an answer of the protocol, which has a status of its own in some versions
		if _, ok := m.(*jsonrpc.Response); ok {
			response.StatusCode, response.Status = http.StatusOK, "200 OK"
			response.Body = io.NopCloser(bytes.NewReader(reason))
			return response, nil
		}
	}
	if response.StatusCode == http.StatusNotFound {
		return nil, fmt.Errorf("nothing serves assistants at %s: is it an engine with --enable-mcp?", r.URL)
	}
	var known struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(reason, &known) == nil && known.Error != "" {
		reason = []byte(known.Error)
	}
	return nil, fmt.Errorf("%s: %s", response.Status, bytes.TrimSpace(reason))
}

// sameHost keeps the headers, which may have a token, from other hosts.
func sameHost(r *http.Request, before []*http.Request) error {
	switch first := before[0].URL; {
	case r.URL.Host != first.Host, first.Scheme == "https" && r.URL.Scheme != "https":
		return fmt.Errorf("the engine redirects to %s: set --endpoint to where it is", r.URL)
	case len(before) >= mostRedirects:
		return errors.New("the engine redirects again and again")
	}
	return nil
}

// mostRedirects is how many redirects are followed.
const mostRedirects = 10

// longestReason bounds what is read of a refusal, in bytes.
const longestReason = 64 << 10
