package api

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strings"

	"github.com/prometheus/common/expfmt"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
)

const textType = "text/plain; charset=utf-8"

// health reports whether the engine can do its work. With ?strict=true, inconsistent metadata counts as
// a fault.
func health(x *exchange) error {
	if err := x.api.Health(x.ctx); err != nil {
		x.send(textType, http.StatusInternalServerError, []byte("ERROR: "+err.Error()))
		return nil //nolint:nilerr // the fault is the answer
	}
	current := x.api.Metadata.Current()
	if current == nil || len(current.Inconsistent) == 0 {
		x.send(textType, http.StatusOK, []byte("OK"))
		return nil
	}
	if strict, _ := config.Bool(x.r.URL.Query().Get("strict")); strict {
		x.send(textType, http.StatusInternalServerError, []byte("ERROR: inconsistent objects in schema"))
	} else {
		x.send(textType, http.StatusOK, []byte("WARN: inconsistent objects in schema"))
	}
	return nil
}

// ready reports whether this gateway can pass requests on, for load balancers. The metadata service and
// its database don't count, because queries don't need them. A gateway that has just started isn't
// ready until it has metadata.
func ready(x *exchange) error {
	err := x.api.Ready()
	if err == nil && x.api.Metadata.Current() == nil {
		err = errors.New("no metadata has arrived yet")
	}
	if err != nil {
		x.send(textType, http.StatusServiceUnavailable, []byte("ERROR: "+err.Error()))
		return nil //nolint:nilerr // the fault is the answer
	}
	x.send(textType, http.StatusOK, []byte("OK"))
	return nil
}

func showVersion(x *exchange) error {
	x.send(jsonType, http.StatusOK, x.api.versionAnswer)
	return nil
}

func showConfig(x *exchange) error {
	if err := x.authenticateAdmin(); err != nil {
		return err
	}
	x.send(jsonType, http.StatusOK, x.api.configAnswer)
	return nil
}

// showMetrics answers callers with the metrics secret, or an admin secret.
func showMetrics(x *exchange) error {
	if !x.mayReadMetrics() {
		return apierror.New(apierror.AccessDenied, "the metrics secret is required")
	}
	families, err := x.api.Registry.Gather()
	if err != nil {
		return err
	}
	var text strings.Builder
	encoder := expfmt.NewEncoder(&text, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, f := range families {
		if err := encoder.Encode(f); err != nil {
			return err
		}
	}
	x.send(string(expfmt.NewFormat(expfmt.TypeTextPlain)), http.StatusOK, []byte(text.String()))
	return nil
}

// showCounters answers with the counters and gauges of the process that have no labels of
// their own.
func showCounters(x *exchange) error {
	if err := x.authenticateAdmin(); err != nil {
		return err
	}
	families, err := x.api.Registry.Gather()
	if err != nil {
		return err
	}
	counters := make(map[string]float64, len(families))
	for _, f := range families {
		if len(f.GetMetric()) != 1 {
			continue
		}
		switch m := f.GetMetric()[0]; {
		case m.GetCounter() != nil:
			counters[f.GetName()] = m.GetCounter().GetValue()
		case m.GetGauge() != nil && !math.IsNaN(m.GetGauge().GetValue()) && !math.IsInf(m.GetGauge().GetValue(), 0):
			counters[f.GetName()] = m.GetGauge().GetValue()
		}
	}
	body, err := json.Marshal(counters)
	if err != nil {
		return err
	}
	x.send(jsonType, http.StatusOK, body)
	return nil
}

// showPlanCache answers null: plans are kept by the executors.
func showPlanCache(x *exchange) error {
	if err := x.authenticateAdmin(); err != nil {
		return err
	}
	x.send(jsonType, http.StatusOK, []byte("null"))
	return nil
}

func (x *exchange) mayReadMetrics() bool {
	if token, ok := strings.CutPrefix(x.r.Header.Get("Authorization"), "Bearer "); ok {
		return x.api.MetricsSecret.Is(token)
	}
	return x.authenticate(nil) == nil && !x.api.Authenticator.Open() && x.session.IsAdmin()
}
