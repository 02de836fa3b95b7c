package config

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Which services read a setting. These are functions and not variables so that settings are
// initialised, and listed, in the order in which they are written.
func all() []Service {
	return []Service{Gateway, Metadata, QueryExecutor, EventDelivery, Scheduler}
}

func queriers() []Service { return []Service{Metadata, QueryExecutor} }

// planners have tables in the metadata database.
func planners() []Service { return []Service{Metadata, EventDelivery, Scheduler} }

func callers() []Service { return []Service{Metadata, QueryExecutor, EventDelivery} }

const (
	seconds      = "integer, seconds"
	milliseconds = "integer, milliseconds"
	megabytes    = "integer, MB"
	boolean      = "boolean"
	number       = "integer"
)

// Bus.
var (
	NATSURL = define(Spec{
		Flag: "nats-url", Secret: true, Values: "list of NATS URLs", Group: GroupBus, Services: all(),
		Help: "NATS servers; engine without it runs its own inside its process",
	}, parseSecret)
	NATSCredentials = define(Spec{
		Flag: "nats-credentials", Values: "path", Group: GroupBus, Services: all(),
		Help: "file with the credentials of a NATS user",
	}, parseText)
	MetadataKey = define(Spec{
		Flag: "metadata-key", Secret: true, Values: "at least 32 characters, several separated by commas", Group: GroupBus, Services: all(),
		Help: "hides secrets of the metadata from those who read the stream of its changes, and primary keys in ids of Relay from roles that may not read them; the same in all services; the first one seals, all of them open; " +
			"the NATS server inside engine has one of its own",
	}, parseSecret)
	NATSReplicas = define(Spec{
		Flag: "nats-replicas", Default: "1", Values: number, Group: GroupBus, Services: planners(),
		Help: "copies of each stream; 3 in a cluster",
	}, parsePositive)
	NATSPort = define(Spec{
		Flag: "nats-port", Default: "0", Values: number, Group: GroupBus,
		Help: "port at which the NATS server inside engine listens on 127.0.0.1, for the users whose passwords are in nats-users of the data directory; 0 is none",
	}, parsePort)
	NATSReaders = define(Spec{
		Flag: "nats-readers", Values: "list of USER=SOURCE/NAME", Group: GroupBus,
		Help: "users of the NATS server inside engine who may read published changes: that of a publication each, a user with several is there several times; with nats-port, their passwords are in nats-users of the data directory",
	}, parseReaders)
	DirectPort = define(Spec{
		Flag: "direct-port", Default: "0", Values: number + "; -1 is none", Group: GroupBus, Services: []Service{QueryExecutor},
		Help: "port at which gateways connect to the query-executor directly for requests and answers, which is faster than through the NATS server, at the address from which it connects to NATS; 0 is one of the system's choice; " +
			"where a gateway can't connect, its requests go through NATS",
	}, parseDirectPort)
	DataDir = define(Spec{
		Flag: "data-dir", Default: ".data", Values: "path", Group: GroupBus,
		Help: "directory for the NATS server inside engine, and for engine dev's database",
	}, parseNonEmpty)
	RunServices = defineList(Spec{
		Flag: "services", Default: "gateway,metadata,query-executor,event-delivery,scheduler", Values: "list of services", Group: GroupBus,
		Help: "the services that engine runs in its process",
	},
		"Only expecting list of comma separated services gateway,metadata,query-executor,event-delivery,scheduler",
		string(Gateway), string(Metadata), string(QueryExecutor), string(EventDelivery), string(Scheduler))
)

// Limits.
var (
	GatewayConcurrency = define(Spec{
		Flag: "gateway-concurrency", Default: "1024", Values: number, Group: GroupLimits, Services: []Service{Gateway},
		Help: "requests of one gateway that wait for query-executors at once; a further one is refused as busy",
	}, parsePositive)
	QueryConcurrency = define(Spec{
		Flag: "query-concurrency", Default: "512", Values: number, Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "requests that one executor works on at once; a further one is refused as busy, and so is one to a source, remote schema or action that has as many as are left",
	}, parsePositive)
	PlanCacheSize = define(Spec{
		Flag: "plan-cache-size", Default: "4096", Values: number, Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "plans that one executor keeps",
	}, parseNonNegative)
	MaxCacheSize = define(Spec{
		Flag: "max-cache-size", Default: "64", Values: megabytes + "; 0 is no cache", Group: GroupLimits, Services: []Service{QueryExecutor, Gateway, Metadata},
		Help: "answers of queries with @cached that are kept, in the memory of NATS",
	}, parseNonNegative)
	CacheMaxEntryTTL = define(Spec{
		Flag: "query-cache-max-ttl", Variable: "CACHE_MAX_ENTRY_TTL", Default: "3600", Values: seconds, Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "how long a cached answer is kept at most",
	}, parseDuration(time.Second))
	CacheMaxEntrySize = define(Spec{
		Flag: "cache-max-entry-size", Default: "16", Values: megabytes, Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "answers that are larger are not cached; an executor holds them back whole",
	}, parsePositive)
	CacheBucketSize = define(Spec{
		Flag: "cache-bucket-size", Default: "1000000000", Values: "bytes", Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "how much an executor may cache at once; 10 MB are added per second",
	}, parsePositive)
	AnswerSpoolSize = define(Spec{
		Flag: "answer-spool-size", Default: "1024", Values: megabytes, Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "answers that slow clients are behind with are kept in temporary files, so that they hold no connection to a source",
	}, parseNonNegative)
	RequestTimeout = define(Spec{
		Flag: "request-timeout", Default: "120", Values: seconds + "; 0 is without end", Group: GroupLimits, Services: []Service{Gateway},
		Help: "a request that takes longer is cancelled, also in the database",
	}, parseDuration(time.Second))
)

// Operation.
var (
	GracefulShutdownTimeout = define(Spec{
		Flag: "graceful-shutdown-timeout", Default: "60", Values: seconds, Group: GroupOperation, Services: all(),
		Help: "how long a stop waits for requests and deliveries under way",
	}, parseDuration(time.Second))
	OTLPEndpoint = define(Spec{
		Flag: "otlp-endpoint", Values: "URL", Group: GroupOperation, Services: all(),
		Help: "OTLP/HTTP address that traces are sent to; none is off",
	}, parseText)
	MetadataHistory = define(Spec{
		Flag: "metadata-history", Default: "10000", Values: number, Group: GroupOperation, Services: []Service{Metadata},
		Help: "versions of the metadata that are kept",
	}, parsePositive)
	MaintenanceMode = define(Spec{
		Flag: "enable-maintenance-mode", Default: "false", Values: boolean, Switch: true, Group: GroupOperation, Services: []Service{Metadata},
		Help: "refuse changes of the metadata",
	}, parseBool)
	MetadataHistoryAge = define(Spec{
		Flag: "metadata-history-days", Default: "90", Values: number, Group: GroupOperation, Services: []Service{Metadata},
		Help: "days for which versions of the metadata are kept",
	}, parsePositive)
	ScheduledLogAge = define(Spec{
		Flag: "scheduled-event-log-days", Default: "90", Values: number, Group: GroupOperation, Services: []Service{Scheduler},
		Help: "days for which events of cron triggers and one-off events are kept that have ended, with their calls; 0 keeps them",
	}, parseNonNegative)
	AsyncActionLogAge = define(Spec{
		Flag: "async-action-log-days", Default: "90", Values: number, Group: GroupOperation, Services: []Service{Scheduler},
		Help: "days for which calls of asynchronous actions are kept that have ended; 0 keeps them",
	}, parseNonNegative)
)

// table returns every setting in the order of the help: by group, and as they are defined.
var table = sync.OnceValue(func() []row {
	return slices.SortedStableFunc(slices.Values(defined), func(a, b row) int {
		return cmp.Compare(slices.Index(groups, a.Spec().Group), slices.Index(groups, b.Spec().Group))
	})
})

// Table is every setting in the order of the help.
func Table() []*Spec {
	rows := table()
	specs := make([]*Spec, len(rows))
	for i, r := range rows {
		specs[i] = r.Spec()
	}
	return specs
}
