// Package validator asks the webhooks of permissions (validate_input) whether the rows that a mutation
// wants to write are valid.
//
// It takes what the plan gathered for a table and makes one call of it. An answer of 2xx lets the
// mutation continue, one of 400 refuses it in the webhook's own words; everything else is a fault
// unrelated to the input.
package validator

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/plan/validate"
)

// Validator calls the webhooks. It is safe for concurrent use.
type Validator struct {
	client *egress.Client
	env    metadata.Env
	logger *slog.Logger
}

// New returns a validator; env is where the definitions of webhooks name variables of.
func New(client *egress.Client, env metadata.Env, logger *slog.Logger) *Validator {
	return &Validator{client: client, env: env, logger: logger}
}

// For is the validator for one request, which came with these headers.
func (v *Validator) For(clientHeaders map[string]string) *Asker {
	return &Asker{Validator: v, clientHeaders: clientHeaders}
}

// Asker asks for one request.
type Asker struct {
	*Validator
	clientHeaders map[string]string
}

// payload is the body of a call.
type payload struct {
	Version          int               `json:"version"`
	Role             string            `json:"role"`
	SessionVariables map[string]string `json:"session_variables"`
	Data             payloadData       `json:"data"`
}

type payloadData struct {
	Input []any `json:"input"`
}

// Validate asks the webhook of an input. Its errors are *apierror.Error.
func (a *Asker) Validate(ctx context.Context, s *session.Session, in validate.Input) error {
	url, configured, err := in.Webhook.Resolve(a.env)
	if err != nil {
		return err
	}
	body, err := metadata.Encode(payload{Version: 1, Role: s.Role, SessionVariables: s.Variables, Data: payloadData{in.Data}})
	if err != nil {
		return err
	}
	var forwarded http.Header
	if in.Webhook.ForwardClientHeaders {
		forwarded = egress.Forwarded(a.clientHeaders)
	}
	started := time.Now()
	response, err := a.client.Do(ctx, &egress.Request{
		Method: http.MethodPost, URL: url, Header: a.client.Headers(configured, forwarded), Body: body, Timeout: in.Webhook.Patience(),
	})
	a.log(ctx, in.Webhook, response, err, time.Since(started))
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the caller's patience, not the webhook's
	case err != nil:
		return unexpected("http exception when validating input data", err.Error())
	}
	return verdict(response)
}

func verdict(r *egress.Response) error {
	switch {
	case r.Status >= 200 && r.Status < 300:
		return nil
	case r.Status != http.StatusBadRequest:
		return unexpected("internal error when validating input data", fmt.Sprintf("expecting 2xx or 400 status code, but found %d", r.Status))
	}
	var refusal struct {
		Message *string       `json:"message"`
		Code    apierror.Code `json:"code"`
	}
	if err := json.Unmarshal(r.Body, &refusal); err != nil || refusal.Message == nil {
		return unexpected("received invalid response from input validation webhook", `expecting an object with the key "message"`)
	}
	e := apierror.New(apierror.ValidationFailed, *refusal.Message)
	if refusal.Code != "" {
		e.Code = refusal.Code
	}
	return e
}

func unexpected(message, detail string) error {
	return apierror.New(apierror.Unexpected, message).WithInternal(detail)
}

// log writes a line about a call, with the address as the metadata has it.
func (a *Asker) log(ctx context.Context, w *metadata.ValidateInputWebhook, r *egress.Response, err error, took time.Duration) {
	attributes := []slog.Attr{slog.String("url", w.URL), slog.Duration("time", took)}
	if err != nil {
		attributes = append(attributes, slog.String("error", err.Error()))
	} else {
		attributes = append(attributes, slog.Int("status", r.Status))
	}
	a.logger.LogAttrs(ctx, slog.LevelInfo, "", attributes...)
}
