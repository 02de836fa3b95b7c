package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/status"
)

// statusAnswer is the answer of get_status.
type statusAnswer struct{ status.Answer }

func (p *process) services() statusAnswer {
	p.t.Helper()
	var a statusAnswer
	require.NoError(p.t, json.Unmarshal(p.metadata("get_status", map[string]any{}).body, &a))
	return a
}

// of are the instances of a service.
func (a statusAnswer) of(service string) (list []status.Instance) {
	for _, i := range a.Instances {
		if i.Service == service {
			list = append(list, i)
		}
	}
	return list
}

// names are the services, as often as they have instances.
func (a statusAnswer) names() (list []string) {
	for _, i := range a.Instances {
		list = append(list, i.Service)
	}
	return list
}

// sum is the value of the samples of a metric with that label, over all instances.
func (a statusAnswer) sum(metric, label, value string) (sum float64) {
	for _, i := range a.Instances {
		for _, s := range i.Metrics {
			if s.Name == metric && s.Labels[label] == value {
				sum += s.Value
			}
		}
	}
	return sum
}

// subscriptions are how many subscribers, cohorts and statements of a kind there are.
func (a statusAnswer) subscriptions(kind string) (list []float64) {
	for _, metric := range []string{"engine_active_subscriptions", "engine_active_subscription_cohorts", "engine_active_subscription_pollers"} {
		list = append(list, a.sum(metric, "subscription_kind", kind))
	}
	return list
}

// TestStatusOfSplitServices holds get_status to list every instance of services that run apart, each a user of
// NATS with no more rights than it needs: what they ran, the metadata that they have applied, without one that has
// stopped, and without waiting long for one that doesn't answer.
func TestStatusOfSplitServices(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	execute(t, g.databaseURL, `CREATE TABLE item (id int PRIMARY KEY)`)
	g.startAs(metadata)
	first, second := g.startAs(executor), g.startAs(executor)
	g.startAs(eventDelivery)
	g.startAs(scheduler)
	p := g.startAs(gateway)
	p.metadata("pg_track_table", map[string]any{"table": "item"})
	p.metadata("pg_create_select_permission", map[string]any{
		"table": "item", "role": "user", "permission": map[string]any{"columns": "*", "filter": map[string]any{}},
	})
	const requests = 20
	for range requests {
		require.Contains(t, p.query(as("user"), `query Items { item { id } }`).text(), `[]`)
	}
	require.Contains(t, p.query(as("user"), `query Wrong { nothing }`).text(), `errors`)

	subscriber := p.subscriber(asAdmin)
	subscriber.await(subscriber.subscribe(`subscription { item { id } }`, nil), `{"item":[]}`)

	var a statusAnswer
	eventually(t, startLimit, func() bool { // executors apply a version when they hear of it
		a = p.services()
		for _, i := range a.Instances {
			if i.MetadataVersion != a.MetadataVersion || !i.Healthy {
				return false
			}
		}
		return len(a.Instances) == 6
	}, func() string { b, _ := json.Marshal(a); return string(b) })
	require.Equal(t, []string{eventDelivery, gateway, metadata, executor, executor, scheduler}, a.names())
	for _, i := range a.Instances {
		require.True(t, i.Healthy, i.Error)
		require.True(t, i.Responding)
		require.NotEmpty(t, i.Version)
		require.Positive(t, i.Uptime)
	}
	require.Len(t, a.Sources, 1)
	require.Equal(t, "default", a.Sources[0].Name)
	require.InDelta(t, requests+1, a.sum("engine_graphql_requests_total", "operation_type", "query"), 0.5)
	require.Equal(t, []float64{1, 1, 1}, a.subscriptions("live-query"))
	require.Positive(t, a.sum("engine_postgres_connections", "source_name", "default"))
	var count, failed uint64
	for _, i := range a.of(executor) {
		for _, o := range i.Operations {
			require.Len(t, o.Buckets, len(a.OperationBounds)+1)
			if o.Role == "user" && o.Name == "Items" {
				count += o.Count
			}
			failed += o.Errors
		}
	}
	require.EqualValues(t, requests, count)
	require.EqualValues(t, 1, failed)

	refused := p.post("/v1/metadata", as("user"), map[string]any{"type": "get_status", "args": map[string]any{}})
	require.Equal(t, http.StatusBadRequest, refused.status)
	require.Contains(t, refused.text(), "access-denied")

	// Two subscribers of the same rows are a cohort, another operand makes another one, and a stream moves on from one to the next.
	require.Contains(t, p.query(asAdmin, `mutation { insert_item_one(object: {id: 11}) { id } }`).text(), `{"id":11}`)
	const watched = `subscription ($id: Int) { item(where: {id: {_eq: $id}}) { id } }`
	ids := []string{}
	for _, id := range []int{11, 11, 12} {
		ids = append(ids, subscriber.subscribe(watched, map[string]any{"id": id}))
	}
	subscriber.await(ids[1], `{"item":[{"id":11}]}`)
	subscriber.await(ids[2], `{"item":[]}`)
	stream := subscriber.subscribe(`subscription { item_stream(batch_size: 1, cursor: {initial_value: {id: 0}}) { id } }`, nil)
	subscriber.await(stream, `{"item_stream":[{"id":11}]}`)
	require.Contains(t, p.query(asAdmin, `mutation { insert_item_one(object: {id: 15}) { id } }`).text(), `{"id":15}`)
	subscriber.await(stream, `{"item_stream":[{"id":15}]}`)
	awaitSubscriptions := func(kind string, want ...float64) {
		var found []float64
		eventually(t, startLimit, func() bool { found = p.services().subscriptions(kind); return slices.Equal(found, want) },
			func() string { return fmt.Sprintf("%s: %v instead of %v", kind, found, want) })
	}
	awaitSubscriptions("live-query", 4, 3, 2)
	awaitSubscriptions("streaming", 1, 1, 1)
	for _, id := range append(ids, stream) {
		subscriber.send(map[string]any{"type": "complete", "id": id})
	}
	awaitSubscriptions("live-query", 1, 1, 1)
	awaitSubscriptions("streaming", 0, 0, 0)

	// An event whose webhook doesn't answer is in flight, one that failed waits for its retry.
	asked, answer := make(chan struct{}), make(chan struct{})
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-answer
	}))
	t.Cleanup(hook.Close)
	t.Cleanup(func() { close(answer) })
	p.metadata("pg_create_event_trigger", map[string]any{
		"name": "slow", "table": "item", "webhook": hook.URL, "insert": map[string]any{"columns": "*"},
	})
	require.Empty(t, p.services().Backlogs)
	require.Contains(t, p.query(asAdmin, `mutation { insert_item_one(object: {id: 1}) { id } }`).text(), `{"id":1}`)
	<-asked
	backlogs := p.services().Backlogs
	require.Len(t, backlogs, 1)
	require.WithinDuration(t, time.Now(), backlogs[0].Oldest, time.Hour)
	backlogs[0].Oldest = time.Time{}
	require.Equal(t, status.Backlog{Kind: "event", Source: "default", Trigger: "slow", InFlight: 1}, backlogs[0])
	require.Empty(t, p.services().of(eventDelivery)[0].Triggers, "no call has ended")
	answer <- struct{}{}
	var triggers []status.TriggerCalls
	eventually(t, startLimit, func() bool {
		triggers = p.services().of(eventDelivery)[0].Triggers
		return len(triggers) > 0 && triggers[0].Webhook.Count > 0
	}, func() string { return "the call isn't counted" })
	require.Len(t, triggers, 1)
	require.Equal(t, []any{"default", "slow", uint64(1), uint64(0)}, []any{triggers[0].Source, triggers[0].Name, triggers[0].Calls, triggers[0].Failed})
	for name, times := range map[string]status.Times{"delivery": triggers[0].Delivery, "queue": triggers[0].Queue, "webhook": triggers[0].Webhook} {
		require.EqualValues(t, 1, times.Count, name)
		require.Positive(t, times.Seconds, name)
		require.Len(t, times.Buckets, len(times.Bounds)+1, name)
	}

	second.stop()
	require.Len(t, p.services().of(executor), 1, "one that has stopped is gone")
	third := g.startAs(executor)
	require.Len(t, p.services().of(executor), 2)
	first.signal(syscall.SIGSTOP)
	defer first.signal(syscall.SIGCONT)
	eventually(t, startLimit, func() bool { // a process goes on for a moment after it was stopped
		a = p.services()
		return slices.ContainsFunc(a.of(executor), func(i status.Instance) bool { return !i.Responding })
	}, func() string { return "both executors respond" })
	executors := a.of(executor)
	require.Len(t, executors, 2)
	silent := slices.IndexFunc(executors, func(i status.Instance) bool { return !i.Responding })
	require.NotZero(t, executors[silent].MetadataVersion, "what it told last")
	require.True(t, executors[1-silent].Responding)
	require.True(t, a.of(gateway)[0].Responding)
	require.True(t, a.of(scheduler)[0].Responding)
	first.signal(syscall.SIGCONT)
	for _, process := range []*process{first, third, p, g.processes[metadata], g.processes[eventDelivery], g.processes[scheduler]} {
		require.NotContains(t, strings.ToLower(process.log.String()), "permissions violation", process.name)
	}
}

// TestStatusOfOneProcess holds get_status to tell the services of one process apart.
func TestStatusOfOneProcess(t *testing.T) {
	t.Parallel()
	p := launchServe(t, dbtest.URL(t), "ENGINE_GRAPHQL_ADMIN_SECRET="+secret)
	p.awaitReady()
	var a statusAnswer
	eventually(t, startLimit, func() bool { // a check that takes long on a busy machine is a failed one
		a = p.services()
		return !slices.ContainsFunc(a.Instances, func(i status.Instance) bool { return !i.Healthy })
	}, func() string { b, _ := json.Marshal(a); return string(b) })
	require.Equal(t, []string{eventDelivery, gateway, metadata, executor, scheduler}, a.names())
	for _, i := range a.Instances {
		require.Equal(t, a.Instances[0].Instance, i.Instance, "of the process")
	}
}
