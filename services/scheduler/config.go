package scheduler

import (
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
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
	// Disabled switches everything off: the service follows the metadata only.
	Disabled bool
}

// ReadConfig takes the service's settings from the table.
func ReadConfig(v *config.Values) Config {
	return Config{
		MetadataURL: config.MetadataURL(v),
		Replicas:    config.NATSReplicas.Get(v),
		Disabled:    config.DisableEventing.Get(v),
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

// Validate says what is missing.
func (c Config) Validate() error {
	if c.MetadataURL == "" && !c.Disabled {
		return apierror.New(apierror.StartFailed,
			"Fatal Error: Either of --metadata-database-url or --database-url option expected")
	}
	return nil
}
