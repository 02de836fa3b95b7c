package metadata

import (
	"encoding/json"
	"net/http"
	"time"

	"queryengine/pkg/apierror"
)

// ValidateInput is a webhook that is called before rows are written.
type ValidateInput struct {
	Type       string               `json:"type" meta:"required"`
	Definition ValidateInputWebhook `json:"definition" meta:"required"`
}

func (v *ValidateInput) check() error {
	if v.Type != "http" {
		return apierror.At(apierror.New(apierror.ParseFailed, "expecting only 'http' for 'type' but got "+v.Type), "type")
	}
	return nil
}

// ValidateInputWebhook is how the webhook is called.
type ValidateInputWebhook struct {
	// URL is a template of variables.
	URL     string   `json:"url" meta:"required,nonempty"`
	Headers []Header `json:"headers"`
	// Timeout is in seconds, none or 0 for 10.
	Timeout              *int `json:"timeout"`
	ForwardClientHeaders bool `json:"forward_client_headers"`
}

func (w *ValidateInputWebhook) check() error {
	if w.Timeout != nil && *w.Timeout < 0 {
		return apierror.At(apierror.New(apierror.ParseFailed, "timeout value cannot be negative"), "timeout")
	}
	return nil
}

// Resolve is the address and the headers with the variables that they name.
func (w *ValidateInputWebhook) Resolve(env Env) (string, http.Header, error) {
	url, err := Expand(w.URL, env)
	if err != nil {
		return "", nil, err
	}
	headers := make(http.Header, len(w.Headers))
	for i := range w.Headers {
		value, err := w.Headers[i].Resolve(env)
		if err != nil {
			return "", nil, err
		}
		headers.Add(w.Headers[i].Name, value)
	}
	return url, headers, nil
}

// Patience is how long the webhook may take.
func (w *ValidateInputWebhook) Patience() time.Duration {
	if w.Timeout == nil || *w.Timeout == 0 {
		return 10 * time.Second
	}
	return time.Duration(*w.Timeout) * time.Second
}

// ParseValidateInput reads the webhook of a permission; nil for none.
func ParseValidateInput(raw json.RawMessage) (*ValidateInputWebhook, error) {
	if len(raw) == 0 || isNull(raw) {
		return nil, nil //nolint:nilnil // none given
	}
	var v ValidateInput
	if err := decode(raw, &v); err != nil {
		return nil, err
	}
	return &v.Definition, nil
}
