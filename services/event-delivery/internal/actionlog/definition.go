package actionlog

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"queryengine/pkg/action"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// definitions are the asynchronous actions of one version of the metadata, by name, ready to be
// called. They are immutable.
type definitions struct {
	// types and actions are what they were made of.
	types   json.RawMessage
	actions []json.RawMessage

	handlers map[string]*action.Handler
	names    []string
}

// define reads the actions of a document; it returns before as long as no action has changed. Actions
// that can't be read or compiled, or whose code the build lacks, can't be called: the metadata service reports them.
func define(d *metadata.Document, before *definitions, lacks func(*metadata.Action) bool) *definitions {
	if bytes.Equal(d.CustomTypes, before.types) && slices.EqualFunc(d.Actions, before.actions, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return before
	}
	set := &definitions{types: d.CustomTypes, actions: d.Actions, handlers: map[string]*action.Handler{}}
	types, err := metadata.ParseCustomTypes(d.CustomTypes)
	if err != nil {
		types = &metadata.CustomTypes{}
	}
	outputs := resolve.OutputTypes(types)
	for _, raw := range d.Actions {
		a, err := metadata.ParseAction(raw)
		if err != nil || !a.Definition.IsAsynchronous() || lacks != nil && lacks(a) {
			continue
		}
		if h, err := action.Compile(&resolve.Action{Meta: a, Output: outputs(a.Definition.OutputType.Name)}); err == nil {
			set.handlers[a.Name] = h
		}
	}
	set.names = slices.Sorted(maps.Keys(set.handlers))
	return set
}
