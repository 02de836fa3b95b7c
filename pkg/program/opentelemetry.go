package program

import (
	"context"
	"fmt"
	"maps"
	"os"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/service"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
)

// defaultServiceName is the service name when the metadata doesn't set one.
const defaultServiceName = "engine"

// export is the export of telemetry: by the settings, and then by the metadata.
type export struct {
	*telemetry.Exporter
	env      *Env
	settings telemetry.Export
	client   *egress.Client
	follower *snapshot.Follower
}

func (e *Env) newExport(name config.Service) (*export, error) {
	x := &export{env: e}
	if endpoint := config.OTLPEndpoint.Get(e.Values); endpoint != "" {
		address, err := telemetry.TracesURL(endpoint)
		if err != nil {
			return nil, fmt.Errorf("traces: %w", err)
		}
		x.settings = telemetry.Export{Traces: address, W3C: true}
	}
	var err error
	if x.client, err = egress.New(egress.ReadConfig(e.Values, service.UserAgent())); err != nil {
		return nil, err
	}
	x.Exporter = telemetry.NewExporter(telemetry.ExporterConfig{
		Service: string(name), Version: service.Version, Gatherer: e.Gatherer, Registerer: e.Metrics,
		Tracing: e.Tracing, Logs: e.Log, Transport: x.client, Logger: e.Logger,
	})
	return x, nil
}

// start exports by the settings, and begins to follow the metadata. That is done here, and not by the
// services, because the export belongs to the process.
func (x *export) start(ctx context.Context) error {
	if err := x.Apply(ctx, x.settings); err != nil {
		return err
	}
	x.follower = snapshot.NewFollower(snapshot.Config{
		Changes: x.env.Bus.Changes(), Snapshots: x.env.Bus.Snapshots(), Decoder: x.env.Decoder,
		Service: "telemetry", Instance: x.env.Bus.Instance(),
	})
	x.follower.Watch(func(s *snapshot.Snapshot) { x.follow(s.Document) })
	return x.follower.Start(ctx)
}

// follow applies a version of the metadata. Parts that can't be used here are ignored.
func (x *export) follow(d *metadata.Document) {
	next, err := x.of(d, os.LookupEnv)
	if err == nil {
		err = x.Apply(context.Background(), next)
	}
	if err == nil {
		return
	}
	x.env.Logger.Warn("OpenTelemetry settings in the metadata are unusable here", "error", apierror.From(err).Message)
	if err := x.Apply(context.Background(), x.settings); err != nil {
		x.env.Logger.Warn("telemetry export failed", "error", err)
	}
}

// of is the export for a version of the metadata. If that configures traces, they go to its targets
// only.
func (x *export) of(d *metadata.Document, env metadata.Env) (telemetry.Export, error) {
	settings, err := d.Telemetry()
	if err != nil {
		return telemetry.Export{}, err
	}
	t, err := settings.Targets(env)
	if err != nil || t == nil {
		return x.settings, err
	}
	next := telemetry.Export{
		Traces: t.Traces, Metrics: t.Metrics, Logs: t.Logs, Headers: t.Headers, BatchSize: t.BatchSize, W3C: t.TraceContext,
		Attributes: map[string]string{"service.name": defaultServiceName},
	}
	maps.Copy(next.Attributes, t.ResourceAttributes)
	return next, nil
}

// close stops following, and sends what is queued.
func (x *export) close(ctx context.Context) error {
	if x.follower != nil {
		x.follower.Stop()
	}
	err := x.Close(ctx)
	x.client.Close()
	return err
}
