package metadata

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
)

// OpenTelemetry configures where telemetry is sent.
type OpenTelemetry struct {
	// Status is "enabled", "disabled", or a text with {{VARIABLE}} parts that becomes one.
	Status    string        `json:"status" meta:"default=disabled"`
	DataTypes []string      `json:"data_types"`
	Exporter  OTLPExporter  `json:"exporter_otlp"`
	Batch     SpanProcessor `json:"batch_span_processor"`
}

// OTLPExporter is how telemetry is sent. Endpoints are texts with {{VARIABLE}} parts, or
// {"from_env": NAME}.
type OTLPExporter struct {
	TracesEndpoint     json.RawMessage `json:"otlp_traces_endpoint,omitempty"`
	MetricsEndpoint    json.RawMessage `json:"otlp_metrics_endpoint,omitempty"`
	LogsEndpoint       json.RawMessage `json:"otlp_logs_endpoint,omitempty"`
	Protocol           string          `json:"protocol" meta:"default=http/protobuf"`
	Headers            []Header        `json:"headers"`
	ResourceAttributes []NameValue     `json:"resource_attributes"`
	TracesPropagators  []string        `json:"traces_propagators"`
}

// NameValue is one attribute.
type NameValue struct {
	Name  string `json:"name" meta:"required"`
	Value string `json:"value" meta:"required"`
}

// SpanProcessor collects spans before they are sent.
type SpanProcessor struct {
	MaxExportBatchSize int `json:"max_export_batch_size"`
}

const (
	partExporter = "exporter_otlp"
	partBatch    = "batch_span_processor"

	statusEnabled  = "enabled"
	statusDisabled = "disabled"

	otlpProtocol        = "http/protobuf"
	defaultExportBatch  = 512
	defaultPropagator   = "b3"
	traceContextFormat  = "tracecontext"
	openTelemetryStatus = `OpenTelemetry status must be either "enabled" or "disabled", got `
)

func defaultOpenTelemetry() *OpenTelemetry {
	return &OpenTelemetry{
		Status:    statusDisabled,
		DataTypes: []string{},
		Exporter: OTLPExporter{
			Protocol: otlpProtocol, Headers: []Header{}, ResourceAttributes: []NameValue{}, TracesPropagators: []string{defaultPropagator},
		},
		Batch: SpanProcessor{MaxExportBatchSize: defaultExportBatch},
	}
}

// UnmarshalJSON overrides the defaults with the given values.
func (o *OpenTelemetry) UnmarshalJSON(raw []byte) error {
	type fields OpenTelemetry
	*o = *defaultOpenTelemetry()
	if err := decode(raw, (*fields)(o)); err != nil {
		return err
	}
	return o.check()
}

func (o *OpenTelemetry) check() error {
	if !isOpenTelemetryStatus(o.Status) {
		return apierror.At(apierror.New(apierror.ParseFailed, openTelemetryStatus+o.Status), "status")
	}
	if err := checkWords(o.DataTypes, "traces", "metrics", "logs"); err != nil {
		return apierror.At(err, "data_types")
	}
	if err := checkWords(o.Exporter.TracesPropagators, defaultPropagator, traceContextFormat); err != nil {
		return apierror.At(err, partExporter, "traces_propagators")
	}
	if o.Exporter.Protocol != otlpProtocol {
		return apierror.At(apierror.Newf(apierror.ParseFailed,
			"unsupported protocol %q, only %q is supported", o.Exporter.Protocol, otlpProtocol), partExporter, "protocol")
	}
	return nil
}

// isOpenTelemetryStatus reports whether the text is a status, or a template for one.
func isOpenTelemetryStatus(text string) bool {
	return text == statusEnabled || text == statusDisabled || strings.Contains(text, "{{")
}

// checkWords refuses texts that are none of words.
func checkWords(list []string, words ...string) error {
	for i, w := range list {
		if !slices.Contains(words, w) {
			return apierror.At(apierror.Newf(apierror.ParseFailed, "expected one of %s, but found %s", strings.Join(words, ", "), w), i)
		}
	}
	return nil
}

func (o *OpenTelemetry) isDefault() bool {
	mine, err := Encode(o)
	if err != nil {
		return false
	}
	plain, err := Encode(defaultOpenTelemetry())
	return err == nil && string(mine) == string(plain)
}

// Telemetry is the part of the document about OpenTelemetry.
func (d *Document) Telemetry() (*OpenTelemetry, error) {
	o := defaultOpenTelemetry()
	if isNull(d.OpenTelemetry) {
		return o, nil
	}
	return o, decode(d.OpenTelemetry, o)
}

// Problem is the fault of a part of the telemetry settings: "exporter_otlp" or "batch_span_processor".
type Problem struct{ Part, Reason string }

// Problems are the reasons why the settings can't be used; env is the service's. Disabled parts are not
// looked at.
func (o *OpenTelemetry) Problems(env Env) []Problem {
	var list []Problem
	if reason := o.exporterProblem(env); reason != "" {
		list = append(list, Problem{partExporter, reason})
	}
	if o.Batch.MaxExportBatchSize <= 0 {
		list = append(list, Problem{partBatch, "max_export_batch_size must be a positive integer"})
	}
	return list
}

func (o *OpenTelemetry) exporterProblem(env Env) string {
	status, err := Expand(o.Status, env)
	switch {
	case err != nil:
		return apierror.From(err).Message
	case status == statusDisabled:
		return ""
	case status != statusEnabled:
		return openTelemetryStatus + status
	}
	for _, signal := range []struct {
		dataType, noun, what string
		endpoint             json.RawMessage
	}{
		{"traces", "tracing", "Traces", o.Exporter.TracesEndpoint},
		{"metrics", "metrics", "Metrics", o.Exporter.MetricsEndpoint},
		{"logs", "logs", "Logs", o.Exporter.LogsEndpoint},
	} {
		if !slices.Contains(o.DataTypes, signal.dataType) {
			continue
		}
		if isNull(signal.endpoint) {
			return signal.what + " export is enabled but " + signal.noun + " endpoint missing"
		}
		if reason := endpointProblem(signal.endpoint, env); reason != "" {
			return reason
		}
	}
	for _, h := range o.Exporter.Headers {
		if _, err := h.Resolve(env); err != nil {
			return apierror.From(err).Message
		}
	}
	return ""
}

func endpointProblem(raw json.RawMessage, env Env) string {
	text, err := endpointText(raw, env)
	if err != nil {
		return apierror.From(err).Message
	}
	if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "Invalid URL"
	}
	return ""
}

// endpointText is the address that an endpoint stands for.
func endpointText(raw json.RawMessage, env Env) (string, error) {
	if JSONType(raw) == "Object" {
		return Variable(Key(raw, "from_env"), env)
	}
	var template string
	if err := decode(raw, &template); err != nil {
		return "", err
	}
	return Expand(template, env)
}

// withoutTelemetry is the part of the document about OpenTelemetry with the defaults in the
// place of one of its parts. Without its exporter it is switched off.
func withoutTelemetry(d *Document, part string) json.RawMessage {
	o, err := d.Telemetry()
	if err != nil {
		return nil
	}
	plain := defaultOpenTelemetry()
	if part == partBatch {
		o.Batch = plain.Batch
	} else {
		o.Exporter, o.Status = plain.Exporter, plain.Status
	}
	raw, err := encodeSetting(o)
	if err != nil {
		return nil
	}
	return raw
}

// SetOpenTelemetryConfig are the arguments of set_opentelemetry_config.
type SetOpenTelemetryConfig struct{ OpenTelemetry }

// Apply replaces the settings.
func (a *SetOpenTelemetryConfig) Apply(v View) (*Result, error) {
	return v.changeSetting(&a.OpenTelemetry, VerdictNew, openTelemetryOf)
}

// SetOpenTelemetryStatus is the argument of set_opentelemetry_status.
type SetOpenTelemetryStatus struct{ status string }

// UnmarshalJSON reads the status, which is the whole argument.
func (a *SetOpenTelemetryStatus) UnmarshalJSON(raw []byte) error {
	if err := decode(raw, &a.status); err != nil {
		return err
	}
	if !isOpenTelemetryStatus(a.status) {
		return apierror.New(apierror.ParseFailed, openTelemetryStatus+a.status)
	}
	return nil
}

// Apply replaces the status.
func (a *SetOpenTelemetryStatus) Apply(v View) (*Result, error) {
	settings, err := v.Document.Telemetry()
	if err != nil {
		return nil, err
	}
	settings.Status = a.status
	return v.changeSetting(settings, VerdictNew, openTelemetryOf)
}

func openTelemetryOf(d *Document) *json.RawMessage { return &d.OpenTelemetry }
