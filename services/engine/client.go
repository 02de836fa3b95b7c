package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/extension"
	"queryengine/pkg/session"
)

// Client runs operations with the rights of one role, without HTTP and authentication. It is safe for concurrent use.
type Client struct {
	code    *extension.Set
	session Session
}

// ClientOf returns a client with the role and the session variables of the caller, from the context that the code was
// given.
func ClientOf(ctx context.Context) *Client {
	return &Client{code: extension.Of(ctx), session: SessionOf(ctx)}
}

// As returns a client with another role and session variables (nil for none), by names with or without the prefix
// x-engine-.
func (c *Client) As(role string, variables map[string]string) *Client {
	own := map[string]string{}
	for name, value := range variables {
		if canonical, ok := session.Canonical(name); ok {
			own[canonical] = value
		} else {
			own[session.Prefix+strings.ToLower(name)] = value
		}
	}
	return &Client{code: c.code, session: Session{Role: role, Variables: own}}
}

// OperationError are the errors of an operation.
type OperationError []ErrorItem

// ErrorItem is one error of an operation, as GraphQL has it.
type ErrorItem struct {
	Message    string         `json:"message"`
	Path       []any          `json:"path,omitempty"`
	Extensions map[string]any `json:"extensions,omitempty"`
}

// Error is the messages of all errors.
func (e OperationError) Error() string {
	texts := make([]string, len(e))
	for i := range e {
		texts[i] = e[i].Message
	}
	return strings.Join(texts, "; ")
}

// errNoRole is for calls without a session.
var errNoRole = errors.New("the call has no role: choose one with As")

// Run runs an operation. variables is encoded as a JSON object, nil for none; data is decoded into into, nil to leave it
// out. Its error is an OperationError when the engine answered with errors.
func (c *Client) Run(ctx context.Context, query string, variables, into any) error {
	raw, err := json.Marshal(variables)
	if err != nil {
		return err
	}
	document, err := c.run(ctx, query, "", raw)
	if err != nil {
		return err
	}
	var got struct {
		Data   json.RawMessage `json:"data"`
		Errors OperationError  `json:"errors"`
	}
	if err := json.Unmarshal(document, &got); err != nil {
		return err
	}
	if len(got.Errors) > 0 {
		return got.Errors
	}
	if into == nil {
		return nil
	}
	return decode(got.Data, into)
}

// run returns the whole document, that of a failed request too.
func (c *Client) run(ctx context.Context, query, name string, variables json.RawMessage) ([]byte, error) {
	if c.session.Role == "" {
		return nil, errNoRole
	}
	own := make(map[string]string, len(c.session.Variables)+1)
	for k, v := range c.session.Variables {
		own[k] = v
	}
	if string(variables) == "null" {
		variables = nil
	}
	document, err := c.code.Run(ctx, &extension.Operation{
		Session: session.New(c.session.Role, own), Query: query, OperationName: name, Variables: variables,
	})
	var failed *apierror.Error
	if errors.As(err, &failed) {
		item := ErrorItem{Message: failed.Message, Extensions: map[string]any{"code": string(failed.Code), "path": failed.Path}}
		return json.Marshal(map[string]any{"errors": []ErrorItem{item}})
	}
	return document, err
}

// Do answers a GraphQL request over HTTP whatever its URL, so that generated clients such as genqlient's can use the
// client instead of an http.Client.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	var asked struct {
		Query         string          `json:"query"`
		OperationName string          `json:"operationName"`
		Variables     json.RawMessage `json:"variables"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	document, err := c.run(r.Context(), asked.Query, asked.OperationName, asked.Variables)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(document)),
		ContentLength: int64(len(document)), Request: r,
	}, nil
}
