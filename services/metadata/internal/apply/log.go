package apply

import (
	"slices"

	"queryengine/pkg/logtype"
	"queryengine/pkg/metadata"
	"queryengine/pkg/telemetry"
)

// shownInconsistency is an inconsistent object in a line: without its definition, which may
// hold secrets.
type shownInconsistency struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// logInconsistent writes a line when other objects are inconsistent than before; prev may be
// nil.
func (e *Engine) logInconsistent(prev, next *State) {
	if next == nil || len(next.Inconsistent) == 0 {
		return
	}
	objects := shownInconsistencies(next.Inconsistent)
	if prev != nil && slices.Equal(objects, shownInconsistencies(prev.Inconsistent)) {
		return
	}
	telemetry.Of(e.Logger, logtype.Metadata).Warn("Inconsistent Metadata!",
		"info", map[string]any{"objects": objects})
}

func shownInconsistencies(list []metadata.Inconsistency) []shownInconsistency {
	shown := make([]shownInconsistency, len(list))
	for i, o := range list {
		shown[i] = shownInconsistency{Name: o.Name, Type: o.Type, Reason: o.Reason}
	}
	return shown
}
