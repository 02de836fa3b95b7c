// Package hook asks an authentication webhook to identify a caller.
//
// The webhook sees the headers of the client (and, in POST mode, the GraphQL request) and
// answers with the role and the session variables, or with 401.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	"queryengine/pkg/extension"
	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
)

// maxAnswer bounds the answer of a webhook, in bytes.
const maxAnswer = 1 << 20

// Config configures the webhook.
type Config struct {
	URL string
	// Post sends the headers of the client in a JSON body, not as headers.
	Post bool
	// SendRequestBody adds the GraphQL request to the body.
	SendRequestBody bool
	UserAgent       string
	// Propagator writes the trace of a call into its headers.
	Propagator propagation.TextMapPropagator
}

// Hook is safe for concurrent use.
type Hook struct {
	config Config
	client *http.Client
	logger *slog.Logger
}

// Identity is the caller as the webhook identified it.
type Identity struct {
	Session *session.Session
	// Expires is when the answer ends, zero for never. It ends WebSocket connections.
	Expires time.Time
	// Cookies are the Set-Cookie headers for the client.
	Cookies []string
}

// New checks the configuration and does no I/O.
func New(c Config, client *http.Client, logger *slog.Logger) (*Hook, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != extension.Scheme {
		return nil, errors.New("the authentication hook is not an http or https URL")
	}
	if c.Propagator == nil {
		c.Propagator = telemetry.Propagator()
	}
	own := *client
	own.CheckRedirect = checkRedirect
	return &Hook{config: c, client: &own, logger: logger}, nil
}

// maxRedirects is what net/http follows by itself.
const maxRedirects = 10

// checkRedirect keeps what the client sent from other hosts than the webhook's. In POST mode it
// is in the body, so such a redirect is not followed with it.
func checkRedirect(next *http.Request, before []*http.Request) error {
	if len(before) >= maxRedirects {
		return errors.New("too many redirects")
	}
	if egress.KeepSecrets(next, before[0].URL) && next.ContentLength != 0 {
		return errors.New("a redirect leads to another host")
	}
	return nil
}

// WantsBody reports whether the webhook gets the GraphQL request.
func (h *Hook) WantsBody() bool { return h.config.Post && h.config.SendRequestBody }

// Authenticate asks about a request with these headers. body is the GraphQL request as
// JSON, nil for a request that is not one.
func (h *Hook) Authenticate(ctx context.Context, header http.Header, body json.RawMessage) (*Identity, error) {
	request, err := h.request(ctx, header, body)
	if err != nil {
		return nil, err
	}
	h.config.Propagator.Inject(ctx, propagation.HeaderCarrier(request.Header))
	response, err := h.client.Do(request)
	if err != nil {
		h.log(ctx, slog.LevelError, request, nil, err, "the call failed")
		return nil, apierror.New(apierror.Unexpected, "webhook authentication request failed")
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusOK:
		h.log(ctx, slog.LevelInfo, request, response, nil, "")
	case http.StatusUnauthorized:
		h.log(ctx, slog.LevelInfo, request, response, nil, "")
		return nil, apierror.New(apierror.AccessDenied, "Authentication hook unauthorized this request")
	default:
		h.log(ctx, slog.LevelError, request, response, nil, "the status is none of 200 and 401")
		return nil, apierror.New(apierror.Unexpected, "Invalid response from authorization hook")
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, apierror.New(apierror.Unexpected, "webhook authentication request failed")
	}
	identity, err := h.identity(answer)
	if err == nil {
		identity.Cookies = response.Header.Values("Set-Cookie")
	}
	return identity, err
}

func (h *Hook) request(ctx context.Context, header http.Header, body json.RawMessage) (*http.Request, error) {
	if session.Vendor() != "" {
		header = maps.Clone(header)
		session.VendorHeaders(header)
	}
	method, content := http.MethodGet, io.Reader(nil)
	if h.config.Post {
		method = http.MethodPost
		encoded, err := h.body(header, body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, h.config.URL, content)
	if err != nil {
		return nil, err
	}
	if !h.config.Post {
		for name, values := range header {
			if egress.PassesOn(name, header.Get("Connection")) {
				request.Header[name] = values
			}
		}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", h.config.UserAgent)
	return request, nil
}

func (h *Hook) body(header http.Header, body json.RawMessage) ([]byte, error) {
	flat := make(map[string]string, len(header))
	for name, values := range header {
		flat[name] = strings.Join(values, ", ")
	}
	payload := map[string]any{"headers": flat}
	if h.config.SendRequestBody {
		payload["request"] = nil
		if body != nil {
			payload["request"] = body
		}
	}
	return json.Marshal(payload)
}

// identity reads the answer: an object of texts, of which the x-engine-* ones count.
func (h *Hook) identity(answer []byte) (*Identity, error) {
	var object map[string]string
	if err := json.Unmarshal(answer, &object); err != nil {
		return nil, apierror.Newf(apierror.Unexpected, "Invalid response from authorization hook: %s", err)
	}
	if object == nil {
		return nil, apierror.New(apierror.Unexpected, "Invalid response from authorization hook: expected Object, but encountered Null")
	}
	variables := session.Own(object)
	role := variables[session.RoleHeader]
	if role == "" {
		return nil, apierror.New(apierror.InvalidParams, "x-engine-role not found in session variables")
	}
	delete(variables, session.SecretHeader)
	delete(variables, session.AccessKeyHeader)
	return &Identity{Session: session.New(role, variables), Expires: h.expiry(object, time.Now())}, nil
}

// expiry reads the end of the answer from its keys Cache-Control and Expires. What can't
// be read is logged, and counts as never.
func (h *Hook) expiry(object map[string]string, now time.Time) time.Time {
	if control, ok := object["Cache-Control"]; ok {
		for directive := range strings.SplitSeq(strings.ToLower(control), ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
			if name != "max-age" && name != "s-maxage" {
				continue
			}
			if seconds, err := strconv.Atoi(value); err == nil {
				return now.Add(time.Duration(seconds) * time.Second)
			}
		}
		h.logger.Warn("cannot read Cache-Control of the answer", "value", control)
		return time.Time{}
	}
	if text, ok := object["Expires"]; ok {
		expires, err := http.ParseTime(text)
		if err != nil {
			h.logger.Warn("cannot read Expires of the answer", "value", text)
		}
		return expires
	}
	return time.Time{}
}
