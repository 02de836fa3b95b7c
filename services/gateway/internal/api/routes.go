package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/websocket"
)

// handler answers a request, or returns why it can't.
type handler func(x *exchange) error

// route is one line of the table of routes.
type route struct {
	method  string
	path    string
	group   Group
	errors  errorShape
	handler handler
}

// relayPaths are where Relay is served: the second is the path of older clients.
var relayPaths = [...]string{"/v1/relay", "/v1beta1/relay"}

func (a *API) routes() []route {
	graphql := graphqlHandler(false)
	routes := []route{
		{http.MethodPost, "/v1/graphql", GroupGraphQL, graphqlErrors200, graphql},
		{http.MethodPost, "/v1alpha1/graphql", GroupGraphQL, graphqlErrors, graphql},
		{http.MethodPost, "/v1/graphql/explain", GroupMetadata, apiErrors, explain},
		{http.MethodPost, "/v1alpha1/graphql/explain", GroupMetadata, apiErrors, explain},
		{http.MethodPost, "/v1/metadata", GroupMetadata, apiErrors, metadataV1},
		{http.MethodGet, "/v1/metadata/changes", GroupMetadata, apiErrors, followMetadata},
		{http.MethodPost, "/v1/query", GroupMetadata, apiErrors, queryV1},
		{http.MethodPost, "/v2/query", GroupMetadata, apiErrors, queryV2},
		{http.MethodPost, "/pro/cache/clear", GroupMetadata, apiErrors, clearCache},
		{http.MethodPost, "/v1alpha1/pg_dump", GroupPGDump, apiErrors, dumpSource},
		{http.MethodGet, "/api/swagger/json", GroupAlways, apiErrors, showOpenAPI},
		{http.MethodGet, "/v1alpha1/config", GroupConfig, apiErrors, showConfig},
		{http.MethodGet, "/v1/metrics", GroupMetrics, apiErrors, showMetrics},
		{http.MethodGet, "/dev/ekg", GroupDev, apiErrors, showCounters},
		{http.MethodGet, "/dev/plan_cache", GroupDev, apiErrors, showPlanCache},
		{http.MethodGet, "/dev/subscriptions", GroupDev, apiErrors, showSubscriptions(false)},
		{http.MethodGet, "/dev/subscriptions/extended", GroupDev, apiErrors, showSubscriptions(true)},
		{http.MethodGet, "/v1/version", GroupAlways, apiErrors, showVersion},
		{http.MethodGet, "/healthz", GroupAlways, apiErrors, health},
		{http.MethodGet, "/healthz/sources", GroupAlways, apiErrors, showSourceHealth},
		{http.MethodGet, "/engine/healthz", GroupAlways, apiErrors, health},
		{http.MethodGet, "/readyz", GroupAlways, apiErrors, ready},
	}
	for _, path := range relayPaths {
		relay := route{http.MethodPost, path, GroupGraphQL, graphqlErrors200, graphqlHandler(true)}
		if !a.Relay {
			relay.errors, relay.handler = apiErrors, relayOff
		}
		routes = append(routes, relay)
	}
	if a.MCP.Enabled {
		routes = append(routes,
			route{http.MethodPost, mcpPath, GroupAlways, apiErrors, callMCP},
			route{http.MethodGet, mcpPath, GroupAlways, apiErrors, refuseMethod},
			route{http.MethodDelete, mcpPath, GroupAlways, apiErrors, endSession},
			route{http.MethodPost, mcpTryPath, GroupAlways, apiErrors, tryMCP},
			route{http.MethodGet, resourcePath, GroupAlways, apiErrors, showResource},
			route{http.MethodGet, resourcePath + mcpPath, GroupAlways, apiErrors, showResource})
	}
	if a.Console {
		routes = append(routes,
			route{http.MethodGet, "/", GroupAlways, apiErrors, toConsole},
			route{http.MethodGet, consolePath, GroupAlways, apiErrors, showConsole},
			route{http.MethodGet, consolePath + "/*", GroupAlways, apiErrors, showConsole})
	}
	return routes
}

// Handler serves all routes. Any other path or method, and those of groups that are
// switched off, do not exist.
func (a *API) Handler() http.Handler {
	e := echo.New()
	missing := a.serve(apiErrors, notFound)
	e.Pre(ownNames, a.dropForeignCookies)
	if a.Authenticator.Open() {
		e.Pre(a.admitNoForeignPages)
	}
	if a.TLS.ClientCA != "" {
		e.Pre(a.requireCertificate)
	}
	for _, r := range a.routes() {
		if r.group == GroupAlways || a.Enabled[r.group] {
			e.Add(r.method, r.path, a.serve(r.errors, r.handler))
			// Else echo answers the preflight requests of browsers itself.
			e.Add(http.MethodOptions, r.path, missing)
			// Load balancers and watchers of web sites ask for the head alone, many by default.
			if r.group == GroupAlways && r.method == http.MethodGet {
				e.Add(http.MethodHead, r.path, a.serve(r.errors, r.handler))
			}
		}
	}
	// The methods of an endpoint are its own: every method comes here.
	e.RouteNotFound(restPrefix+"*", a.serve(apiErrors, callEndpoint))
	a.addWebSockets(e)
	e.HTTPErrorHandler = func(err error, c echo.Context) {
		if a.Enabled[GroupGraphQL] && websocket.IsUpgrade(c.Request()) {
			a.refuseUnknown(c.Response().Writer, c.Request())
			return
		}
		if err := missing(c); err != nil {
			a.Log.ErrorContext(c.Request().Context(), "cannot answer a request for an unknown path", "error", err)
		}
	}
	return e
}

// dropForeignCookies removes the cookies from requests of pages that are not trusted with them, so that
// they are no credentials on any route and are never forwarded.
func (a *API) dropForeignCookies(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		// For WebSockets, a setting of their own decides this where CORS is off.
		if len(r.Header["Cookie"]) > 0 && !a.CORS.Trusts(r) && (!a.CORS.Off() || !websocket.IsUpgrade(r)) {
			r.Header.Del("Cookie")
			c.SetRequest(r.WithContext(context.WithValue(r.Context(), cookiesDropped{}, true)))
		}
		return next(c)
	}
}

// admitNoForeignPages refuses what the pages of others make a browser send: without a secret, everything that gets here is admin's. Files of the
// console and what anybody may know are served, and browsers may ask what they may send.
func (a *API) admitNoForeignPages(next echo.HandlerFunc) echo.HandlerFunc {
	refuse := func(shape errorShape, reason error) echo.HandlerFunc {
		return a.serve(shape, func(*exchange) error {
			return apierror.New(apierror.AccessDenied, reason.Error()).WithStatus(http.StatusForbidden)
		})
	}
	return func(c echo.Context) error {
		r := c.Request()
		path := r.URL.Path
		if r.Method == http.MethodOptions || slices.Contains(Probes, path) || path == "/" || path == "/v1/version" || path == consolePath ||
			strings.HasPrefix(path, consolePath+"/") {
			return next(c)
		}
		reason := a.CORS.Admit(r)
		switch {
		case reason == nil:
			return next(c)
		case websocket.IsUpgrade(r):
			a.refuseSocket(c.Response().Writer, r, apierror.New(apierror.AccessDenied, reason.Error()).WithStatus(http.StatusForbidden))
			return nil
		case strings.HasSuffix(path, "/graphql"), strings.HasSuffix(path, "/relay"):
			return refuse(graphqlErrors, reason)(c)
		}
		return refuse(apiErrors, reason)(c)
	}
}

// Probes are the paths of health checks.
var Probes = []string{"/healthz", "/engine/healthz", "/readyz"}

// requireCertificate refuses clients without a certificate, except for health checks, which have none.
func (a *API) requireCertificate(next echo.HandlerFunc) echo.HandlerFunc {
	refuse := a.serve(apiErrors, func(*exchange) error {
		return apierror.New(apierror.AccessDenied, "a client certificate is required").WithStatus(http.StatusForbidden)
	})
	return func(c echo.Context) error {
		r := c.Request()
		if slices.Contains(Probes, r.URL.Path) || r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
			return next(c)
		}
		return refuse(c)
	}
}

func notFound(*exchange) error {
	return apierror.New(apierror.NotFound, "resource does not exist").WithStatus(http.StatusNotFound)
}

func relayOff(*exchange) error {
	return apierror.New(apierror.NotSupported,
		"The Relay API is disabled. To enable it, set the ENGINE_GRAPHQL_ENABLE_RELAY environment variable to 'true'.")
}

// serve has h answer requests.
func (a *API) serve(shape errorShape, h handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		x, ok := a.exchanges.Get().(*exchange)
		if !ok {
			return errors.New("the pool holds something else")
		}
		x.begin(c.Response().Writer, c.Request(), shape)
		x.run(h)
		aborted := x.aborted
		x.end()
		if aborted {
			// The only way to break a transfer off, so that the client sees that it is
			// not whole.
			panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's own signal, which it recovers from
		}
		return nil
	}
}

// errorShape is how an endpoint answers errors.
type errorShape int

const (
	// apiErrors are {"error","path","code"} with their status.
	apiErrors errorShape = iota
	// graphqlErrors are {"errors":[...]} with their status.
	graphqlErrors
	// graphqlErrors200 are {"errors":[...]} with status 200.
	graphqlErrors200
	// graphqlErrorsStrict are {"errors":[...]} with status 200 for faults of operations, and their own
	// status for what is not a GraphQL request.
	graphqlErrorsStrict
)

// status is the HTTP status of an error. Errors of requests that did not get through keep their status
// everywhere: proxies and clients act on it.
func (a *API) status(shape errorShape, e *apierror.Error) int {
	switch {
	case shape == graphqlErrorsStrict && requestFault(e),
		shape != graphqlErrors200 && shape != graphqlErrorsStrict,
		e.Status == http.StatusServiceUnavailable,
		e.Status == http.StatusRequestEntityTooLarge,
		e.Status == http.StatusRequestTimeout,
		e.Status == http.StatusUnsupportedMediaType,
		e.Status == http.StatusUnauthorized && a.Preserve401:
		return e.Status
	}
	return http.StatusOK
}

func setRetryAfter(h http.Header, e *apierror.Error) {
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
}

// ownNames gives the headers of all requests, those of WebSockets too, our names, before anything
// reads them or keeps them for handlers.
func ownNames(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		session.OwnHeaders(c.Request().Header)
		return next(c)
	}
}
