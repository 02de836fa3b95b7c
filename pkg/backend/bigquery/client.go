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
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"golang.org/x/sync/singleflight"
)

// scope is the OAuth scope of the credentials.
const scope = "https://www.googleapis.com/auth/bigquery"

// maxResponse is the greatest size of one response. A page has about 10 MB.
const maxResponse = 256 << 20

// client sends requests of the REST API. It is safe for concurrent use.
type client struct {
	options Options
	http    *http.Client

	// token is the one in use. Requests that find no valid one wait for one request for another.
	token  atomic.Pointer[oauth2.Token]
	asking singleflight.Group
	// tokens is nil until it is needed; it belongs to the one who asks.
	tokens oauth2.TokenSource
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

// passing reports whether the same request may succeed later. Emulators have jobInternalError for any statement that
// they can't run.
func (e *apiError) passing(emulator bool) bool {
	switch e.reason() {
	case "jobInternalError", "jobBackendError":
		return !emulator
	case "backendError", "rateLimitExceeded", "jobRateLimitExceeded":
		return true
	case "quotaExceeded", "internalError":
		return false
	}
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusBadGateway ||
		e.Status == http.StatusServiceUnavailable || e.Status == http.StatusGatewayTimeout
}

// tokenTime is how long a request for a token may take.
const tokenTime = 30 * time.Second

// authorization is the header of the credentials, empty for none. A request that ends doesn't wait for a token.
func (c *client) authorization(ctx context.Context) (string, error) {
	if c.options.Anonymous {
		return "", nil
	}
	t := c.token.Load()
	if !t.Valid() {
		// Others wait for the same token: it outlives the request that asks first.
		got := c.asking.DoChan("", func() (any, error) { return c.newToken(context.WithoutCancel(ctx)) })
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case r := <-got:
			if r.Err != nil {
				return "", r.Err
			}
			t = c.token.Load()
		}
	}
	return t.Type() + " " + t.AccessToken, nil
}

// newToken asks for a token; one call at a time.
func (c *client) newToken(ctx context.Context) (*oauth2.Token, error) {
	if c.tokens == nil {
		timed := *c.http
		timed.Timeout = tokenTime
		ctx = context.WithValue(ctx, oauth2.HTTPClient, &timed)
		if c.options.ServiceAccount != nil {
			account, err := google.JWTConfigFromJSON(c.options.ServiceAccount, scope)
			if err != nil {
				return nil, fmt.Errorf("the key of the service account: %w", err)
			}
			c.tokens = account.TokenSource(ctx)
		} else {
			credentials, err := google.FindDefaultCredentials(ctx, scope)
			if err != nil {
				return nil, err
			}
			c.tokens = credentials.TokenSource
		}
	}
	t, err := c.tokens.Token()
	if err == nil {
		c.token.Store(t)
	}
	return t, err
}

// call sends a request without a body, again where that can help, and gives the body of the response. Path begins below the project.
func (c *client) call(ctx context.Context, method, path string, query url.Values) (received []byte, err error) {
	err = c.stream(ctx, method, path, query, nil, func(r io.Reader) error {
		received, err = io.ReadAll(r)
		return err
	})
	return received, err
}

// stream is call for a body that is read as it arrives. What read finds wrong ends the request: it isn't sent again.
func (c *client) stream(ctx context.Context, method, path string, query url.Values, body any, read func(io.Reader) error) error {
	address := c.options.Endpoint + "/bigquery/v2/projects/" + url.PathEscape(c.options.Project) + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return err
		}
	}
	delay := c.options.RetryDelay
	for attempt := 0; ; attempt++ {
		err := c.once(ctx, method, address, sent, read)
		var failed *apiError
		if err == nil || attempt >= c.options.Retries || !errors.As(err, &failed) || !failed.passing(c.options.Anonymous) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(delay):
		}
		delay = min(2*delay, time.Minute)
	}
}

// once sends a request once.
func (c *client) once(ctx context.Context, method, address string, body []byte, read func(io.Reader) error) error {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	header, err := c.authorization(ctx)
	if err != nil {
		return err
	}
	if header != "" {
		r.Header.Set("Authorization", header)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	limited := &io.LimitedReader{R: response.Body, N: maxResponse + 1}
	if response.StatusCode < http.StatusBadRequest {
		if err = read(limited); limited.N <= 0 {
			return fmt.Errorf("the response has more than %d bytes", maxResponse)
		}
		return err
	}
	received, err := io.ReadAll(limited)
	if err != nil {
		return err
	}
	var failed struct {
		Error *apiError `json:"error"`
	}
	if json.Unmarshal(received, &failed) != nil || failed.Error == nil {
		failed.Error = &apiError{Message: "the response has no JSON"}
	}
	failed.Error.Status = response.StatusCode
	return failed.Error
}
