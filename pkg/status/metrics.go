package status

import (
	"cmp"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// maxSamples bounds the samples of one family in a report.
const maxSamples = 50

// families are the metrics of a report with the labels that are kept of them; other labels, which name single
// operations for example, are added up.
var families = map[string][]string{
	"engine_graphql_requests_total":                     {"operation_type", "response_status"},
	"engine_graphql_execution_time_seconds":             {"operation_type"},
	"engine_query_errors_total":                         {"code"},
	"engine_plan_cache_hits_total":                      nil,
	"engine_plan_cache_misses_total":                    nil,
	"engine_cache_request_count":                        {"status"},
	"engine_active_subscriptions":                       {"subscription_kind"},
	"engine_active_subscription_cohorts":                {"subscription_kind"},
	"engine_active_subscription_pollers":                {"subscription_kind"},
	"engine_active_subscription_pollers_in_error_state": {"subscription_kind"},
	"engine_subscription_total_time_seconds":            {"subscription_kind"},
	"engine_change_log_readers":                         {"source_name"},
	"engine_change_log_lag_seconds":                     {"source_name"},
	"engine_http_connections":                           nil,
	"engine_http_requests_refused_total":                nil,
	"engine_websocket_connections":                      nil,
	"engine_websocket_results_skipped_total":            nil,
	"engine_action_failures_total":                      {"reason"},
	"engine_postgres_connections":                       {"source_name"},
	"engine_postgres_pool_wait_time":                    {"source_name"},
	"engine_postgres_statement_seconds":                 {"source_name"},
	"engine_postgres_scheduling":                        {"source_name", "decision"},
	"engine_postgres_connection_error_total":            {"source_name"},
	"engine_metadata_request_seconds":                   nil,
	"engine_metadata_errors_total":                      {"code"},
	"engine_metadata_inconsistent_objects":              nil,
	"engine_events_fetched_total":                       {"source_name"},
	"engine_events_log_lag_seconds":                     {"source_name"},
	"engine_event_invocations_total":                    {"status"},
	"engine_event_processed_total":                      {"status"},
	"engine_event_queue_time_seconds":                   nil,
	"engine_event_webhook_processing_time_seconds":      nil,
	"engine_event_trigger_http_workers":                 nil,
	"engine_cron_events_invocation_total":               {"status"},
	"engine_oneoff_events_invocation_total":             {"status"},
	"engine_bus_requests_in_progress":                   nil,
	"engine_bus_requests_refused_total":                 nil,
}

// serviceLabel names the service in the metrics of a process.
const serviceLabel = "service"

// samples are those of one service among the metrics of its process, by name, the largest first.
func samples(gathered []*dto.MetricFamily, service string) []Sample {
	list := []Sample{}
	for _, f := range gathered {
		if kept, wanted := families[f.GetName()]; wanted {
			list = append(list, added(f, kept, service)...)
		}
	}
	return list
}

// added are the samples of a family, those with equal labels added up.
func added(f *dto.MetricFamily, kept []string, service string) []Sample {
	byLabels := map[string]*Sample{}
	for _, m := range f.GetMetric() {
		labels, key, own := map[string]string{}, "", false
		for _, l := range m.GetLabel() {
			own = own || l.GetName() == serviceLabel && l.GetValue() == service
			if slices.Contains(kept, l.GetName()) {
				labels[l.GetName()] = l.GetValue()
				key += l.GetName() + "\x00" + l.GetValue() + "\x00"
			}
		}
		if !own {
			continue
		}
		s := byLabels[key]
		if s == nil {
			s = &Sample{Name: f.GetName(), Labels: labels}
			byLabels[key] = s
		}
		h := m.GetHistogram()
		s.Value += m.GetCounter().GetValue() + m.GetGauge().GetValue() + h.GetSampleSum()
		s.Count += h.GetSampleCount()
	}
	keys := make([]string, 0, len(byLabels))
	for key := range byLabels {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		x, y := byLabels[a], byLabels[b]
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(y.Value, x.Value), strings.Compare(a, b))
	})
	list := make([]Sample, 0, min(len(keys), maxSamples))
	for _, key := range keys[:min(len(keys), maxSamples)] {
		list = append(list, *byLabels[key])
	}
	return list
}
