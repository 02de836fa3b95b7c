package command

import (
	"context"
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
	local, err := (&mcp.IOTransport{Reader: io.NopCloser(sh.In), Writer: nopWriteCloser{sh.Out}}).Connect(ctx)
	if err != nil {
		return err
	}
	remote, err := (&mcp.StreamableClientTransport{
		Endpoint: strings.TrimSuffix(*o.endpoint, "/") + "/mcp", DisableStandaloneSSE: true,
		HTTPClient: &http.Client{Transport: headerTransport(o.header)},
	}).Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = remote.Close() }()
	ctx, cancel := context.WithCancelCause(ctx)
	go func() { cancel(pass(ctx, remote, local)) }()
	err = pass(ctx, local, remote)
	if errors.Is(err, io.EOF) || ctx.Err() != nil && errors.Is(context.Cause(ctx), io.EOF) {
		return nil
	}
	return err
}

// pass passes messages on until one side ends, and then waits for those that are on their way. They don't wait for each
// other: one may cancel another. An error of the engine is the answer to the message that has it.
func pass(ctx context.Context, from, to mcp.Connection) error {
	var passing sync.WaitGroup
	defer passing.Wait()
	for {
		m, err := from.Read(ctx)
		if err != nil {
			return err
		}
		passing.Go(func() {
			err := to.Write(ctx, m)
			if q, ok := m.(*jsonrpc.Request); err != nil && ok && q.ID.IsValid() {
				_ = from.Write(ctx, &jsonrpc.Response{ID: q.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}}) // it may have left
			}
		})
	}
}

type nopWriteCloser struct{ io.Writer }

// Close implements io.Closer.
func (nopWriteCloser) Close() error { return nil }

// headerTransport adds headers to requests.
type headerTransport http.Header

// RoundTrip implements http.RoundTripper.
func (t headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range t {
		r.Header[name] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}
