package resolve

import "queryengine/pkg/metadata"

// checkTelemetry checks where telemetry is sent.
func (s *Schema) checkTelemetry() []metadata.Inconsistency {
	if s.options.Env == nil || s.Document.OpenTelemetry == nil {
		return nil
	}
	settings, err := s.Document.Telemetry()
	if err != nil {
		return nil // what can't be read was refused when it came
	}
	var list []metadata.Inconsistency
	for _, p := range settings.Problems(s.options.Env) {
		id := metadata.ObjectID{Kind: metadata.ObjectOpenTelemetry, Name: p.Part}
		list = append(list, inconsistent(id, s.Document.OpenTelemetry, p.Reason))
	}
	return list
}
