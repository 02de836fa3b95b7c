package metadata

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/bus"
	"queryengine/pkg/egress"
	"queryengine/pkg/extension"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/service"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/status"
	"queryengine/pkg/telemetry"
	metadatav1 "queryengine/proto/metadata/v1"
	"queryengine/services/metadata/internal/apply"
	"queryengine/services/metadata/internal/audience"
	"queryengine/services/metadata/internal/outbox"
	"queryengine/services/metadata/internal/remotes"
	"queryengine/services/metadata/internal/sourcehealth"
	"queryengine/services/metadata/internal/store"
)

const (
	// concurrency bounds the requests that are processed at once.
	concurrency = 64
	// databasePatience is how long a start waits for the metadata database, which may be
	// starting too.
	databasePatience = 30 * time.Second
	stopTimeout      = 30 * time.Second
)

// Deps are what the service works with.
type Deps struct {
	Bus    *bus.Bus
	Logger *slog.Logger
	// Metrics takes the metrics of the service; nil for none.
	Metrics prometheus.Registerer
	// Open opens a source of the metadata; it makes no connection yet.
	Open open.Open
	// Kinds are the kinds of sources that there are backends for.
	Kinds backend.Kinds
	// Tracing makes the spans of requests, nil for none.
	Tracing *telemetry.Tracing
	// Env is os.LookupEnv: metadata may name variables.
	Env func(string) (string, bool)
	// Code is the code of this build that metadata may name, nil for none.
	Code *extension.Set
}

// Service is the metadata service.
type Service struct {
	config Config
	deps   Deps
	state  lifecycle.State

	store     *store.Store
	sources   *open.Pool
	egress    *egress.Client
	engine    *apply.Engine
	publisher *outbox.Publisher
	audience  *audience.Audience
	statuses  *status.Collector
	metrics   *metrics
	monitor   *sourcehealth.Monitor
	tracer    trace.Tracer
	// began is when the service was started.
	began time.Time
	// background is the work that no request waits for; ended ends it.
	background sync.WaitGroup
	ended      context.CancelFunc
	// stops undo the start, in reverse.
	stops []func()
}

// New wires the service and does no I/O.
func New(c Config, d Deps) (*Service, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.SeenTimeout == 0 {
		c.SeenTimeout = 10 * time.Second
	}
	if c.Recheck == 0 {
		c.Recheck = 5 * time.Second
	}
	s := &Service{config: c, deps: d, sources: open.New(d.Open), audience: audience.New(d.Bus), statuses: status.NewCollector(d.Bus, d.Logger), tracer: d.Tracing.Tracer("queryengine/services/metadata")}
	var err error
	s.store, err = store.Open(store.Config{
		URL: c.MetadataURL, MaxConnections: c.Connections, History: c.History, HistoryAge: c.HistoryAge,
	})
	if err != nil {
		return nil, err
	}
	c.Egress.Propagator, c.Egress.Code = d.Tracing.Propagator(), d.Code
	if s.egress, err = egress.New(c.Egress); err != nil {
		return nil, err
	}
	s.engine = apply.New(apply.Config{
		Store:   s.store,
		Sources: s.sources,
		Remotes: remotes.New(s.egress, d.Env, d.Logger),
		Resolve: resolve.Options{
			Kinds:                    d.Kinds,
			InferFunctionPermissions: c.InferFunctionPermissions,
			DefaultNamingConvention:  c.DefaultNamingConvention,
			NamingConventionEnabled:  c.NamingConvention,
			HideStreamFields:         c.HideStreamFields,
			HideUpdateManyFields:     c.HideUpdateManyFields,
			RemoteSchemaPermissions:  c.RemoteSchemaPermissions,
			OpenRole:                 c.OpenRole,
			Env:                      d.Env,
			Code:                     d.Code,
		},
		Data:              dataOnBus{d.Bus},
		Maintenance:       c.Maintenance,
		Statuses:          s.statuses.Collect,
		SourceHealth:      func() map[string]sourcehealth.Report { return s.monitor.Reports() },
		Admit:             s.admit,
		Recheck:           c.Recheck,
		Logger:            d.Logger,
		SkipNativeQueries: c.DisableNativeQueryValidation,
		StringifyNumeric:  c.StringifyNumeric,
	})
	var cache func(context.Context) error
	if c.CacheSize > 0 {
		answers := d.Bus.QueryCache()
		cache = func(ctx context.Context) error { return answers.Ensure(ctx, c.CacheSize) }
	}
	s.publisher = outbox.New(outbox.Config{
		Store:     s.store,
		Changes:   d.Bus.Changes(),
		Snapshots: d.Bus.Snapshots(),
		State: func(ctx context.Context) (*snapshot.Snapshot, error) {
			state, err := s.engine.Refresh(ctx)
			if err != nil {
				return nil, err
			}
			return state.Snapshot, nil
		},
		Replicas: c.Replicas,
		Logger:   d.Logger,
		Cache:    cache,
	})
	s.monitor = sourcehealth.New(sourcehealth.Config{
		Document: func() *metadata.Document { return s.engine.State().Document },
		Source:   s.sources.Use,
		Logger:   d.Logger,
	})
	if s.metrics, err = newMetrics(d.Metrics, s.engine, s.monitor); err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return s, nil
}

// Name is "metadata".
func (s *Service) Name() string { return bus.ServiceMetadata }

// MetadataVersion is the version of the metadata that it works with, 0 before the start.
func (s *Service) MetadataVersion() int64 {
	if state := s.engine.State(); state != nil {
		return state.Version
	}
	return 0
}

// Start brings the tables up to date, adds the default source where it is missing, and
// begins to take requests and to publish.
func (s *Service) Start(ctx context.Context) error {
	return s.state.Start(func() error {
		err := s.start(ctx)
		if err != nil {
			s.stop()
		}
		return err
	})
}

func (s *Service) start(ctx context.Context) error {
	s.began = time.Now()
	s.stops = append(s.stops, s.store.Close, s.sources.Close, s.egress.Close)
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if err := s.engine.Load(ctx); err != nil {
		return fmt.Errorf("load the metadata: %w", err)
	}
	first := s.engine.State().Version == store.FirstVersion
	if err := s.addDefaultSource(ctx); err != nil {
		return fmt.Errorf("add the default source: %w", err)
	}
	s.publisher.Start()
	s.stops = append(s.stops, s.publisher.Stop)
	stop, err := s.audience.Start(first)
	if err != nil {
		return err
	}
	s.stops = append(s.stops, stop)
	if stop, err = s.statuses.Start(); err != nil {
		return err
	}
	s.stops = append(s.stops, stop)
	if err := s.register(ctx); err != nil {
		return fmt.Errorf("register with NATS: %w", err)
	}
	background, cancel := context.WithCancel(context.Background())
	s.ended = cancel
	if !s.config.Maintenance {
		s.background.Go(func() {
			guard.Run(s.deps.Logger, "panic in an introspection", func() { s.engine.Reintrospect(background) })
			guard.Run(s.deps.Logger, "panic in a recovery", func() { s.engine.Recover(background) })
		})
	}
	s.background.Go(func() { s.monitor.Run(background) })
	s.stops = append(s.stops, func() {
		s.ended()
		s.background.Wait()
	})
	return nil
}

// migrate waits for a database that isn't up yet.
func (s *Service) migrate(ctx context.Context) error {
	if err := s.store.Await(ctx, databasePatience, s.deps.Logger); err != nil {
		return err
	}
	return s.store.Migrate(ctx)
}

func (s *Service) addDefaultSource(ctx context.Context) error {
	if s.config.DefaultSource == nil || s.engine.State().Document.Source(metadata.DefaultSource) != nil {
		return nil
	}
	return s.engine.AddSource(ctx, &metadata.AddSource{
		Name:          metadata.DefaultSource,
		Configuration: s.config.DefaultSource,
	})
}

func (s *Service) register(ctx context.Context) error {
	registered, err := s.deps.Bus.Register(ctx, bus.ServiceInfo{
		Name: bus.ServiceMetadata, Version: service.Version, Description: "owns the metadata", Concurrency: concurrency,
	})
	if err != nil {
		return err
	}
	s.stops = append(s.stops, func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		_ = registered.Stop(ctx) // past the timeout, pending requests are cut off
	})
	err = registered.Handle(bus.MetadataApply, func() proto.Message { return &metadatav1.ApplyRequest{} }, s.apply)
	if err != nil {
		return err
	}
	err = registered.Handle(bus.MetadataHealth, func() proto.Message { return &emptypb.Empty{} }, s.health)
	if err != nil {
		return err
	}
	err = registered.Handle(bus.MetadataDump, func() proto.Message { return &metadatav1.DumpRequest{} }, s.dump)
	if err != nil {
		return err
	}
	err = registered.Handle(bus.SourceHealth, func() proto.Message { return &metadatav1.SourceHealthRequest{} }, s.sourceHealth)
	if err != nil {
		return err
	}
	return registered.Handle(bus.MetadataSnapshot, func() proto.Message { return &metadatav1.SnapshotRequest{} }, s.storeSnapshot)
}

// Started is closed once Start has succeeded.
func (s *Service) Started() <-chan struct{} { return s.state.Started() }

// Stop accepts no more requests, waits for the pending ones, and closes everything.
func (s *Service) Stop() { s.state.Stop(s.stop) }

func (s *Service) stop() {
	for i := len(s.stops) - 1; i >= 0; i-- {
		s.stops[i]()
	}
	s.stops = nil
}

// Status is nil while the service reaches NATS and its database, and changes are published.
func (s *Service) Status() error {
	if err := s.state.Status(); err != nil {
		return err
	}
	if err := s.deps.Bus.Status(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := s.store.Ping(ctx); err != nil {
		return err
	}
	if err := s.publisher.Status(); err != nil {
		return err
	}
	version, waits, err := s.stuck(ctx)
	if err == nil && version > 0 {
		err = waiting(version, waits)
	}
	return err
}

// apply processes a request of the metadata API.
func (s *Service) apply(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	request, ok := m.(*metadatav1.ApplyRequest)
	if !ok {
		return apierror.Newf(apierror.Unexpected, "unexpected message %T", m)
	}
	began := time.Now()
	ctx, span := s.tracer.Start(ctx, "Metadata", trace.WithAttributes(attribute.String("url.path", endpointNames[request.GetEndpoint()])))
	defer span.End()
	answer, err := s.engine.Handle(ctx, apply.Request{
		API:     apis[request.GetEndpoint()],
		Session: session.FromProto(request.GetSession()),
		Body:    json.RawMessage(request.GetBody()),

		ClientHeaders: request.GetClientHeaders(), ID: request.GetRequestId(), MinVersion: request.GetMinVersion(),
	})
	s.metrics.done(request.GetEndpoint(), began, err)
	if err != nil {
		span.SetStatus(codes.Error, apierror.From(err).Message)
		return err
	}
	if answer.Modified {
		if err := s.waitUntilSeen(ctx, answer.State); err != nil {
			span.SetStatus(codes.Error, err.Error())
			return err
		}
	}
	w.SetHead(&metadatav1.ApplyHead{ResourceVersion: answer.State.Version, Modified: answer.Modified})
	_, err = w.Write(answer.Body)
	return err
}

var apis = map[metadatav1.ApplyRequest_Endpoint]metadata.API{
	metadatav1.ApplyRequest_ENDPOINT_V1_METADATA: metadata.APIMetadata,
	metadatav1.ApplyRequest_ENDPOINT_V1_QUERY:    metadata.APIQueryV1,
	metadatav1.ApplyRequest_ENDPOINT_V2_QUERY:    metadata.APIQueryV2,
}

// health tells gateways whether the metadata database answers and changes are published. Their health
// endpoint is public, so the details go to the log.
func (s *Service) health(ctx context.Context, _ proto.Message, _ bus.ResponseWriter) error {
	if err := s.store.Ping(ctx); err != nil {
		s.deps.Logger.WarnContext(ctx, "metadata database is unreachable", "error", apierror.Detailed(err))
		return apierror.New(apierror.Unexpected, "metadata database is unreachable").WithStatus(http.StatusServiceUnavailable)
	}
	if version, waits, err := s.stuck(ctx); err == nil && version > 0 {
		s.deps.Logger.WarnContext(ctx, "changes are not published", "error", waiting(version, waits), "publisher", s.publisher.Status())
		return apierror.New(apierror.Unexpected, "metadata changes are not published").WithStatus(http.StatusServiceUnavailable)
	}
	return nil
}

// sourceHealth answers with the health of the sources.
func (s *Service) sourceHealth(_ context.Context, _ proto.Message, w bus.ResponseWriter) error {
	body, err := json.Marshal(s.monitor.Reports())
	if err != nil {
		return err
	}
	w.SetHead(&metadatav1.SourceHealthHead{})
	_, err = w.Write(body)
	return err
}

// storeSnapshot stores a snapshot for a service that has none to start from.
func (s *Service) storeSnapshot(ctx context.Context, _ proto.Message, w bus.ResponseWriter) error {
	stored, err := s.publisher.Snapshot(ctx)
	if err != nil {
		return err
	}
	w.SetHead(&metadatav1.SnapshotHead{StreamId: stored.StreamID, Version: stored.Version})
	return nil
}
