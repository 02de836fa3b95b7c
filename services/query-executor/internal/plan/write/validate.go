package write

import (
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/validate"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// validation is what a root field without rows of its own shows to the webhook of its table.
type validation struct {
	webhook   *metadata.ValidateInputWebhook
	arguments []parse.Argument
	// show makes the data of the arguments.
	show func(arguments map[string]any) []any
}

// validate notes that a webhook has to be asked about the arguments of a root field.
func (w *Write) validate(webhook *metadata.ValidateInputWebhook, s *walk.Selected, show func(map[string]any) []any) {
	if webhook != nil {
		w.validation = &validation{webhook: webhook, arguments: s.Arguments, show: show}
	}
}

// The ways of showing arguments: all of them in one element, those of update_many as the list
// that they hold, those of a deletion by its key below the name that updates have for it.
func showArguments(arguments map[string]any) []any { return []any{arguments} }

func showKey(arguments map[string]any) []any {
	return []any{map[string]any{string(schema.ArgKey): arguments}}
}

func showUpdates(arguments map[string]any) []any {
	for _, updates := range arguments { // its only argument
		return validate.ListOf(updates)
	}
	return nil
}

// Validated reports whether a webhook has to be asked before the field is run.
func (w *Write) Validated() bool {
	if w.Insert == nil {
		return w.validation != nil
	}
	for _, n := range w.Insert.Nodes {
		if n.Validator != nil || n.UpdateValidator != nil {
			return true
		}
	}
	return false
}

// Inputs are what webhooks are asked about, for these values of the variables, in the order
// in which they are asked. They are made after the values were found to be good.
func (w *Write) Inputs(values [][]byte) []validate.Input {
	if w.Insert != nil {
		return w.Insert.Shown(values)
	}
	if w.validation == nil || !w.writes() {
		return nil
	}
	d := validate.Decoder{Values: values, DropUnset: w.dropUnset}
	arguments := make(map[string]any, len(w.validation.arguments))
	for i := range w.validation.arguments {
		a := &w.validation.arguments[i]
		if !d.Unset(&a.Value) {
			arguments[a.Name] = d.Decode(&a.Value)
		}
	}
	return []validate.Input{{Webhook: w.validation.webhook, Data: w.validation.show(arguments)}}
}

// writes reports whether some step is a statement.
func (w *Write) writes() bool {
	for i := range w.Steps {
		if w.Steps[i].Mutation != nil {
			return true
		}
	}
	return false
}
