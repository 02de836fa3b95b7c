package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/lifecycle/lifecycletest"
	"queryengine/pkg/telemetry"
	statusv1 "queryengine/proto/status/v1"
)

// served is a service to report on.
type served struct {
	lifecycle.State
	name   string
	status func() error
}

func (s *served) Name() string                { return s.name }
func (s *served) Start(context.Context) error { return nil }
func (s *served) Stop()                       {}
func (s *served) Status() error               { return s.status() }
func (s *served) MetadataVersion() int64      { return 7 }

// well is a health check that finds nothing wrong.
func well() error { return nil }

// fakeTopics hands reports to the collector; those of the members answer roll calls, after a while.
type fakeTopics struct {
	hear    func(proto.Message)
	members []string
}

// answerTime is how long members take.
const answerTime = time.Millisecond

func (f *fakeTopics) Publish(_ bus.Topic, m proto.Message) error {
	_, ok := m.(*statusv1.RollCall)
	for _, instance := range f.members {
		if ok {
			time.AfterFunc(answerTime, func() { f.hear(answerOf(instance)) })
		}
	}
	return nil
}

func answerOf(instance string) *statusv1.Report {
	body, _ := json.Marshal(Report{MetadataVersion: 3})
	return &statusv1.Report{Service: "gateway", Instance: instance, Body: body}
}

func (f *fakeTopics) Subscribe(_ bus.Topic, _ func() proto.Message, h func(proto.Message)) (func(), error) {
	f.hear = h
	return func() {}, nil
}

// collected are the instances that a question finds, those that don't respond with a mark, and how long it took.
func collected(t *testing.T, c *Collector) (names []string, took time.Duration) {
	t.Helper()
	began := time.Now()
	list, err := c.Collect(t.Context())
	require.NoError(t, err)
	for _, i := range list {
		name := i.Instance
		if !i.Responding {
			name += "?"
		}
		names = append(names, name)
	}
	return names, time.Since(began)
}

func TestCollectWaitsForThoseThatAreKnown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeTopics{members: []string{"a", "b"}}
		c := NewCollector(f, telemetry.Discard())
		_, err := c.Start()
		require.NoError(t, err)
		names, took := collected(t, c)
		require.Equal(t, []string{"a", "b"}, names)
		require.Equal(t, firstPatience, took, "others may be there")
		names, took = collected(t, c)
		require.Equal(t, []string{"a", "b"}, names)
		require.Equal(t, answerTime, took)
		time.Sleep(time.Hour)
		names, took = collected(t, c)
		require.Equal(t, []string{"a", "b"}, names, "no request came for long")
		require.Equal(t, answerTime, took)

		time.Sleep(time.Second)
		f.members = []string{"a"}
		names, took = collected(t, c)
		require.Equal(t, []string{"a", "b?"}, names)
		require.Equal(t, patience, took)
		f.hear(&statusv1.Report{Service: "gateway", Instance: "c"})
		names, _ = collected(t, c)
		require.Equal(t, []string{"a", "b?"}, names, "nothing is known of one that has only announced itself")
		f.hear(&statusv1.Report{Service: "gateway", Instance: "c", Leaving: true})

		time.Sleep(silence)
		names, took = collected(t, c)
		require.Equal(t, []string{"a"}, names)
		require.Equal(t, answerTime, took, "one that was silent for long isn't waited for")
		f.hear(&statusv1.Report{Service: "gateway", Instance: "a", Leaving: true})
		f.members = nil
		names, took = collected(t, c)
		require.Empty(t, names)
		require.Zero(t, took)
	})
}

func TestCollectorIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeTopics{}
		c := NewCollector(f, telemetry.Discard())
		_, err := c.Start()
		require.NoError(t, err)
		for i := range maxServices + 5 {
			f.hear(answerOf(strconv.Itoa(i)))
		}
		f.hear(&statusv1.Report{Service: "gateway", Instance: "1", Body: []byte("{")})
		names, _ := collected(t, c)
		require.Len(t, names, maxServices)
	})
}

// TestReports holds what is reported over NATS.
func TestReports(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	registry := prometheus.NewRegistry()
	mine := prometheus.WrapRegistererWith(prometheus.Labels{"service": "query-executor"}, registry)
	requests := telemetry.Register(mine, prometheus.NewCounterVec(prometheus.CounterOpts{Name: "engine_graphql_requests_total", Help: "Of a test."},
		[]string{"operation_type", "response_status", "operation_name"}))
	requests.WithLabelValues("query", "success", "A").Add(2)
	requests.WithLabelValues("query", "success", "B").Add(3)
	errors1 := telemetry.Register(mine, prometheus.NewCounterVec(prometheus.CounterOpts{Name: "engine_query_errors_total", Help: "Of a test."}, []string{"code"}))
	for i := range maxSamples + 5 {
		errors1.WithLabelValues(strconv.Itoa(i)).Add(float64(i + 1))
	}
	telemetry.Register(mine, prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_other_total", Help: "Of a test."}))
	others := prometheus.WrapRegistererWith(prometheus.Labels{"service": "gateway"}, registry)
	telemetry.Register(others, prometheus.NewGauge(prometheus.GaugeOpts{Name: "engine_http_connections", Help: "Of a test."})).Set(4)

	c := NewCollector(b, telemetry.Discard())
	stop, err := c.Start()
	require.NoError(t, err)
	defer stop()
	hang := make(chan struct{})
	defer close(hang)
	for name, check := range map[string]func() error{
		"query-executor": well, "gateway": func() error { return errors.New("no NATS") },
		"scheduler": func() error { <-hang; return nil },
	} {
		r := NewReporter(ReporterConfig{
			Source: &served{name: name, status: check}, Topics: b, Instance: "one", Version: "1.2.3", Metrics: registry, Logger: telemetry.Discard(),
		})
		require.NoError(t, r.Start(t.Context()))
		defer r.Stop()
	}
	var list []Instance
	require.Eventually(t, func() bool {
		list, err = c.Collect(t.Context())
		require.NoError(t, err)
		return len(list) == 3
	}, 30*time.Second, time.Millisecond)
	gateway, executor, scheduler := list[0], list[1], list[2]
	require.Equal(t, "query-executor", executor.Service)
	require.EqualValues(t, 7, executor.MetadataVersion)
	require.Equal(t, "1.2.3", executor.Version)
	require.True(t, executor.Healthy)
	require.Len(t, executor.Metrics, 1+maxSamples)
	require.Equal(t, Sample{
		Name: "engine_graphql_requests_total", Labels: map[string]string{"operation_type": "query", "response_status": "success"}, Value: 5,
	}, executor.Metrics[0])
	require.InDelta(t, maxSamples+5, executor.Metrics[1].Value, 0.1, "the largest")
	require.Equal(t, "no NATS", gateway.Error)
	require.Equal(t, []Sample{{Name: "engine_http_connections", Value: 4}}, gateway.Metrics)
	require.False(t, scheduler.Healthy)
	require.Equal(t, errSlow.Error(), scheduler.Error, "a check that hangs holds up nothing")
}

func TestTriggersAreToldApartByCallsAndTimes(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	mine := prometheus.WrapRegistererWith(prometheus.Labels{"service": "event-delivery"}, registry)
	names := []string{"trigger_name", "source_name"}
	calls := telemetry.Register(mine, prometheus.NewCounterVec(prometheus.CounterOpts{Name: "engine_event_invocations_total"}, append([]string{"status"}, names...)))
	histogram := func(name string) *prometheus.HistogramVec {
		return telemetry.Register(mine, prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Buckets: []float64{0.1, 1}}, names))
	}
	delivery, webhook := histogram("engine_event_processing_time_seconds"), histogram("engine_event_webhook_processing_time_seconds")
	for i := range maxTriggers {
		calls.WithLabelValues("success", fmt.Sprint("rare ", i), "default").Add(1)
	}
	calls.WithLabelValues("success", "stock", "default").Add(2)
	calls.WithLabelValues("failed", "stock", "default").Add(3)
	cleanUps := telemetry.Register(mine, prometheus.NewCounterVec(prometheus.CounterOpts{Name: "engine_event_cleanups_total"}, []string{"status", "trigger_name", "source_name"}))
	cleanUps.WithLabelValues("completed", "stock", "default").Add(6)
	cleanUps.WithLabelValues("failed", "stock", "default").Add(1)
	removed := telemetry.Register(mine, prometheus.NewCounterVec(prometheus.CounterOpts{Name: "engine_event_cleanup_removed_total"}, []string{"removed", "trigger_name", "source_name"}))
	removed.WithLabelValues("events", "stock", "default").Add(70)
	removed.WithLabelValues("invocations", "stock", "default").Add(80)
	for _, took := range []float64{0.05, 0.1, 0.5, 5} {
		delivery.WithLabelValues("stock", "default").Observe(took)
	}
	webhook.WithLabelValues("stock", "other").Observe(0.5)
	cron := func(name string) *prometheus.HistogramVec {
		return telemetry.Register(mine, prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Buckets: []float64{0.1, 1}}, names[:1]))
	}
	delivered, called := cron("engine_cron_event_processing_time_seconds"), cron("engine_cron_event_webhook_processing_time_seconds")
	for range 3 {
		called.WithLabelValues("nightly").Observe(0.05)
	}
	delivered.WithLabelValues("nightly").Observe(0.5)
	telemetry.Register(mine, prometheus.NewHistogram(prometheus.HistogramOpts{Name: "engine_oneoff_event_webhook_processing_time_seconds", Buckets: []float64{1}})).Observe(2)
	gathered, err := registry.Gather()
	require.NoError(t, err)
	require.Empty(t, triggers(gathered, "gateway"))
	list := triggers(gathered, "event-delivery")
	require.Len(t, list, maxTriggers+2, "so many of a kind")
	none := Times{Bounds: []float64{}, Buckets: []uint64{0}}
	require.Equal(t, TriggerCalls{
		Kind: "event", Source: "default", Name: "stock", Calls: 5, Failed: 3,
		Delivery: Times{Count: 4, Seconds: 5.65, Bounds: []float64{0.1, 1}, Buckets: []uint64{2, 1, 1}}, Queue: none, Webhook: none,
		CleanUps: &CleanUps{Count: 7, Failed: 1, Events: 70, Invocations: 80},
	}, list[0], "the trigger of that name in another source is another one")
	require.Equal(t, TriggerCalls{
		Kind: "cron", Name: "nightly", Calls: 3, Failed: 2, Queue: none,
		Delivery: Times{Count: 1, Seconds: 0.5, Bounds: []float64{0.1, 1}, Buckets: []uint64{0, 1, 0}},
		Webhook:  Times{Count: 3, Seconds: list[1].Webhook.Seconds, Bounds: []float64{0.1, 1}, Buckets: []uint64{3, 0, 0}},
	}, list[1])
	once := slices.IndexFunc(list, func(t TriggerCalls) bool { return t.Kind == "one_off" })
	require.Equal(t, TriggerCalls{
		Kind: "one_off", Calls: 1, Failed: 1, Delivery: none, Queue: none, Webhook: Times{Count: 1, Seconds: 2, Bounds: []float64{1}, Buckets: []uint64{0, 1}},
	}, list[once])
}

func TestReporterKeepsThePromises(t *testing.T) {
	t.Parallel()
	s := bustest.Server(t)
	lifecycletest.Stress(t, func(t *testing.T) lifecycle.Service {
		t.Helper()
		return NewReporter(ReporterConfig{Source: &served{name: "gateway", status: well}, Topics: bustest.Connect(t, s), Logger: telemetry.Discard()})
	})
}

func TestOperationsAreBounded(t *testing.T) {
	t.Parallel()
	o := NewOperations()
	for range 3 {
		o.Count("user", "Often", "query", 2*time.Millisecond, false)
	}
	o.Count("user", "Often", "query", time.Minute, true)
	for i := range 5000 {
		o.Count("user", fmt.Sprint("made up ", i), "query", time.Second, false)
	}
	top := o.Top()
	require.Len(t, top, maxOperations)
	require.Equal(t, Operation{
		Kind: "query", Count: 4500 + 1, Seconds: 4501, Buckets: top[0].Buckets,
	}, top[0], "those that are counted together")
	require.Equal(t, "Often", top[1].Name)
	require.EqualValues(t, 4, top[1].Count)
	require.EqualValues(t, 1, top[1].Errors)
	require.InDelta(t, 60.006, top[1].Seconds, 1e-9)
	require.Equal(t, []uint64{0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, top[1].Buckets)
}
