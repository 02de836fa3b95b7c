package write

import (
	"slices"

	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plan/validate"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// validation is what a root field without rows of its own shows to the webhook of its table.
type validation struct {
	webhook   *metadata.ValidateInputWebhook
	arguments []parse.Argument
	// dropUnset is Options.DropUnset.
	dropUnset bool
	// show makes the data of the arguments.
	show func(arguments map[string]any) []any
}

// validation has a webhook asked about the arguments of a root field; nil without one.
func (p *Planner) validation(webhook *metadata.ValidateInputWebhook, s *walk.Selected, show func(map[string]any) []any) *validation {
	if webhook == nil {
		return nil
	}
	return &validation{webhook: webhook, arguments: s.Arguments, dropUnset: p.Options.DropUnset, show: show}
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

// Validated reports whether a webhook has to be called before the field is run.
func (w *Write) Validated() bool { return w.Work.validated() }

// Inputs are what webhooks check, for these values of the variables, in the order
// in which they are called. They are made after the values were found to be good.
func (w *Write) Inputs(values [][]byte) []validate.Input { return w.Work.inputs(values) }

func (i *Insert) validated() bool {
	return slices.ContainsFunc(i.Nodes, func(n *insert.Node) bool { return n.Validator != nil || n.UpdateValidator != nil })
}

func (i *Insert) inputs(values [][]byte) []validate.Input { return i.Shown(values) }

func (s *Steps) validated() bool { return s.validation != nil }

// inputs are none when no step is a statement.
func (s *Steps) inputs(values [][]byte) []validate.Input {
	v := s.validation
	if v == nil || !slices.ContainsFunc(s.List, func(s Step) bool { return s.Mutation != nil }) {
		return nil
	}
	d := validate.Decoder{Values: values, DropUnset: v.dropUnset}
	arguments := make(map[string]any, len(v.arguments))
	for i := range v.arguments {
		a := &v.arguments[i]
		if !d.Unset(&a.Value) {
			arguments[a.Name] = d.Decode(&a.Value)
		}
	}
	return []validate.Input{{Webhook: v.webhook, Data: v.show(arguments)}}
}
