// Package api is the HTTP interface of the engine: the routes, and for each of them the request to a
// service over the bus and the way its answer is returned.
//
// The bytes of an answer are passed on as they arrive. Nothing here knows GraphQL or metadata; requests
// are read only as far as their routing depends on them.
package api

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/deadline"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/cors"
	"queryengine/services/gateway/internal/documents"
	"queryengine/services/gateway/internal/jwt"
	"queryengine/services/gateway/internal/limits"
	"queryengine/services/gateway/internal/listen"
	"queryengine/services/gateway/internal/live"
	"queryengine/services/gateway/internal/reply"
	"queryengine/services/gateway/internal/rest"
	"queryengine/services/gateway/internal/websocket"
)

// Group is a part of the API that can be switched off.
type Group string

// The groups; those with an empty name are always on.
const (
	GroupAlways   Group = ""
	GroupGraphQL  Group = "graphql"
	GroupMetadata Group = "metadata"
	GroupConfig   Group = "config"
	GroupPGDump   Group = "pgdump"
	GroupMetrics  Group = "metrics"
	GroupDev      Group = "developer"
)

// Settings are the settings of the server that the API depends on.
type Settings struct {
	Enabled map[Group]bool
	// Federation reports whether executors serve Apollo Federation.
	Federation bool
	// Relay serves /v1/relay and /v1beta1/relay.
	Relay bool
	// DevMode shows the internal part of errors to every role, AdminInternalErrors to
	// admin.
	DevMode             bool
	AdminInternalErrors bool
	// Preserve401 keeps the status of authentication errors on the GraphQL endpoints.
	Preserve401 bool
	// StrictOverHTTP follows the specification of GraphQL over HTTP where the wire format
	// differs from it.
	StrictOverHTTP bool
	// TLS names the files of a TLS listener, empty for one without TLS. With ClientCA,
	// requests need a certificate of a client that the listener has verified.
	TLS listen.Files
	// StrictTransport is how long browsers come back by TLS, 0 to tell nothing.
	StrictTransport time.Duration
	// Console serves the console. ConsoleAssets is the directory of the files of another one, which is
	// shown to admins; Deps has the files.
	Console       bool
	ConsoleAssets string
	// Concurrency is how many requests may wait for executors at once, 0 for no bound.
	Concurrency int
	// MaxRequestSize is the most bytes of a request's body.
	MaxRequestSize int
	// Timeout is how long a client may take to send a request, and to take its answer;
	// RequestTimeout is how long answering a query may take. 0 is without end.
	Timeout        time.Duration
	RequestTimeout time.Duration
	// TraceDocuments puts the text of operations into traces.
	TraceDocuments bool
	// WebSocket bounds WebSockets; MaxMessage and MaxOperations follow from the rest.
	// WebSocketReadCookie lets cookies of the upgrade count although CORS is switched off.
	WebSocket           websocket.Config
	WebSocketReadCookie bool
	// SubscriptionsPerSession is how many may run at once, 0 for no bound.
	SubscriptionsPerSession int
	// UnlimitedData lets data operations go without API limits.
	UnlimitedData bool
	// PersistedTTL is how long documents that clients send with their hash are kept after their last use, 0 to keep none.
	PersistedTTL time.Duration
	// MCP is what assistants may do.
	MCP MCP
	// Logging is what the lines about requests show.
	Logging LogSettings

	// AuthHook is the URL of the authentication webhook, empty for none. It and the rest are
	// only shown to admins.
	AuthHook                 string
	EnableAllowlist          bool
	InferFunctionPermissions bool
	RemoteSchemaPermissions  bool
	ExperimentalFeatures     []string
	DefaultNamingConvention  string
	LiveQueries              LiveQueryOptions
	StreamingQueries         LiveQueryOptions
}

// Deps are what the API works with.
type Deps struct {
	// Version is the version of the programs, "1.2.3".
	Version string
	Bus     caller
	// Live keeps subscriptions.
	Live     *live.Client
	Metadata metadata
	// Assets are the files of a console that takes the place of the engine's own, nil for none.
	Assets fs.FS
	// Answers is nil when answers are not cached.
	Answers       answers
	Authenticator authenticator
	// Tokens are the configurations of JSON web tokens, as admins are shown them.
	Tokens []jwt.Info
	CORS   *cors.Policy
	// CredentialHeaders are the headers of tokens, besides Authorization and Cookie.
	CredentialHeaders []string
	// Health describes what is wrong, nil for nothing.
	Health func(context.Context) error
	// Ready describes why requests can't be passed on, nil when they can.
	Ready   func() error
	Log     *slog.Logger
	Metrics *Metrics
	// WebSocketMetrics are nil for none.
	WebSocketMetrics *websocket.Metrics
	// Registry is what /v1/metrics serves to callers with MetricsSecret.
	Registry      prometheus.Gatherer
	MetricsSecret *auth.Secret
	// Tracing makes the spans of requests, nil for none.
	Tracing *telemetry.Tracing
}

// caller asks another service; a *bus.Bus.
type caller interface {
	Call(ctx context.Context, ep bus.Endpoint, req proto.Message, newHead func() proto.Message, sink bus.Sink) error
}

// metadata knows the newest metadata; a *snapshot.Follower.
type metadata interface {
	Current() *snapshot.Snapshot
	// Latest is Current, and a channel that is closed when it isn't that any more.
	Latest() (*snapshot.Snapshot, <-chan struct{})
	// WaitFor returns the metadata at a version or later.
	WaitFor(ctx context.Context, version int64) (*snapshot.Snapshot, error)
}

// authenticator authenticates callers.
type authenticator interface {
	Authenticate(ctx context.Context, h http.Header, body json.RawMessage) (*auth.Identity, error)
	// AsksWebhook reports whether a webhook receives the headers of requests.
	AsksWebhook() bool
	// WantsBody reports whether a GraphQL request with these headers has to be read before
	// Authenticate.
	WantsBody(h http.Header) bool
	// Open reports whether nothing is configured to tell callers apart.
	Open() bool
}

// API answers requests. It is safe for concurrent use.
type API struct {
	Settings
	Deps
	compressor reply.Compressor
	exchanges  sync.Pool // of *exchange
	sockets    *websocket.Server
	stopping   chan struct{} // closed when streams of events are to end
	stopOnce   sync.Once
	followers  atomic.Int64 // clients that follow the metadata
	tracer     trace.Tracer
	logs       logs
	endpoints  rest.Cache
	forwarding forwarding
	deadlines  deadline.CoarseTimer
	limits     *limits.Keeper
	running    *limits.Subscriptions
	documents  *documents.Store
	assistants *assistants
	validators *validators
	// vary is the header Vary of answers that caches may keep.
	vary string
	// The answers of /v1alpha1/config and /v1/version.
	configAnswer  []byte
	versionAnswer []byte
	// strictTransport is a header of answers over TLS, nil for none.
	strictTransport []string
}

// New returns an API that does nothing before Handler is served.
func New(s Settings, d Deps) *API {
	d.Bus = &admission{caller: d.Bus, limit: int64(s.Concurrency), metrics: d.Metrics}
	a := &API{
		Settings:   s,
		Deps:       d,
		tracer:     d.Tracing.Tracer("queryengine/services/gateway"),
		limits:     limits.NewKeeper(),
		running:    limits.NewSubscriptions(s.SubscriptionsPerSession),
		documents:  documents.New(documents.Config{Listed: s.EnableAllowlist, Keep: s.PersistedTTL}),
		stopping:   make(chan struct{}),
		validators: newValidators(), vary: varyHeader(d.CredentialHeaders),
	}
	a.logs = newLogs(d.Log, s.Logging)
	a.sockets = a.newWebSockets()
	a.assistants = newAssistants(a)
	a.exchanges.New = func() any { return newExchange(a) }
	a.configAnswer = a.makeConfigAnswer()
	a.versionAnswer = makeVersionAnswer(d.Version)
	a.strictTransport = strictTransport(s.StrictTransport)
	return a
}
