package api

import (
	"net/http"
	"strings"

	"github.com/prometheus/common/expfmt"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
)

const textType = "text/plain; charset=utf-8"

// health says in words whether the engine can do its work. With ?strict=true, inconsistent
// metadata counts as a fault.
func health(x *exchange) error {
	if err := x.api.Health(x.ctx); err != nil {
		x.send(textType, http.StatusInternalServerError, []byte("ERROR: "+err.Error()))
		return nil
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

// showMetrics answers those who know the metrics secret, or an admin secret.
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

func (x *exchange) mayReadMetrics() bool {
	if token, ok := strings.CutPrefix(x.r.Header.Get("Authorization"), "Bearer "); ok {
		return x.api.MetricsSecret.Is(token)
	}
	return x.authenticate(nil) == nil && !x.api.Authenticator.Open() && x.session.IsAdmin()
}
