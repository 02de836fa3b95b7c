package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/logtype"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/live"
	"queryengine/services/gateway/internal/request"
	"queryengine/services/gateway/internal/websocket"
)

// maxOperations is how many operations of one WebSocket run at once.
const maxOperations = 100

// newWebSockets returns the server of the GraphQL endpoints' WebSockets.
func (a *API) newWebSockets() *websocket.Server {
	c := a.WebSocket
	c.MaxMessage = int64(a.MaxRequestSize)
	c.MaxOperations = maxOperations
	return websocket.NewServer(c, websocket.Deps{
		Authenticate: func(ctx context.Context, h http.Header) (*auth.Identity, error) {
			return a.Authenticator.Authenticate(ctx, h, nil)
		},
		Find:      a.findDocument,
		Execute:   a.executeOverWebSocket,
		Subscribe: a.subscribeOverWebSocket,
		Metrics:   a.WebSocketMetrics,
		Logger:    telemetry.Of(a.Log, logtype.WebSocketServer),
		Logging:   a.logs.sockets,
	})
}

func (a *API) executeOverWebSocket(ctx context.Context, o websocket.Operation, sink bus.Sink) error {
	if a.RequestTimeout > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = a.deadlines.WithTimeout(ctx, a.RequestTimeout)
		defer cancel(nil)
	}
	ctx, span := a.traceOperation(ctx, &o)
	err := a.limited(ctx, o.Session, o.Address, o.Request.OperationName, o.RequestID, func(ctx context.Context) error {
		asked, err := a.socketRequest(&o, a.clientHeaders(o.Header, ""))
		if err != nil {
			return err
		}
		if err = a.Bus.Call(ctx, executeEndpoint(o.Request), asked, newExecuteHead, span.sink(sink)); err == nil {
			a.documents.Keep(o.Session, &o.Request)
		}
		return err
	})
	span.end(err)
	return err
}

// socketRequest is what an executor is requested an operation over a WebSocket.
func (a *API) socketRequest(o *websocket.Operation, clientHeaders map[string]string) (*queryv1.ExecuteRequest, error) {
	r, err := a.executeRequest(o.Session, o.Request, o.Relay, o.RequestID, clientHeaders)
	if err == nil {
		r.Describe = r.GetDescribe() || a.WebSocketMetrics.Detailed()
	}
	return r, err
}

func (a *API) subscribeOverWebSocket(ctx context.Context, o websocket.Operation, r live.Receiver) (websocket.Subscription, error) {
	ctx, span := a.traceOperation(ctx, &o)
	err := a.limitsOf(o.Session).Rate(o.Address)
	var asked *queryv1.ExecuteRequest
	if err == nil {
		asked, err = a.socketRequest(&o, nil)
	}
	if err == nil {
		var s *subscription
		if s, err = a.subscribe(ctx, o.Session, o.Address, asked, func() map[string]string {
			return a.clientHeaders(o.Header, "")
		}, r); err == nil {
			span.describe(s.Description())
			span.end(nil)
			a.documents.Keep(o.Session, &o.Request)
			return s, nil
		}
	}
	err = a.refused(ctx, o.Session, o.Request.OperationName, o.RequestID, err)
	span.end(err)
	return nil, err
}

// addWebSockets adds what GET requests to the GraphQL endpoints get: a WebSocket if they
// ask for one.
func (a *API) addWebSockets(e *echo.Echo) {
	if !a.Enabled[GroupGraphQL] {
		return
	}
	missing := a.serve(apiErrors, notFound)
	add := func(path string, endpoint websocket.Endpoint, otherwise echo.HandlerFunc) {
		events := a.serve(graphqlErrors, eventsByQuery(endpoint.Relay))
		e.GET(path, func(c echo.Context) error {
			if !websocket.IsUpgrade(c.Request()) {
				r := request.OfQuery(c.QueryParams())
				if a.stored(&r); wantsEvents(c.Request().Header, r) {
					return events(c)
				}
				return otherwise(c)
			}
			own := endpoint
			own.Address = accesslog.ClientIP(c.Request())
			a.upgrade(c.Response().Writer, c.Request(), own)
			return nil
		})
	}
	shape := graphqlErrors
	if a.StrictOverHTTP {
		shape = graphqlErrors200
	}
	add("/v1/graphql", websocket.Endpoint{}, a.serve(shape, graphqlByGET))
	add("/v1alpha1/graphql", websocket.Endpoint{FlatErrors: true}, missing)
	if a.Relay {
		for _, path := range relayPaths {
			add(path, websocket.Endpoint{Relay: true}, missing)
		}
	}
}

func (a *API) upgrade(w http.ResponseWriter, r *http.Request, endpoint websocket.Endpoint) {
	if origin := r.Header.Get("Origin"); origin != "" && !a.CORS.Off() && !a.CORS.Allows(origin) && !a.CORS.Trusts(r) {
		a.refuseSocket(w, r, apierror.New(apierror.AccessDenied, "received origin header does not match configured CORS domains").
			WithStatus(http.StatusBadRequest))
		return
	}
	if a.CORS.Off() && !a.WebSocketReadCookie {
		// Without CORS any page may open a WebSocket: its browser's cookies prove nothing.
		r = r.Clone(r.Context())
		r.Header.Del("Cookie")
	}
	a.sockets.Serve(w, r, endpoint)
}

// refuseUnknown refuses a WebSocket on a path that has none.
func (a *API) refuseUnknown(w http.ResponseWriter, r *http.Request) {
	a.refuseSocket(w, r, apierror.New(apierror.NotFound,
		"only '/v1/graphql', '/v1alpha1/graphql' and '/v1beta1/relay' are supported on websockets").WithStatus(http.StatusNotFound))
}

// refuseSocket refuses a WebSocket.
func (a *API) refuseSocket(w http.ResponseWriter, r *http.Request, refused *apierror.Error) {
	a.secure(w.Header(), r)
	a.logs.sockets.Reject(refused)
	refuseUpgrade(w, refused)
}

func refuseUpgrade(w http.ResponseWriter, e *apierror.Error) {
	body, _ := json.Marshal(map[string]any{ // strings always encode
		"message":    e.Message,
		"extensions": map[string]any{"path": e.Path, "code": e.Code},
	})
	w.Header()["Content-Type"] = jsonTypes
	w.WriteHeader(e.Status)
	_, _ = w.Write(body) // a client that is gone needs no answer
}

// RestartWebSockets ends the WebSockets that were opened before a time, with a reason.
func (a *API) RestartWebSockets(before time.Time, reason string) { a.sockets.Restart(before, reason) }

// StopWebSockets ends all WebSockets and streams of events, and returns when the WebSockets
// are gone.
func (a *API) StopWebSockets() {
	a.stopOnce.Do(func() { close(a.stopping) })
	a.sockets.Stop()
}
