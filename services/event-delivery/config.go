package eventdelivery

import (
	"errors"
	"time"

	"queryengine/pkg/config"
	"queryengine/pkg/egress"
	"queryengine/pkg/service"
	"queryengine/services/event-delivery/internal/delivery"
)

// Config are the settings of the service.
type Config struct {
	// MetadataURL is the database that holds scheduled events and calls of asynchronous actions.
	MetadataURL string
	// Replicas of the delivery stream.
	Replicas int
	// Concurrency bounds the webhooks that are called at once.
	Concurrency int
	// Batch is how many events of tables are taken at once, Interval how often they are looked
	// for without a notification; 0 for never.
	Batch    int
	Interval time.Duration
	// ActionInterval is how often calls of asynchronous actions are looked for without a notification,
	// and ActionBatch how many are taken at once; with 0 for one of them none are made.
	ActionInterval time.Duration
	ActionBatch    int
	// Egress restricts calls to webhooks.
	Egress egress.Config
	// DetailedMetrics tell triggers apart.
	DetailedMetrics bool
	// StopTimeout is how long Stop waits for webhooks that were called.
	StopTimeout time.Duration
	// FailuresAreErrors is the level of lines about deliveries that fail.
	FailuresAreErrors bool
	// HideBodies leaves the input of actions out of lines, RedactActions also what else their lines have of values.
	HideBodies, RedactActions bool
	// Redacted are the kinds of triggers whose lines show no values.
	Redacted delivery.Redacted
	// Disabled switches everything off: the service follows the metadata, and answers what others
	// ask about calls of asynchronous actions.
	Disabled bool
}

// ReadConfig takes the service's settings from the table.
func ReadConfig(v *config.Values) Config {
	return Config{
		MetadataURL:    config.MetadataURL(v),
		Replicas:       config.NATSReplicas.Get(v),
		Concurrency:    config.EventsHTTPPoolSize.Get(v),
		Batch:          config.EventsFetchBatchSize.Get(v),
		Interval:       config.EventsFetchInterval.Get(v),
		ActionInterval: config.AsyncActionsFetchInterval.Get(v),
		ActionBatch:    config.AsyncActionsFetchBatchSize.Get(v),
		Egress:         egress.ReadConfig(v, service.UserAgent()),
		StopTimeout:    config.GracefulShutdownTimeout.Get(v),
		Disabled:       config.DisableEventing.Get(v),

		HideBodies:    len(config.LogMaskedVariables.Get(v)) > 0,
		RedactActions: config.RedactActionHandlerLogs.Get(v),
		Redacted: delivery.Redacted{
			Events: config.RedactEventTriggerLogs.Get(v), Scheduled: config.RedactScheduledTriggerLogs.Get(v),
		},
		FailuresAreErrors: config.TriggersErrorLogLevel.Get(v),
		DetailedMetrics:   config.MetricsHighCardinality.Get(v),
	}
}

// Check reports all faults of event-delivery's settings, without a start.
func Check(v *config.Values) error {
	c := ReadConfig(v)
	return c.Validate()
}

// Validate reports what is missing or wrong.
func (c Config) Validate() error {
	if c.Disabled {
		return nil
	}
	err := config.NeedMetadataURL(c.MetadataURL)
	if c.Concurrency < 1 {
		err = errors.Join(err, errors.New("the number of webhooks that are called at once must be positive"))
	}
	return err
}
