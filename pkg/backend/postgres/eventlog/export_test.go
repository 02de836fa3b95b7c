package eventlog

import "context"

// What the tests look at from outside, since their sources are whole ones.
const (
	RingBell    = ringBell
	BellLock    = eventBellLock
	IndexedOnly = indexedOnly
)

// Bell is a bell whose state can be seen.
type Bell = eventBell

// State is whether the process is the keeper, and whether the bell is armed.
func (b *eventBell) State() (keeper, armed bool) { return b.keeper, b.armed }

// Rung reports whether it has rung, after it has asked the server for what has come.
func (b *eventBell) Rung(ctx context.Context) (bool, error) {
	err := run(ctx, b.pg, "SELECT 1")
	return b.rung, err
}

// Catalogs are the steps of the catalog.
func Catalogs() []string { return eventCatalog }

// TakeSQL are the statements that take events, of triggers without and with an order.
func TakeSQL() (plain, ordered string) { return takeEventsSQL.SQL, takeOrderedSQL.SQL }
