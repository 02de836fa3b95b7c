package metadata

import (
	"encoding/json"
	"slices"
)

// TelemetryTargets are the settings of OpenTelemetry with the values of variables. They may hold
// secrets.
type TelemetryTargets struct {
	// Traces, Metrics and Logs are addresses; empty for what isn't sent.
	Traces, Metrics, Logs string
	Headers               map[string]string
	ResourceAttributes    map[string]string
	BatchSize             int
	// TraceContext reports whether traces are read and written as W3C does, too.
	TraceContext bool
}

// Targets returns where telemetry is sent; nil for nowhere. env is the sending service's. Its error
// names what is missing, and never a value.
func (o *OpenTelemetry) Targets(env Env) (*TelemetryTargets, error) {
	status, err := Expand(o.Status, env)
	if err != nil || status != statusEnabled {
		return nil, err
	}
	t := &TelemetryTargets{
		Headers: map[string]string{}, ResourceAttributes: map[string]string{}, BatchSize: o.Batch.MaxExportBatchSize,
		TraceContext: slices.Contains(o.Exporter.TracesPropagators, traceContextFormat),
	}
	for _, signal := range []struct {
		dataType string
		endpoint json.RawMessage
		address  *string
	}{
		{"traces", o.Exporter.TracesEndpoint, &t.Traces},
		{"metrics", o.Exporter.MetricsEndpoint, &t.Metrics},
		{"logs", o.Exporter.LogsEndpoint, &t.Logs},
	} {
		if !slices.Contains(o.DataTypes, signal.dataType) || isNull(signal.endpoint) {
			continue
		}
		if *signal.address, err = endpointText(signal.endpoint, env); err != nil {
			return nil, err
		}
	}
	for i := range o.Exporter.Headers {
		h := &o.Exporter.Headers[i]
		if t.Headers[h.Name], err = h.Resolve(env); err != nil {
			return nil, err
		}
	}
	for _, a := range o.Exporter.ResourceAttributes {
		t.ResourceAttributes[a.Name] = a.Value
	}
	return t, nil
}
