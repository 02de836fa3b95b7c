package status

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/lifecycle"
	statusv1 "queryengine/proto/status/v1"
)

const (
	// healthPatience bounds how long a report waits for the health of its service, which may ask a database.
	healthPatience = 500 * time.Millisecond
	// keep is how long a report is sent again instead of making another.
	keep = 500 * time.Millisecond
)

// errSlow is the health of a service that takes too long to find out.
var errSlow = errors.New("the health check takes longer than " + healthPatience.String())

// Topics are what reporters and collectors need of a bus.Bus.
type Topics interface {
	Publish(t bus.Topic, m proto.Message) error
	Subscribe(t bus.Topic, newMessage func() proto.Message, h func(proto.Message)) (stop func(), err error)
}

// Source is what a Reporter reports on.
type Source interface {
	lifecycle.Service
	// MetadataVersion is the version of the metadata that it works with, 0 for none yet.
	MetadataVersion() int64
}

// Operator is a Source that runs operations.
type Operator interface {
	// Operations are those that were run most often; their number is bounded.
	Operations() []Operation
}

// ReporterConfig is what a Reporter works with.
type ReporterConfig struct {
	Source Source
	Topics Topics
	// Instance is the process, Version that of the program.
	Instance, Version string
	// Metrics are those of the process; nil for none.
	Metrics prometheus.Gatherer
	Logger  *slog.Logger
}

// Reporter is a service that reports on another one, from its start to its stop.
type Reporter struct {
	config  ReporterConfig
	state   lifecycle.State
	started time.Time
	stop    func()

	// checking is the health check that is under way, which ends when the service knows.
	mu       sync.Mutex
	checking chan struct{}
	checked  error

	// body is the last report; only the goroutine of the subscription uses it.
	body []byte
	made time.Time
}

// NewReporter returns a Reporter; no I/O.
func NewReporter(c ReporterConfig) *Reporter { return &Reporter{config: c} }

// Name is that of the service that it reports on.
func (r *Reporter) Name() string { return r.config.Source.Name() }

// Start answers roll calls from now on, and announces the service.
func (r *Reporter) Start(context.Context) error {
	return r.state.Start(func() error {
		r.started = time.Now()
		stop, err := r.config.Topics.Subscribe(bus.StatusRollCall, func() proto.Message { return &statusv1.RollCall{} }, r.answer)
		if err != nil {
			return err
		}
		r.stop = stop
		r.publish(&statusv1.Report{})
		return nil
	})
}

// Started is closed once Start has succeeded.
func (r *Reporter) Started() <-chan struct{} { return r.state.Started() }

// Stop tells that the service leaves.
func (r *Reporter) Stop() {
	r.state.Stop(func() {
		if r.stop == nil {
			return
		}
		r.stop()
		r.publish(&statusv1.Report{Leaving: true})
	})
}

// Status is nil while it runs.
func (r *Reporter) Status() error { return r.state.Status() }

func (r *Reporter) publish(m *statusv1.Report) {
	m.Service, m.Instance = r.Name(), r.config.Instance
	if err := r.config.Topics.Publish(bus.StatusReports, m); err != nil {
		r.config.Logger.Debug("a status report was not sent", "error", err)
	}
}

func (r *Reporter) answer(proto.Message) {
	if r.body == nil || time.Since(r.made) > keep {
		body, err := json.Marshal(r.report())
		if err != nil {
			r.config.Logger.Error("a status report cannot be encoded", "error", err)
			return
		}
		r.body, r.made = body, time.Now()
	}
	r.publish(&statusv1.Report{Body: r.body})
}

func (r *Reporter) report() Report {
	s := r.config.Source
	var gathered []*dto.MetricFamily
	if r.config.Metrics != nil {
		gathered, _ = r.config.Metrics.Gather() // with an error comes what could be read
	}
	report := Report{
		Service: s.Name(), Instance: r.config.Instance, Version: r.config.Version,
		StartedAt: r.started.UTC(), Uptime: time.Since(r.started).Seconds(),
		MetadataVersion: s.MetadataVersion(), Metrics: samples(gathered, s.Name()), Triggers: triggers(gathered, s.Name()),
	}
	if o, ok := s.(Operator); ok {
		report.Operations = o.Operations()
	}
	if err := r.health(); err != nil {
		report.Error = err.Error()
	}
	report.Healthy = report.Error == ""
	return report
}

// health asks the service, and gives up on one that doesn't know in time. At most one check is under way.
func (r *Reporter) health() error {
	r.mu.Lock()
	if r.checking == nil {
		done := make(chan struct{})
		r.checking = done
		go func() {
			err := r.config.Source.Status()
			r.mu.Lock()
			defer r.mu.Unlock()
			r.checked, r.checking = err, nil
			close(done)
		}()
	}
	done := r.checking
	r.mu.Unlock()
	timer := time.NewTimer(healthPatience)
	defer timer.Stop()
	select {
	case <-done:
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.checked
	case <-timer.C:
		return errSlow
	}
}
