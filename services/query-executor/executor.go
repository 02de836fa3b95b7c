package queryexecutor

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/action"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/bus"
	"queryengine/pkg/egress"
	"queryengine/pkg/extension"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/service"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/call"
	"queryengine/services/query-executor/internal/dataop"
	"queryengine/services/query-executor/internal/freshness"
	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/live"
	"queryengine/services/query-executor/internal/plancache"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/querylog"
	"queryengine/services/query-executor/internal/remote"
	"queryengine/services/query-executor/internal/remotesub"
	"queryengine/services/query-executor/internal/seal"
	"queryengine/services/query-executor/internal/share"
	"queryengine/services/query-executor/internal/spool"
	"queryengine/services/query-executor/internal/validator"
)

const serviceName = bus.ServiceQueryExecutor

// Deps are what the service works with.
type Deps struct {
	Bus    *bus.Bus
	Logger *slog.Logger
	// Decoder of metadata snapshots is shared by the services of a process; nil for one of
	// its own.
	Decoder *snapshot.Decoder
	// Kinds are the kinds of sources, all by default.
	Kinds backend.Kinds
	// Env is where metadata names variables of, os.LookupEnv by default.
	Env metadata.Env
	// Code is the code of this build that metadata may name, nil for none.
	Code *extension.Set
	// Metrics is where the service's metrics go, nil for nowhere.
	Metrics prometheus.Registerer
	// Tracing makes the spans of requests, nil for none.
	Tracing *telemetry.Tracing
	// Direct makes the server that gateways connect to directly, nil for none.
	Direct func(bus.DirectOptions) (bus.DirectServer, error)
}

// Executor is the service. It is a lifecycle.Service.
type Executor struct {
	*service.Base
	config         Config
	resolveOptions resolve.Options
	follower       follower
	env            metadata.Env
	// lacksCode reports whether the metadata names code that this build doesn't have.
	lacksCode      atomic.Bool
	sources        *open.Pool
	places         *share.Places
	spool          *spool.Spool
	plans          *plancache.Cache[planned.Plan]
	introspections *introspect.Cache
	dataop         *dataop.Handler
	egress         *egress.Client
	validator      *validator.Validator
	actions        *action.Client
	calls          *call.Client
	remotes        *remote.Client
	logger         *slog.Logger
	queryLog       *querylog.Log
	// cache is nil when answers are not cached.
	cache *cache.Cache
	// freshness removes cached answers with tags when their tables change.
	freshness *freshness.Watcher
	metrics   *metrics
	// seal is nil when there are no keys.
	seal    *seal.Keys
	tracer  trace.Tracer
	scratch sync.Pool

	live                *live.Manager
	remoteSubscriptions *remotesub.Manager
	replanning          replanner
	announcer           announcer

	applying sync.Mutex
	state    atomic.Pointer[state]
	closing  sync.Once

	// bus listens for direct connections to the server that direct makes, nil for none.
	bus    *bus.Bus
	direct func(bus.DirectOptions) (bus.DirectServer, error)
}

// Name is the service's name.
func (e *Executor) Name() string { return serviceName }

// follower knows when a version of the metadata was applied.
type follower interface {
	WaitFor(ctx context.Context, version int64) (*snapshot.Snapshot, error)
}
