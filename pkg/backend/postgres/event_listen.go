package postgres

import "context"

// ListenEvents calls heard whenever events were written. Its connection is closed at the end,
// so that nobody else hears of them.
func (s *Source) ListenEvents(ctx context.Context, heard func()) error {
	c, err := s.primary.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	c.discard()
	if err := run(ctx, c.pg, "LISTEN engine_events"); err != nil {
		return err
	}
	heard() // of what was written before
	for {
		if err := c.pg.WaitForNotification(ctx); err != nil {
			return internalError(ctx, err, executed{SQL: "LISTEN engine_events"})
		}
		heard()
	}
}
