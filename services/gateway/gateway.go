package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/config"
	"queryengine/pkg/extension"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/service"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/api"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/checkup"
	"queryengine/services/gateway/internal/cors"
	"queryengine/services/gateway/internal/jwt"
	"queryengine/services/gateway/internal/listen"
	"queryengine/services/gateway/internal/live"
	"queryengine/services/gateway/internal/websocket"
)

// idleTimeout is how long a connection of a client may do nothing between requests.
const idleTimeout = 2 * time.Minute

// healthTimeout is how long metadata may take to report its health, healthKeep how long its answer is
// reused: any client may ask for it.
const (
	healthTimeout = 3 * time.Second
	healthKeep    = time.Second
)

// A gateway that stops goes on until no client has sent a request for quietTime, whose answer
// would tell it to leave, at most for drainTime.
const (
	quietTime = time.Second
	drainTime = 5 * time.Second
)

// Deps are what the service works with.
type Deps struct {
	Bus    *bus.Bus
	Logger *slog.Logger
	// Decoder of metadata snapshots is shared by the services of a process; nil for one of
	// its own.
	Decoder *snapshot.Decoder
	// Metrics is where the gateway's own metrics go, nil for nowhere; Gatherer is what
	// /v1/metrics shows.
	Metrics  prometheus.Registerer
	Gatherer prometheus.Gatherer
	// Tracing makes the spans of requests, nil for none.
	Tracing *telemetry.Tracing
	// Code is the code of this build that metadata may name, nil for none.
	Code *extension.Set
	// Mount takes the handler for a server of the caller's; nil to listen. Listen has the gateway listen, too.
	Mount  func(http.Handler)
	Listen bool
}

// Gateway is the service. It is a lifecycle.Service.
type Gateway struct {
	config  Config
	deps    Deps
	base    *service.Base
	auth    *auth.Authenticator
	tokens  *jwt.Verifier // nil without token configurations
	cors    *cors.Policy
	metrics *api.Metrics
	sockets *websocket.Metrics
	checkup *checkup.Shared // of metadata

	state    lifecycle.State
	api      *api.API
	live     *live.Client
	restart  *restarter
	server   *http.Server
	drain    *listen.Drain
	listener net.Listener
	// mounted is how many requests of a server of the caller's are pending.
	mounted atomic.Int64
}

// New wires the service and does no I/O. Its errors are about the settings.
func New(c Config, d Deps) (*Gateway, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	g, err := newGuards(c, d)
	if err != nil {
		return nil, err
	}
	return &Gateway{
		checkup: checkup.New(healthKeep, d.Logger, func(ctx context.Context) error { return checkMetadata(ctx, d.Bus) }),
		config:  c,
		deps:    d,
		base: service.New(service.Config{
			Name:        bus.ServiceGateway,
			Description: "HTTP for clients",
			Announce:    true,
			Decoder:     d.Decoder,
		}, d.Bus, d.Logger, nil),
		auth:    g.auth,
		tokens:  g.tokens,
		cors:    g.cors,
		metrics: api.NewMetrics(d.Metrics),
		sockets: websocket.NewMetrics(d.Metrics, c.DetailedMetrics),
	}, nil
}

// Name is the service's name.
func (g *Gateway) Name() string { return bus.ServiceGateway }

// MetadataVersion is the version of the metadata that it works with, 0 for none yet.
func (g *Gateway) MetadataVersion() int64 { return g.base.MetadataVersion() }

// Start follows the metadata and listens.
func (g *Gateway) Start(ctx context.Context) error {
	return g.state.Start(func() error {
		if g.tokens != nil {
			if err := g.tokens.Start(ctx); err != nil {
				return err
			}
		}
		g.wire()
		err := g.base.Start(ctx)
		if err == nil {
			err = g.live.Start()
		}
		if err == nil {
			err = g.open(ctx)
		}
		if err != nil {
			g.stopParts()
		}
		return err
	})
}

// open lets clients in.
func (g *Gateway) open(ctx context.Context) error {
	if g.deps.Mount == nil || g.deps.Listen {
		if err := g.listen(ctx); err != nil {
			return err
		}
	}
	if g.deps.Mount == nil {
		return nil
	}
	if g.auth.Open() {
		g.deps.Logger.Warn("no admin secret is set: every caller that reaches the handler is admin")
	}
	handler := g.api.Handler()
	g.deps.Mount(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mounted.Add(1)
		defer g.mounted.Add(-1)
		handler.ServeHTTP(w, r)
	}))
	return nil
}

// mountedPoll is how often Stop looks whether the requests of a server of the caller's have been answered.
const mountedPoll = 10 * time.Millisecond

func (g *Gateway) listen(ctx context.Context) error {
	network, host := "tcp", g.config.Host
	if host == "*" {
		network, host = "tcp4", ""
	}
	listener, err := listen.Listen(ctx, network, net.JoinHostPort(host, strconv.Itoa(g.config.Port)), g.config.Timeout)
	if err != nil {
		return config.ServerPort.Spec().Wrong(fmt.Errorf("cannot listen: %w", err))
	}
	var secure *listen.TLS
	if g.config.TLS.Certificate != "" {
		if secure, err = listen.NewTLS(g.config.TLS, g.deps.Logger); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	g.listener = listener
	g.warnOfOpenDoor()
	g.drain = listen.NewDrain(api.Probes...)
	g.server = &http.Server{
		Handler:           g.drain.Handler(g.api.Handler()),
		ReadHeaderTimeout: g.config.Timeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    g.config.MaxHeaderSize,
		ConnState: func(c net.Conn, s http.ConnState) {
			g.metrics.ConnState(c, s)
			g.drain.ConnState(c, s)
		},
		ErrorLog: slog.NewLogLogger(g.deps.Logger.Handler(), slog.LevelDebug),
	}
	serve := g.server.Serve
	if secure != nil {
		g.server.TLSConfig = secure.Config()
		serve = func(l net.Listener) error { return g.server.ServeTLS(l, "", "") }
	}
	go func() {
		if err := serve(listener); !errors.Is(err, http.ErrServerClosed) {
			g.deps.Logger.Error("listener failed", "error", err)
		}
	}()
	return nil
}

// warnOfOpenDoor warns when callers from other machines are admin without a secret.
func (g *Gateway) warnOfOpenDoor() {
	address, ok := g.listener.Addr().(*net.TCPAddr)
	if !g.auth.Open() || ok && address.IP.IsLoopback() {
		return
	}
	g.deps.Logger.Warn("no admin secret is set: every caller that reaches this address is admin", "address", g.listener.Addr().String())
}

// wire makes what answers clients.
func (g *Gateway) wire() {
	g.live = live.NewClient(live.Config{
		Bus: g.deps.Bus, Log: g.deps.Logger,
		MinVersion: func() int64 {
			version, _ := g.api.MinVersion() // no subscription begins before it is known
			return version
		},
	})
	deps := api.Deps{
		Version:       service.Version,
		Tokens:        tokenInfo(g.tokens),
		Bus:           g.deps.Bus,
		Live:          g.live,
		Metadata:      g.base.Follower(),
		Authenticator: g.auth,
		CORS:          g.cors,

		CredentialHeaders: g.tokens.Headers(),
		Health:            g.health,
		Ready:             g.Status,
		Log:               g.deps.Logger,
		Metrics:           g.metrics,
		WebSocketMetrics:  g.sockets,
		Registry:          g.deps.Gatherer,
		MetricsSecret:     auth.NewSecret(g.config.MetricsSecret),
		Tracing:           g.deps.Tracing,
	}
	if dir := g.config.ConsoleAssets; dir != "" {
		deps.Assets = directory(dir)
		_, err := fs.Stat(deps.Assets, consoleScript)
		if err != nil {
			if _, compressed := fs.Stat(deps.Assets, consoleScript+".gz"); compressed == nil {
				err = nil
			}
		}
		if err != nil {
			g.deps.Logger.Warn("there is no "+consoleScript+" for the console in the directory of a setting, so the engine's own console is served",
				"setting", config.ConsoleAssetsDir.Spec().Name(), "directory", dir, "error", err)
			deps.Assets, g.config.ConsoleAssets = nil, ""
		}
	}
	if g.config.CacheSize > 0 {
		deps.Answers = g.deps.Bus.QueryCache()
	}
	g.api = api.New(g.config.Settings, deps)
	if g.config.CloseWebSockets {
		g.restart = newRestarter(g.api.RestartWebSockets)
		g.base.Follower().Watch(g.restart.applied)
	}
}

// consoleScript is the file without which another console is an empty page.
const consoleScript = "main.js"

// directory has the files of a directory, and nothing outside of it, also not by symbolic links.
type directory string

// Open opens a file.
func (d directory) Open(name string) (fs.File, error) { return os.OpenInRoot(string(d), name) }

// Address is where the gateway listens; only after Start.
func (g *Gateway) Address() net.Addr { return g.listener.Addr() }

// Started is closed once the gateway listens.
func (g *Gateway) Started() <-chan struct{} { return g.state.Started() }

// Stop asks clients to leave, accepts no more connections, waits for pending requests, and cuts off
// those that take longer than StopTimeout.
func (g *Gateway) Stop() {
	g.state.Stop(func() {
		ctx, cancel := context.WithTimeout(context.Background(), g.config.StopTimeout)
		defer cancel()
		sockets := make(chan struct{}) // Shutdown does not know of WebSockets
		go func() {
			defer close(sockets)
			g.api.StopWebSockets()
		}()
		if g.server != nil { // nil for that of the caller's alone
			g.drain.Run(quietTime, min(drainTime, g.config.StopTimeout))
			listen.Leave(g.listener, min(quietTime, g.config.StopTimeout))
			g.drain.CloseIdle(min(drainTime, g.config.StopTimeout))
			if err := g.server.Shutdown(ctx); err != nil {
				g.deps.Logger.Warn("requests in progress were aborted", "error", err)
				_ = g.server.Close() // nothing can be done about its error
			}
		}
		<-sockets
		for g.mounted.Load() > 0 {
			if !lifecycle.Sleep(ctx, mountedPoll) {
				g.deps.Logger.Warn("requests in progress were aborted", "error", ctx.Err())
				break
			}
		}
		g.stopParts()
	})
}

func (g *Gateway) stopParts() {
	g.base.Stop()
	g.live.Stop()
	g.restart.stop()
	if g.tokens != nil {
		g.tokens.Stop()
	}
}

// Status is nil while the gateway can pass requests on.
func (g *Gateway) Status() error {
	if err := g.state.Status(); err != nil {
		return err
	}
	return g.base.Status()
}

// health is Status for clients: besides, metadata must be there, and reach its database.
func (g *Gateway) health(ctx context.Context) error {
	if err := g.base.Status(); err != nil {
		return err
	}
	return g.checkup.Ask(ctx)
}

// checkMetadata asks metadata how it is.
func checkMetadata(ctx context.Context, b *bus.Bus) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	newEmpty := func() proto.Message { return &emptypb.Empty{} }
	if _, _, err := b.CallMessage(ctx, bus.MetadataHealth, newEmpty(), newEmpty, 0); err != nil {
		return errors.New(apierror.From(err).Message)
	}
	return nil
}
