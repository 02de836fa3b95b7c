package queryexecutor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"sync"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/action"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/bus"
	"queryengine/pkg/egress"
	"queryengine/pkg/logtype"
	"queryengine/pkg/resolve"
	"queryengine/pkg/service"
	"queryengine/pkg/status"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/call"
	"queryengine/services/query-executor/internal/dataop"
	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/querylog"
	"queryengine/services/query-executor/internal/remote"
	"queryengine/services/query-executor/internal/seal"
	"queryengine/services/query-executor/internal/share"
	"queryengine/services/query-executor/internal/spool"
	"queryengine/services/query-executor/internal/validator"
)

// New wires the service and does no I/O. Its errors are about the settings.
func New(c Config, d Deps) (*Executor, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if d.Kinds == nil {
		d.Kinds = kind.All(os.LookupEnv, serviceName)
	}
	e, err := newExecutor(c, d)
	if err != nil {
		return nil, err
	}
	e.Base = service.New(service.Config{
		Name:        serviceName,
		Description: "answers GraphQL operations",
		Concurrency: c.Concurrency,
		StopTimeout: c.StopTimeout,
		Decoder:     d.Decoder,
		Lacks:       e.lacksCode.Load,
	}, d.Bus, d.Logger, e.register)
	if c.CacheSize > 0 {
		e.cache = cache.New(c.Cache, d.Bus.QueryCache(), d.Logger)
	}
	e.bus, e.direct = d.Bus, d.Direct
	e.announcer = announcer{bus: d.Bus, stop: make(chan struct{})}
	e.follower = e.Follower()
	e.Follower().Watch(e.apply)
	return e, nil
}

// newExecutor makes the part that needs no bus.
func newExecutor(c Config, d Deps) (*Executor, error) {
	if d.Logger == nil {
		d.Logger = telemetry.Discard()
	}
	if d.Env == nil {
		d.Env = os.LookupEnv
	}
	c.Egress.Propagator, c.Egress.Code = d.Tracing.Propagator(), d.Code
	client, err := egress.New(c.Egress)
	if err != nil {
		return nil, err
	}
	keys, err := seal.New(c.RelayKeys)
	if err != nil {
		return nil, fmt.Errorf("keys of Relay ids: %w", err)
	}
	introspections, err := introspect.NewCache(keptIntrospections)
	if err != nil {
		return nil, fmt.Errorf("answers to introspection: %w", err)
	}
	e := &Executor{
		config: c,
		env:    d.Env,
		seal:   keys,
		resolveOptions: resolve.Options{
			Kinds:                    d.Kinds,
			InferFunctionPermissions: c.InferFunctionPermissions,
			DefaultNamingConvention:  c.DefaultNamingConvention,
			NamingConventionEnabled:  c.NamingConvention,
			HideStreamFields:         c.HideStreamFields,
			HideUpdateManyFields:     c.HideUpdateManyFields,
			HideDatabaseComments:     c.HideDatabaseComments,
			RemoteSchemaPermissions:  c.RemoteSchemaPermissions,
		},
		sources:        open.New(d.Kinds.Measured(backend.NewPoolMetrics(d.Metrics, d.Logger))),
		plans:          planned.NewCache(c.PlanCacheSize),
		introspections: introspections,
		egress:         client,
		validator:      validator.New(client, d.Env, telemetry.Of(d.Logger, logtype.ValidateInput)),
		actions:        action.NewClient(client, d.Env, telemetry.Of(d.Logger, logtype.ActionHandler), d.Metrics),
		calls: call.New(call.Config{
			Bus: d.Bus, MaxResponse: c.Egress.MaxResponse, ShowInternal: c.DevMode, ShowAdmin: c.AdminInternalErrors,
		}),
		places: share.New(c.Concurrency),
		spool: spool.New(spool.Config{
			Memory: spoolMemory, Disk: c.SpoolSize, Answers: spooledAnswers(c.Concurrency), Patience: cmp.Or(c.ReaderPatience, readerPatience),
		}),
		remotes: remote.NewClient(client, d.Env, c.RemoteDataFirst),
		logger:  d.Logger,
		tracer:  d.Tracing.Tracer("queryengine/services/query-executor"),
		scratch: sync.Pool{New: func() any { return &scratch{} }},
	}
	if len(c.MaskedVariables) > 0 {
		e.actions.HideBodies()
	}
	if c.RedactActions {
		e.actions.Redact()
	}
	e.queryLog = querylog.New(d.Logger, c.MaskedVariables)
	e.metrics = newMetrics(d.Metrics, e.plans, c.DetailedMetrics)
	e.live = newLive(e, d)
	e.freshness = newFreshness(e, d)
	e.remoteSubscriptions = newRemoteSubscriptions(e)
	e.dataop = dataop.New(dataop.Deps{
		Metadata:  e.metadataAt,
		Source:    e.source,
		Admission: e.admission,
		Validate:  e.validateData,
		Unguarded: c.Unguarded,
		Resolve:   e.resolveOptions,
		Render:    e.renderOptions(),
		FrameSize: c.FrameSize,
	})
	return e, nil
}

// keptIntrospections is how many bytes of answers to introspection are kept, packed: about 300 MB
// of JSON.
const keptIntrospections = 16 << 20

// spooledAnswers is how many answers may be kept for their readers at once: half of the
// places, so that others are left.
func spooledAnswers(concurrency int) int {
	if concurrency == 0 {
		return math.MaxInt
	}
	return max(1, concurrency/2)
}

// register adds the service's handlers.
func (e *Executor) register(s *bus.Service) error {
	instance := e.announcer.bus.Instance()
	for _, h := range []struct {
		endpoint   bus.Endpoint
		newRequest func() proto.Message
		handle     bus.Handler
	}{
		{bus.QueryExecute, func() proto.Message { return &queryv1.ExecuteRequest{} }, e.execute},
		{bus.QueryExplain, func() proto.Message { return &queryv1.ExplainRequest{} }, e.explain},
		{bus.QueryCheck, func() proto.Message { return &queryv1.CheckRequest{} }, e.check},
		{bus.QueryOpenAPI, func() proto.Message { return &queryv1.OpenAPIRequest{} }, e.openAPI},
		{bus.QueryAssist, func() proto.Message { return &queryv1.AssistRequest{} }, e.assist},
		{bus.DataExecute, func() proto.Message { return &queryv1.DataRequest{} }, e.data},
		{bus.LiveLink(instance), func() proto.Message { return &queryv1.LinkRequest{} }, e.link},
		{bus.LiveSubscribe(instance), func() proto.Message { return &queryv1.SubscribeRequest{} }, e.subscribe},
		{bus.LiveFollow(instance), func() proto.Message { return &queryv1.ExecuteRequest{} }, e.follow},
		{bus.LiveDump(instance), func() proto.Message { return &queryv1.LiveDumpRequest{} }, e.dumpSubscriptions},
		{bus.LiveUnsubscribe(instance), func() proto.Message { return &queryv1.UnsubscribeRequest{} }, e.unsubscribe},
	} {
		if err := s.Handle(h.endpoint, h.newRequest, h.handle); err != nil {
			return err
		}
	}
	return nil
}

// Operations are those that were run most often since the start, by role.
func (e *Executor) Operations() []status.Operation { return e.metrics.requests.byRole.Top() }

// Start follows the metadata, takes requests, and lets gateways know that it takes
// subscriptions.
func (e *Executor) Start(ctx context.Context) error {
	if e.direct != nil && e.config.DirectPort >= 0 {
		if err := e.bus.Listen(ctx, e.config.DirectPort, e.direct); err != nil {
			return err
		}
	}
	if err := e.Base.Start(ctx); err != nil {
		return err
	}
	if err := e.announcer.start(func() bool { return e.state.Load() != nil }); err != nil {
		e.Stop()
		return err
	}
	return nil
}

// Stop sends subscriptions elsewhere, accepts no more requests, waits for pending ones, and closes the
// sources.
func (e *Executor) Stop() {
	e.closing.Do(func() {
		e.announcer.leave()
		e.live.Close()
		e.freshness.Close()
		e.remoteSubscriptions.Close()
		e.replanning.wait()
		e.Base.Stop()
		e.sources.Close()
		e.egress.Close()
	})
}
