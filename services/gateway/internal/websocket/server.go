package websocket

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/live"
	"queryengine/services/gateway/internal/request"
)

// Config bounds connections.
type Config struct {
	// InitTimeout is how long a client may take to send connection_init.
	InitTimeout time.Duration
	// KeepAlive is the time between keep-alive messages, 0 for none.
	KeepAlive time.Duration
	// Compression offers permessage-deflate.
	Compression bool
	// MaxMessage is the most bytes of a client's message.
	MaxMessage int64
	// MaxInit is the most bytes of a message of a client that isn't known yet, 0 for MaxMessage.
	MaxInit int64
	// MaxSubscriptions is how many subscriptions a connection may have, 0 for no bound.
	MaxSubscriptions int
	// MaxOperations is how many operations of one connection run at once; further ones wait.
	MaxOperations int
}

// Deps are what a Server asks.
type Deps struct {
	// Authenticate authenticates the sender of these headers.
	Authenticate func(ctx context.Context, h http.Header) (*auth.Identity, error)
	// Find gives a request of a session the text of the document that it names.
	Find func(of *session.Session, r *request.GraphQL) error
	// Execute runs an operation and gives its answer to sink.
	Execute func(ctx context.Context, o Operation, sink bus.Sink) error
	// Subscribe begins a subscription, and has its results given to r.
	Subscribe func(ctx context.Context, o Operation, r live.Receiver) (Subscription, error)
	Metrics   *Metrics
	Logger    *slog.Logger
	Logging   Logging
}

// Operation is one operation of a client.
type Operation struct {
	// RequestID is the operation's, which the connection makes.
	RequestID string
	Session   *session.Session
	Request   request.GraphQL
	// Header is the connection's, with what its client added when it began.
	Header http.Header
	// Relay asks for the relay schema.
	Relay bool
	// Address is the client's.
	Address string
}

// Subscription is a running subscription; a *live.Subscription.
type Subscription interface {
	Close()
	// Description describes the operation as far as it is known.
	Description() request.Description
	// Resume continues a stream whose receiver was full.
	Resume()
}

// Endpoint is the endpoint of the API at which a connection was opened.
type Endpoint struct {
	Relay bool
	// FlatErrors are {"error","path","code"}, instead of GraphQL errors.
	FlatErrors bool
	// Address is the client's.
	Address string
}

// Server keeps the open connections. It is safe for concurrent use.
type Server struct {
	config Config
	deps   Deps

	mu      sync.Mutex
	stopped bool
	open    map[*conn]struct{}
	running sync.WaitGroup
}

// NewServer returns a Server without connections.
func NewServer(c Config, d Deps) *Server {
	return &Server{config: c, deps: d, open: map[*conn]struct{}{}}
}

// IsUpgrade reports whether a request wants to become a WebSocket.
func IsUpgrade(r *http.Request) bool {
	return headerHas(r.Header, "Connection", "upgrade") && headerHas(r.Header, "Upgrade", "websocket")
}

func headerHas(h http.Header, name, token string) bool {
	for _, line := range h.Values(name) {
		for item := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(item), token) {
				return true
			}
		}
	}
	return false
}

// Serve upgrades the request and serves the connection until it ends. The origin of the
// request has been checked.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, e Endpoint) {
	p := chooseProtocol(r.Header)
	options := &websocket.AcceptOptions{
		Subprotocols:       []string{p.name()},
		InsecureSkipVerify: true, // the gateway's CORS rules decide on origins
		CompressionMode:    websocket.CompressionDisabled,
	}
	if s.config.Compression {
		options.CompressionMode = websocket.CompressionContextTakeover
	}
	socket, err := websocket.Accept(w, r, options)
	if err != nil {
		s.deps.Logging.Reject(apierror.New(apierror.BadRequest, err.Error()))
		return // Accept has answered
	}
	socket.SetReadLimit(cmp.Or(s.config.MaxInit, s.config.MaxMessage))
	c := newConn(s, socket, p, e, r.Header)
	if !s.add(c) {
		c.close(websocket.StatusServiceRestart, shuttingDown)
		return
	}
	defer s.remove(c)
	c.log(&logEntry{event: eventAccepted})
	c.serve()
	c.log(&logEntry{event: eventClosed, message: c.closeReason()})
}

// Restart closes the connections that were opened before a time, with a reason: their clients
// are to connect again.
func (s *Server) Restart(before time.Time, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		if c.opened.Before(before) {
			go c.close(websocket.StatusServiceRestart, reason)
		}
	}
}

const shuttingDown = "shutting server down"

// Stop closes all connections and returns when they are gone.
func (s *Server) Stop() {
	s.mu.Lock()
	s.stopped = true
	for c := range s.open {
		go c.close(websocket.StatusServiceRestart, shuttingDown)
	}
	s.mu.Unlock()
	s.running.Wait()
}

func (s *Server) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return false
	}
	s.open[c] = struct{}{}
	s.running.Add(1)
	s.deps.Metrics.opened(1)
	return true
}

func (s *Server) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
	s.deps.Metrics.opened(-1)
	s.running.Done()
}
