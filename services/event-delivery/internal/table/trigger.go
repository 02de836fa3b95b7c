package table

import (
	"encoding/json"
	"time"

	"queryengine/pkg/metadata"
	"queryengine/pkg/transform"
	"queryengine/services/event-delivery/internal/delivery"
)

// trigger is an event trigger, ready to be used.
type trigger struct {
	*metadata.EventTrigger
	raw    string
	target *delivery.Target
	pace   *pace
}

// compile resolves the variables and the transforms of a trigger.
func compile(raw json.RawMessage, env metadata.Env, most int) (*trigger, error) {
	m, err := metadata.ParseEventTrigger(raw)
	if err != nil {
		return nil, err
	}
	t := &trigger{EventTrigger: m, raw: string(raw), pace: newPace(most), target: &delivery.Target{
		Timeout:  time.Duration(m.Retry.Timeout) * time.Second,
		Retries:  m.Retry.Retries,
		Interval: time.Duration(m.Retry.Interval) * time.Second,
	}}
	if m.Webhook != nil {
		t.target.Template = *m.Webhook
	}
	if t.target.URL, err = m.Address(env); err != nil {
		return nil, err
	}
	if t.target.Request, err = transform.CompileRequest(m.RequestTransform); err != nil {
		return nil, err
	}
	if t.target.Response, err = transform.CompileResponse(m.ResponseTransform); err != nil {
		return nil, err
	}
	for i := range m.Headers {
		h := &m.Headers[i]
		value, err := h.Resolve(env)
		if err != nil {
			return nil, err
		}
		t.target.Headers = append(t.target.Headers, delivery.NewHeader(*h, value))
	}
	return t, nil
}

// triggersOf are the triggers of a source by their names. Unchanged ones are kept, with the known state
// of their webhooks; those that lack their variables can't be used.
func triggersOf(m *metadata.Source, before map[string]*trigger, env metadata.Env, most int) map[string]*trigger {
	after := map[string]*trigger{}
	for _, t := range m.Tables {
		for _, raw := range t.EventTriggers {
			name := metadata.Key(raw, "name")
			if old := before[name]; old != nil && old.raw == string(raw) {
				after[name] = old
			} else if compiled, err := compile(raw, env, most); err == nil {
				after[name] = compiled
			}
		}
	}
	return after
}
