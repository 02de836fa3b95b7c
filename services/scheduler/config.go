package scheduler

import (
	"time"

	"queryengine/pkg/config"
	"queryengine/services/scheduler/internal/store"
)

// Config are the settings of the service.
type Config struct {
	// MetadataURL is the database that holds the events.
	MetadataURL string
	// Replicas of the delivery stream.
	Replicas int
	// Interval is how often due events are looked for, 1 second by default.
	Interval time.Duration
	// Lease is how long the active scheduler may be silent before another takes over, 10
	// seconds by default.
	Lease time.Duration
	// Keep is how long finished events and calls stay in the logs.
	Keep Keep
	// Disabled switches everything off: the service follows the metadata only.
	Disabled bool
}

// Keep are ages of logs.
type Keep = store.Ages

// ReadConfig takes the service's settings from the table.
func ReadConfig(v *config.Values) Config {
	return Config{
		MetadataURL: config.MetadataURL(v),
		Replicas:    config.NATSReplicas.Get(v),
		Disabled:    config.DisableEventing.Get(v),
		Keep: Keep{
			Scheduled: time.Duration(config.ScheduledLogAge.Get(v)) * 24 * time.Hour,
			Actions:   time.Duration(config.AsyncActionLogAge.Get(v)) * 24 * time.Hour,
		},
	}
}

func (c Config) withDefaults() Config {
	if c.Interval == 0 {
		c.Interval = time.Second
	}
	if c.Lease == 0 {
		c.Lease = 10 * time.Second
	}
	return c
}

// Check reports what is wrong with the scheduler's settings, without a start.
func Check(v *config.Values) error {
	c := ReadConfig(v)
	return c.Validate()
}

// Validate reports what is missing.
func (c Config) Validate() error {
	if c.Disabled {
		return nil
	}
	return config.NeedMetadataURL(c.MetadataURL)
}
