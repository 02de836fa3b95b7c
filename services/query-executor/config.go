package queryexecutor

import (
	"errors"
	"slices"
	"time"

	"queryengine/pkg/config"
	"queryengine/pkg/egress"
	"queryengine/pkg/service"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/plan/env"
)

// Config is the query-executor's configuration.
type Config struct {
	// Concurrency bounds the requests in progress, 0 for no bound.
	Concurrency int
	// PlanCacheSize is about how many plans are kept.
	PlanCacheSize int
	// MaskedVariables are not shown in log lines.
	MaskedVariables []string
	// RedactActions leaves values out of log lines about calls of actions.
	RedactActions bool
	// TraceDocuments puts the text of operations into traces.
	TraceDocuments bool
	// DetailedMetrics distinguishes operations in metrics.
	DetailedMetrics bool
	// MaxTokens bounds the size of a GraphQL document.
	MaxTokens int
	Limits    env.Limits
	// FrameSize is about how many bytes of an answer are sent at once, 0 for the default.
	FrameSize int
	// SpoolSize is how many bytes of answers are kept in files for readers that are slow, and
	// ReaderPatience how long a connection is held for a reader before that, a second by default.
	SpoolSize      int64
	ReaderPatience time.Duration
	// Egress restricts calls to addresses in metadata.
	Egress egress.Config
	// CacheSize is how many bytes of cached answers are kept, 0 for no cache; Cache bounds
	// what one executor does with it.
	CacheSize int64
	Cache     cache.Config
	// LiveInterval and LiveBatch configure how often live queries are run, and how many cohorts at
	// once; StreamInterval and StreamBatch do so for streaming subscriptions.
	LiveInterval, StreamInterval time.Duration
	LiveBatch, StreamBatch       int
	// livePatience is how long a statement for several cohorts may take; 0 is the default.
	livePatience time.Duration
	// SkipEmptyResults sends no results of live queries in which nothing was found.
	SkipEmptyResults bool
	// StopTimeout is how long Stop waits for pending requests.
	StopTimeout time.Duration
	// DirectPort is where gateways connect directly: 0 for a port of the system's choice, -1 for
	// nowhere.
	DirectPort int

	// EnableAllowlist restricts other roles than admin to the queries on the allow list.
	EnableAllowlist bool
	// Unguarded are the guards that data operations go without, by their names in package config.
	Unguarded                []string
	StringifyNumericTypes    bool
	NullChecksPass           bool
	FilterReturning          bool
	ChecksSeeWrites          bool
	InferFunctionPermissions bool
	HideDatabaseComments     bool
	// RemoteSchemaPermissions hides remote schemas from roles without a permission.
	RemoteSchemaPermissions    bool
	NullCollapse               bool
	NullInNonNullableVariables bool
	DefaultNamingConvention    string
	DropUnsetVariables         bool
	NamingConvention           bool
	HideAggregatePredicates    bool
	HideStreamFields           bool
	HideUpdateManyFields       bool
	// ArrayScalars gives arrays of the database scalars of their own instead of lists.
	ArrayScalars bool
	// RemoteSkipNulls leaves nulls out of requests to remote schemas, RemoteDataFirst takes
	// their data where they answer with errors, too.
	RemoteSkipNulls, RemoteDataFirst bool
	// DevMode shows the internal part of stored errors to every role, AdminInternalErrors to admin.
	DevMode, AdminInternalErrors bool
	// Federation adds the fields of Apollo Federation.
	Federation bool
	// RelayKeys are the secrets that seal ids and cursors of the Relay schema for roles that may
	// not read primary keys, as package seal takes them; empty for none.
	RelayKeys string
}

// maxTokens lets through mutations with ten thousand objects in their text. Variables don't count.
const maxTokens = 200_000

const megabyte = 1_000_000

const (
	// readerPatience is how long a connection waits for the reader of an answer.
	readerPatience = time.Second
	// spoolMemory is how many bytes of answers are kept in memory for readers that are slow.
	spoolMemory = 32 * megabyte
)

// ReadConfig takes the service's settings from the table.
func ReadConfig(v *config.Values) Config {
	features := config.ExperimentalFeatures.Get(v)
	return Config{
		Concurrency:     config.QueryConcurrency.Get(v),
		PlanCacheSize:   config.PlanCacheSize.Get(v),
		MaxTokens:       maxTokens,
		DetailedMetrics: config.MetricsHighCardinality.Get(v),
		TraceDocuments:  config.TraceDocuments.Get(v),
		MaskedVariables: config.LogMaskedVariables.Get(v),
		RedactActions:   config.RedactActionHandlerLogs.Get(v),
		Limits:          env.DefaultLimits,
		SpoolSize:       int64(config.AnswerSpoolSize.Get(v)) * megabyte,
		Egress:          egress.ReadConfig(v, service.UserAgent()),
		CacheSize:       int64(config.MaxCacheSize.Get(v)) * megabyte,
		Cache: cache.Config{
			MaxTTL:   config.CacheMaxEntryTTL.Get(v),
			MaxEntry: config.CacheMaxEntrySize.Get(v) * megabyte,
			Budget:   int64(config.CacheBucketSize.Get(v)),
		},
		LiveInterval:               config.LiveQueryInterval.Get(v),
		LiveBatch:                  config.LiveQueryBatch.Get(v),
		StreamInterval:             config.StreamInterval.Get(v),
		StreamBatch:                config.StreamBatch.Get(v),
		SkipEmptyResults:           slices.Contains(features, "remove_empty_subscription_responses"),
		StopTimeout:                config.GracefulShutdownTimeout.Get(v),
		DirectPort:                 config.DirectPort.Get(v),
		EnableAllowlist:            config.EnableAllowlist.Get(v),
		Unguarded:                  config.UnguardedDataOperations.Get(v),
		NullChecksPass:             config.NullChecksPass.Get(v),
		FilterReturning:            config.FilterReturning.Get(v),
		ChecksSeeWrites:            config.ChecksSeeWrites.Get(v),
		StringifyNumericTypes:      config.StringifyNumericTypes.Get(v),
		RemoteSchemaPermissions:    config.EnableRemoteSchemaPermissions.Get(v),
		HideDatabaseComments:       !config.DatabaseComments.Get(v),
		InferFunctionPermissions:   config.InferFunctionPermissions.Get(v),
		NullCollapse:               config.BooleanNullCollapse.Get(v),
		NullInNonNullableVariables: config.NullInNonNullableVariables.Get(v),
		DefaultNamingConvention:    config.DefaultNamingConvention.Get(v),
		DropUnsetVariables:         slices.Contains(features, "no_null_unbound_variable_default"),
		NamingConvention:           slices.Contains(features, "naming_convention"),
		HideAggregatePredicates:    slices.Contains(features, "hide_aggregation_predicates"),
		HideStreamFields:           slices.Contains(features, "hide_stream_fields"),
		Federation:                 config.ApolloFederation(v),
		RelayKeys:                  config.MetadataKey.Get(v).Reveal(),
		DevMode:                    config.DevMode.Get(v),
		AdminInternalErrors:        config.AdminInternalErrors.Get(v),
		RemoteSkipNulls:            config.RemoteSchemaSkipNulls.Get(v),
		RemoteDataFirst:            config.RemoteSchemaPrioritizeData.Get(v),
		HideUpdateManyFields:       slices.Contains(features, "hide_update_many_fields"),
		ArrayScalars:               slices.Contains(features, "disable_postgres_arrays"),
	}
}

// Check reports all faults of the query-executor's settings, without a start.
func Check(v *config.Values) error {
	c := ReadConfig(v)
	return c.Validate()
}

// Validate checks what the table of settings can't check line by line.
func (c *Config) Validate() error {
	if c.Concurrency < 0 || c.PlanCacheSize < 0 {
		return errors.New("the concurrency and the size of the plan cache must not be negative")
	}
	return nil
}
