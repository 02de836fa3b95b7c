package delivery

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"queryengine/pkg/egress"
	"queryengine/pkg/transform"
)

// shownHeader is a header in a record: with its value, or with the variable that holds it.
type shownHeader struct {
	Name    string `json:"name"`
	Value   string `json:"value,omitempty"`
	FromEnv string `json:"value_from_env,omitempty"`
}

// requestRecord is the request as invocations show it.
func requestRecord(a *Attempt, call transform.Call) json.RawMessage {
	shown := make([]shownHeader, len(call.Headers))
	for i, h := range call.Headers {
		shown[i] = shownHeader{Name: h.Name, Value: h.Value}
		j := slices.IndexFunc(a.Target.Headers, func(c Header) bool {
			return (c.FromEnv != "" || c.Template != "") && strings.EqualFold(c.Name, h.Name) && c.Value == h.Value
		})
		if j >= 0 {
			shown[i] = shownHeader{Name: h.Name, FromEnv: a.Target.Headers[j].FromEnv, Value: a.Target.Headers[j].Template}
		}
	}
	payload := json.RawMessage("null")
	if json.Valid(call.Body) {
		payload = call.Body
	}
	return encode(struct {
		Payload json.RawMessage `json:"payload"`
		Headers []shownHeader   `json:"headers"`
		Version string          `json:"version"`
	}{payload, shown, a.Version})
}

type responseRecord struct {
	Type    string `json:"type"`
	Data    any    `json:"data"`
	Version string `json:"version"`
}

func deliveredRecord(version string, answer *egress.Response, body []byte) json.RawMessage {
	list := []shownHeader{}
	for name, values := range answer.Header {
		for _, value := range values {
			list = append(list, shownHeader{Name: name, Value: value})
		}
	}
	slices.SortFunc(list, func(a, b shownHeader) int { return strings.Compare(a.Name, b.Name) })
	return encode(responseRecord{"webhook_response", struct {
		Body    any           `json:"body"`
		Headers []shownHeader `json:"headers"`
		Status  int           `json:"status"`
	}{shownText(string(body)), list, answer.Status}, version})
}

func failedRecord(version, message string) json.RawMessage {
	return encode(responseRecord{"client_error", map[string]any{"message": shownText(message)}, version})
}

// shownText is a string, or the bytes of what is not UTF-8. PostgreSQL accepts no zero bytes in JSON.
func shownText(text string) any {
	if utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		return text
	}
	return []string{"Base64", base64.StdEncoding.EncodeToString([]byte(text))}
}

// transportError is the text of a call without an answer. Where the address comes from
// variables, nothing of it is shown.
func transportError(err error, call transform.Call, t *Target) string {
	kind := "http_exception"
	var fault *egress.Error
	if errors.As(err, &fault) {
		kind = fault.Type()
	}
	request := map[string]any{"method": call.Method}
	if u, parseError := url.Parse(call.URL); parseError == nil && t.Template == t.URL && t.Request == nil {
		request["host"], request["port"], request["secure"] = u.Hostname(), u.Port(), u.Scheme == "https"
		request["path"], request["queryString"] = u.Path, u.RawQuery
	}
	return string(encode(map[string]any{"type": kind, "message": err.Error(), "request": request}))
}
