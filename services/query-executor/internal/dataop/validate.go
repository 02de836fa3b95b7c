package dataop

import (
	"bytes"
	"encoding/json"
	"slices"

	"queryengine/pkg/config"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plan/validate"
)

// ask notes the input of a webhook, in the form that GraphQL mutations have it in.
func (p *planner) ask(webhook *metadata.ValidateInputWebhook, show func() []any) {
	if webhook != nil && !p.goesWithout(config.GuardValidateInput) {
		p.inputs = append(p.inputs, validate.Input{Webhook: webhook, Data: show()})
	}
}

// shownRows are rows as they were given; with a list of columns, what an upsert may set of them.
func (p *planner) shownRows(t *resolve.Table, objects [][]byte, set []string) []any {
	rows := make([]any, len(objects))
	for i, raw := range objects {
		row := map[string]any{}
		_ = jsonwalk.Fields(raw, func(key, value []byte) error { // it was read before
			if set == nil || slices.Contains(set, string(key)) {
				row[string(key)] = p.given(t, string(key), value)
			}
			return nil
		})
		if rows[i] = row; set != nil {
			rows[i] = insert.UpsertShown(row)
		}
	}
	return rows
}

// shown are the arguments of an update under their names in GraphQL.
func (p *planner) shown(t *resolve.Table, a *updateArgs) map[string]any {
	names := map[string]string{"$set": "_set", "values": "_set", "$inc": "_inc", "$mul": "_mul"}
	arguments := map[string]any{"where": decode(a.where)}
	for _, given := range a.set {
		name := names[given.operator]
		columns, known := arguments[name].(map[string]any)
		if !known {
			columns = map[string]any{}
			arguments[name] = columns
		}
		for _, m := range given.columns {
			columns[m.key] = p.given(t, m.key, m.value)
		}
	}
	if len(a.defaults) > 0 {
		arguments["_default"] = a.defaults
	}
	return arguments
}

// decode keeps numbers as they are spelt. The text was found to be JSON before.
func decode(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return nil
	}
	return v
}
