package postgres

import "context"

// eventsChannel is where the log says that there are new events.
const eventsChannel = "engine_events"

// ListenEvents calls heard whenever events were written, and once at first, for those that were
// written before.
func (s *Source) ListenEvents(ctx context.Context, heard func()) error {
	return s.primary.listen(ctx, eventsChannel, heard, func(string) { heard() })
}
