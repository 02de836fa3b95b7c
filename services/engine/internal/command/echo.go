package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"queryengine/services/engine/internal/charts"
	"queryengine/services/engine/internal/echo"
)

const echoUsage = `Usage: engine echo [OPTION...]

Prints each HTTP request that comes, as a line of JSON, and answers it: a receiver for trying out
event triggers, cron triggers, actions and other webhooks. It answers 200 with {} unless told otherwise.
With --graphql it is a remote schema to try, too: a server at /graphql that knows the charts.
`

// Limits of a server, for connections that are left open.
const (
	headerLimit   = 10 * time.Second
	shutdownLimit = 5 * time.Second
)

// echoOptions are the options of echo.
type echoOptions struct {
	*flag.FlagSet
	address *string
}

// newEchoFlags are options that tell a receiver what to do, nil for one that is not run.
func newEchoFlags(receiver *echo.Receiver) echoOptions {
	if receiver == nil {
		receiver = echo.New(io.Discard)
	}
	set := newFlags()
	set.BoolVar(&receiver.Headers, "headers", false, "print the headers of requests, too")
	set.Func("answer", "`body` of answers: a text, @file for that of a file; /path=... for one path", receiver.Answer)
	set.Func("status", "`code` of answers; /path=... for one path", receiver.Status)
	set.BoolFunc("graphql", "answer GraphQL at /graphql, with places in the charts for the sample's artists", func(string) error {
		handler, err := charts.New()
		receiver.GraphQL = handler
		return err
	})
	return echoOptions{set, set.String("address", "127.0.0.1:9000", "`host:port` to listen at")}
}

// echo serves a receiver until ctx is done.
func (sh *Shell) echo(ctx context.Context, args []string) error {
	receiver := echo.New(sh.Out)
	o := newEchoFlags(receiver)
	rest, err := sh.parse(o.FlagSet, echoUsage, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case len(rest) > 0:
		fmt.Fprintf(sh.Errs, "engine: unknown argument %q (see engine echo --help)\n", rest[0])
		return errUsage
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *o.address)
	if err != nil {
		return err
	}
	fmt.Fprintf(sh.Errs, "engine echo listens at http://%s; Ctrl-C stops it\n", listener.Addr())
	return serveHTTP(ctx, listener, receiver)
}

// serveHTTP serves until ctx is done.
func serveHTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerLimit}
	stopped := context.AfterFunc(ctx, func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownLimit)
		defer cancel()
		if server.Shutdown(limited) != nil {
			_ = server.Close() // requests that don't end are cut off
		}
	})
	defer stopped()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
