package schedule

import "queryengine/pkg/backend/postgres/wire"

// Endpoint is one server of a source, and how its statements are scheduled.
type Endpoint struct {
	wire.Endpoint
	Settings
}

// Settings are those of a source. The zero value measures what is faster.
type Settings struct {
	// Share is whether short statements share round trips.
	Share Policy
	// Wait is whether transactions that write wait for each other.
	Wait Policy
}

// Policy is when a source does something that saves time on some machines only.
type Policy uint8

// The policies.
const (
	// Auto measures whether it saves time.
	Auto Policy = iota
	// Off never does it.
	Off
	// Always does it wherever it is possible.
	Always
)
