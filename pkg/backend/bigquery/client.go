package bigquery

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// scope is what the credentials are asked for.
const scope = "https://www.googleapis.com/auth/bigquery"

// maxResponse is the greatest size of one response. A page has about 10 MB.
const maxResponse = 256 << 20

// client sends requests of the REST API. It is safe for concurrent use.
type client struct {
	options Options
	http    *http.Client

	mu     sync.Mutex
	tokens oauth2.TokenSource // nil until it is needed
}

// apiError is the error of a response.
type apiError struct {
	Status  int    `json:"code"`
	Message string `json:"message"`
	Errors  []struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"errors"`
}

func (e *apiError) Error() string {
	return fmt.Sprintf("%s (%s, status %d)", e.Message, e.reason(), e.Status)
}

// reason is the word that BigQuery has for the error.
func (e *apiError) reason() string {
	if len(e.Errors) > 0 {
		return e.Errors[0].Reason
	}
	return ""
}

// passing reports whether the same request may succeed later.
func (e *apiError) passing() bool {
	switch e.reason() {
	case "backendError", "rateLimitExceeded", "jobRateLimitExceeded", "jobBackendError", "jobInternalError":
		return true
	case "quotaExceeded", "internalError":
		return false
	}
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusBadGateway ||
		e.Status == http.StatusServiceUnavailable || e.Status == http.StatusGatewayTimeout
}

// token is the header of the credentials, empty for none.
func (c *client) token(ctx context.Context) (string, error) {
	if c.options.Anonymous {
		return "", nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tokens == nil {
		// The source of tokens lives longer than the request.
		own := context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, c.http)
		if c.options.ServiceAccount != nil {
			account, err := google.JWTConfigFromJSON(c.options.ServiceAccount, scope)
			if err != nil {
				return "", fmt.Errorf("the key of the service account: %w", err)
			}
			c.tokens = account.TokenSource(own)
		} else {
			credentials, err := google.FindDefaultCredentials(own, scope)
			if err != nil {
				return "", err
			}
			c.tokens = credentials.TokenSource
		}
	}
	t, err := c.tokens.Token()
	if err != nil {
		return "", err
	}
	return t.Type() + " " + t.AccessToken, nil
}

// call sends a request, again where that can help, and gives the body of the response. Path begins below the project.
func (c *client) call(ctx context.Context, method, path string, query url.Values, body any) ([]byte, error) {
	address := c.options.Endpoint + "/bigquery/v2/projects/" + url.PathEscape(c.options.Project) + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	delay := c.options.RetryDelay
	for attempt := 0; ; attempt++ {
		received, err := c.once(ctx, method, address, sent)
		var failed *apiError
		if err == nil || attempt >= c.options.Retries || !errors.As(err, &failed) || !failed.passing() {
			return received, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(delay):
		}
		delay = min(2*delay, time.Minute)
	}
}

// once sends a request once.
func (c *client) once(ctx context.Context, method, address string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	token, err := c.token(ctx)
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	received, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	switch {
	case err != nil:
		return nil, err
	case len(received) > maxResponse:
		return nil, fmt.Errorf("the response has more than %d bytes", maxResponse)
	case response.StatusCode < http.StatusBadRequest:
		return received, nil
	}
	var failed struct {
		Error *apiError `json:"error"`
	}
	if json.Unmarshal(received, &failed) != nil || failed.Error == nil {
		failed.Error = &apiError{Message: "the response has no JSON"}
	}
	failed.Error.Status = response.StatusCode
	return nil, failed.Error
}
