package live

import (
	"context"
	"log/slog"
	"time"

	"queryengine/pkg/apierror"
)

// report is the measurements of a cycle.
type report struct {
	started         time.Time
	snapshot, total time.Duration
	cohorts         int
	batches         []*batch
}

// batchReport is a batch as it is logged, times in seconds.
type batchReport struct {
	ID       int     `json:"batch_id"`
	Database float64 `json:"db_execution_time"`
	Push     float64 `json:"push_time"`
	Postgres float64 `json:"pg_execution_time"`
	Size     int     `json:"batch_response_size_bytes"`
}

// errorReport is the failure of a batch as it is logged.
type errorReport struct {
	ID     int `json:"batch_id"`
	Detail struct {
		Error string `json:"error"`
		Path  string `json:"path"`
		Code  string `json:"code"`
	} `json:"detail"`
}

// report counts and logs a cycle.
func (p *poller) report(r *report) {
	failed := false
	for _, b := range r.batches {
		failed = failed || b.err != nil || len(b.faults) > 0
	}
	metrics := p.manager.deps.Metrics
	metrics.cycle(p.kind, p.operation, r.total)
	p.mu.Lock()
	if failing := failed || p.aparts > 0; p.subscribers > 0 && failing != p.failing {
		p.failing = failing
		if failing {
			metrics.failing(p.kind, 1)
		} else {
			metrics.failing(p.kind, -1)
		}
	}
	p.mu.Unlock()
	level := slog.LevelInfo
	if failed {
		level = slog.LevelError
	}
	log := p.manager.deps.Log
	if !log.Enabled(context.Background(), level) {
		return
	}
	var batches []batchReport
	var errs []errorReport
	for _, b := range r.batches {
		seconds := b.database.Seconds()
		batches = append(batches, batchReport{b.number, seconds, b.push.Seconds(), seconds, b.size})
		faults := b.faults
		if b.err != nil {
			faults = append(faults, b.err)
		}
		for _, err := range faults {
			e, known := errorReport{ID: b.number}, apierror.From(err)
			e.Detail.Error, e.Detail.Path, e.Detail.Code = known.Message, known.Path, string(known.Code)
			errs = append(errs, e)
		}
	}
	options := slog.GroupValue(slog.Int("batch_size", p.options.Batch), slog.Float64("refetch_delay", p.options.Interval.Seconds()))
	attrs := []slog.Attr{
		slog.String("poller_id", p.id()), slog.Bool("multiplexed", true), slog.String("kind", string(p.kind)), slog.Float64("snapshot_time", r.snapshot.Seconds()),
		slog.Any("batches", batches), slog.Any("execution_batches", batches),
		slog.Int("subscriber_count", r.cohorts), slog.Float64("total_time", r.total.Seconds()),
		slog.String("source", p.live.Source), slog.String("generated_sql", p.live.Statement.SQL()), slog.String("role", p.role),
		slog.Int("cohort_size", r.cohorts),
		{Key: "subscription_options", Value: options},
		{Key: "live_query_options", Value: options},
	}
	if errs != nil {
		attrs = append(attrs, slog.Any("errors", errs))
	}
	log.LogAttrs(context.Background(), level, "", attrs...)
}
