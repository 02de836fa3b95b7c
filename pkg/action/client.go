package action

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/textproto"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/pkg/transform"
)

// Client calls handlers. It is safe for concurrent use.
type Client struct {
	egress  *egress.Client
	env     metadata.Env
	logger  *slog.Logger
	metrics *metrics

	bodiesHidden, redacted bool
}

// NewClient makes a client; env is where definitions name variables of. r takes the metrics, nil
// for none.
func NewClient(client *egress.Client, env metadata.Env, logger *slog.Logger, r prometheus.Registerer) *Client {
	return &Client{egress: client, env: env, logger: logger, metrics: newMetrics(r)}
}

// Caller calls for one request.
type Caller struct {
	*Client
	Session *session.Session
	// Headers are the client's.
	Headers map[string]string
	// Query is the text of the client's document, which an asynchronous call has none of any more.
	Query string
}

// Handler is an action ready to be called.
type Handler struct {
	action   *resolve.Action
	request  *transform.Request
	response *transform.Response
}

// Compile prepares an action.
func Compile(a *resolve.Action) (*Handler, error) {
	h := &Handler{action: a}
	var err error
	if h.request, err = transform.CompileRequest(a.Meta.Definition.RequestTransform); err != nil {
		return nil, err
	}
	h.response, err = transform.CompileResponse(a.Meta.Definition.ResponseTransform)
	return h, err
}

// payload is the body of a call.
type payload struct {
	Action struct {
		Name string `json:"name"`
	} `json:"action"`
	Input            json.RawMessage   `json:"input"`
	SessionVariables map[string]string `json:"session_variables"`
	RequestQuery     *string           `json:"request_query"`
}

// Result is a value that fits the output type.
type Result struct {
	Value []byte
	// Cookies are what the handler wants the client to keep.
	Cookies []string
}

// Call calls the handler of an action with an input, a JSON object. Its errors are
// *apierror.Error, or the context's error.
func (c *Caller) Call(ctx context.Context, h *Handler, input []byte) (Result, error) {
	d := &h.action.Meta.Definition
	p := payload{Input: input, SessionVariables: c.variables()}
	if c.Query != "" {
		p.RequestQuery = &c.Query
	}
	p.Action.Name = h.action.Meta.Name
	body, err := metadata.Encode(p)
	if err != nil {
		return Result{}, err
	}
	e := &exchange{handler: h, payload: body}
	original, err := c.call(d, body)
	if err != nil {
		return Result{}, err
	}
	call, err := h.request.Apply(original, p.SessionVariables)
	if err != nil {
		c.metrics.failures[failedRequestTransform].Inc()
		return Result{}, failed("Request Transformation Failed", err)
	}
	if h.request != nil {
		e.transformed = &call
	}
	timeout := metadata.DefaultActionTimeout
	if d.Timeout != nil {
		timeout = *d.Timeout
	}
	started := time.Now()
	c.metrics.sent.Add(float64(len(call.Body)))
	response, err := c.send(ctx, call, time.Duration(timeout)*time.Second)
	c.log(ctx, e, call, response, err, time.Since(started))
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err() // the caller's patience, not the handler's
	case err != nil:
		c.metrics.failures[failedCall].Inc()
		return Result{}, e.unreachable(err)
	}
	c.metrics.got.Add(float64(len(response.Body)))
	e.response = response
	transformed, err := h.response.Apply(transform.Answer{
		Status: response.Status, Body: response.Body, Request: seenBy(h, original), Session: p.SessionVariables,
	})
	if err != nil {
		c.metrics.failures[failedResponseTransform].Inc()
		return Result{}, failed("Response Transformation Failed", err)
	}
	value, err := e.interpret(transformed)
	if err != nil {
		c.metrics.failures[failedAnswer].Inc()
	}
	return Result{Value: value, Cookies: response.Header["Set-Cookie"]}, err
}

// send makes a call; a timeout of nothing is over before it begins.
func (c *Caller) send(ctx context.Context, call transform.Call, timeout time.Duration) (*egress.Response, error) {
	header := make(http.Header, len(call.Headers))
	for _, h := range call.Headers {
		header.Add(h.Name, h.Value)
	}
	return c.egress.Do(ctx, &egress.Request{
		Method: call.Method, URL: call.URL, Header: header, Body: call.Body, Timeout: max(timeout, time.Nanosecond),
	})
}

// seenBy is the request that templates for the response may look at.
func seenBy(h *Handler, original transform.Call) *transform.Call {
	if h.request == nil {
		return nil
	}
	return &original
}

func (c *Caller) variables() map[string]string {
	return c.Session.Given()
}

// call is the request before its transform.
func (c *Caller) call(d *metadata.ActionDefinition, body []byte) (transform.Call, error) {
	address, err := metadata.Expand(d.Handler, c.env)
	if err != nil {
		return transform.Call{}, err
	}
	configured := make(http.Header, len(d.Headers))
	for i := range d.Headers {
		value, err := d.Headers[i].Resolve(c.env)
		if err != nil {
			return transform.Call{}, err
		}
		configured.Add(d.Headers[i].Name, value)
	}
	var forwarded http.Header
	if d.ForwardClientHeaders {
		forwarded = c.forwarded(d.IgnoredClientHeaders)
	}
	call := transform.Call{Method: http.MethodPost, URL: address, Body: body}
	for name, values := range c.egress.Headers(configured, forwarded) {
		for _, value := range values {
			call.Headers = append(call.Headers, transform.Header{Name: name, Value: value})
		}
	}
	return call, nil
}

// forwarded are the client's headers except ignored ones.
func (c *Caller) forwarded(ignored []string) http.Header {
	unwanted := make(map[string]bool, len(ignored))
	for _, name := range ignored {
		unwanted[textproto.CanonicalMIMEHeaderKey(name)] = true
	}
	return egress.ForwardedBut(c.Headers, unwanted)
}
