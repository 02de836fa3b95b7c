package bus

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nuid"

	deliveryv1 "queryengine/proto/delivery/v1"
)

// Endpoint is something a service answers. Replicas of the service share its requests.
type Endpoint struct {
	// Service is the name of the service, and of the queue group of its replicas.
	Service string
	// Name of the endpoint within the service.
	Name string
	// Subject that requests are sent to.
	Subject string
	// callers are the services that may ask.
	callers group
	// Long reports whether answers last for as long as the caller wants them: they don't count
	// among the requests in progress that ServiceInfo.Concurrency bounds.
	Long bool
	// Replica reports whether the subject is that of one replica; the others share requests.
	Replica bool
	// Repeatable reports whether it does no harm when a request is carried out twice: one whose
	// responder falls silent is tried elsewhere.
	Repeatable bool
	// Direct reports whether requests may go over a direct connection to a replica.
	Direct bool
}

// Again is the endpoint for requests that are Repeatable.
func (e Endpoint) Again() Endpoint {
	e.Repeatable = true
	return e
}

// Topic is a subject that every subscriber hears of.
type Topic struct {
	Subject string
	// publishers and subscribers are the services that may send to it and hear of it.
	publishers, subscribers group
}

// Names of the services.
const (
	ServiceGateway       = "gateway"
	ServiceMetadata      = "metadata"
	ServiceQueryExecutor = "query-executor"
	ServiceEventDelivery = "event-delivery"
	ServiceScheduler     = "scheduler"
)

// group is a set of services.
type group uint8

const (
	theGateway group = 1 << iota
	theMetadata
	theExecutor
	theDelivery
	theScheduler
)

// members are the names of the services.
var members = map[string]group{
	ServiceGateway: theGateway, ServiceMetadata: theMetadata, ServiceQueryExecutor: theExecutor,
	ServiceEventDelivery: theDelivery, ServiceScheduler: theScheduler,
}

// has reports whether a service is of the group.
func (g group) has(service string) bool { return g&members[service] != 0 }

// What services ask of each other. The request and head messages of an endpoint are in
// proto/query/v1, proto/metadata/v1 and proto/action/v1, under the endpoint's name.
var (
	QueryExecute     = Endpoint{Service: ServiceQueryExecutor, Name: "execute", Subject: "engine.query.execute", callers: theGateway | theExecutor | theDelivery, Direct: true}
	QueryExplain     = Endpoint{Service: ServiceQueryExecutor, Name: "explain", Subject: "engine.query.explain", callers: theGateway, Repeatable: true}
	QueryOpenAPI     = Endpoint{Service: ServiceQueryExecutor, Name: "openapi", Subject: "engine.query.openapi", callers: theGateway, Repeatable: true}
	QueryAssist      = Endpoint{Service: ServiceQueryExecutor, Name: "assist", Subject: "engine.query.assist", callers: theGateway, Repeatable: true}
	QueryCheck       = Endpoint{Service: ServiceQueryExecutor, Name: "check", Subject: "engine.query.check", callers: theMetadata, Repeatable: true}
	DataExecute      = Endpoint{Service: ServiceQueryExecutor, Name: "data", Subject: "engine.query.data", callers: theGateway | theMetadata}
	MetadataApply    = Endpoint{Service: ServiceMetadata, Name: "apply", Subject: "engine.metadata.apply", callers: theGateway}
	MetadataDump     = Endpoint{Service: ServiceMetadata, Name: "dump", Subject: "engine.metadata.dump", callers: theGateway, Repeatable: true}
	SourceHealth     = Endpoint{Service: ServiceMetadata, Name: "source-health", Subject: "engine.metadata.source-health", callers: theGateway, Repeatable: true}
	MetadataSnapshot = Endpoint{Service: ServiceMetadata, Name: "snapshot", Subject: "engine.metadata.snapshot", Repeatable: true}
	ActionEnqueue    = Endpoint{Service: ServiceEventDelivery, Name: "action-enqueue", Subject: "engine.actions.enqueue", callers: theExecutor}
	ActionRead       = Endpoint{Service: ServiceEventDelivery, Name: "action-read", Subject: "engine.actions.read", callers: theExecutor, Repeatable: true}
	ActionFinished   = Endpoint{Service: ServiceEventDelivery, Name: "action-finished", Subject: "engine.actions.finished", callers: theExecutor}
	// MetadataHealth takes an empty message, and fails while metadata can't be changed.
	MetadataHealth = Endpoint{Service: ServiceMetadata, Name: "health", Subject: "engine.metadata.health", callers: theGateway, Repeatable: true}
)

// LiveLink is where a gateway gets the results of its subscriptions on one query-executor, by
// the name of the executor's instance. The messages are in proto/query/v1/live.proto.
func LiveLink(instance string) Endpoint {
	return Endpoint{Service: ServiceQueryExecutor, Name: "link", Subject: "engine.query.link." + instance, callers: theGateway, Replica: true, Long: true}
}

// LiveSubscribe begins a subscription.
func LiveSubscribe(instance string) Endpoint {
	return Endpoint{Service: ServiceQueryExecutor, Name: "subscribe", Subject: "engine.query.subscribe." + instance, callers: theGateway, Replica: true}
}

// LiveFollow is the long answer to a subscription that a remote schema answers: a sequence of
// LiveResult, as that of a link.
func LiveFollow(instance string) Endpoint {
	return Endpoint{Service: ServiceQueryExecutor, Name: "follow", Subject: "engine.query.follow." + instance, callers: theGateway, Replica: true, Long: true}
}

// LiveUnsubscribe ends subscriptions.
func LiveUnsubscribe(instance string) Endpoint {
	return Endpoint{Service: ServiceQueryExecutor, Name: "unsubscribe", Subject: "engine.query.unsubscribe." + instance, callers: theGateway, Replica: true}
}

// LiveDump asks what an executor does for subscriptions: the answer is a JSON list.
func LiveDump(instance string) Endpoint {
	return Endpoint{Service: ServiceQueryExecutor, Name: "dump", Subject: "engine.query.dump." + instance, callers: theGateway, Replica: true}
}

// DirectOffer asks a process, by the last part of its inbox, how to connect to it directly. The answer
// comes from Bus.Listen.
func DirectOffer(process string) Endpoint {
	return Endpoint{Service: ServiceQueryExecutor, Name: "direct-offer", Subject: "engine.query.direct-offer." + process, callers: theGateway, Replica: true, Long: true}
}

// Who takes subscriptions.
var (
	// LiveExecutors carries a LiveExecutor: an executor that is there, or leaves.
	LiveExecutors = Topic{Subject: "engine.query.executors", publishers: theExecutor, subscribers: theGateway}
	// LiveRollCall carries a LiveRollCall: every executor answers with a LiveExecutor.
	LiveRollCall = Topic{Subject: "engine.query.rollcall", publishers: theGateway, subscribers: theExecutor}
)

// ChangesWatch asks the process that reads the log of a source, by its instance. The messages of changes
// are in proto/change/v1.
func ChangesWatch(instance string) Endpoint {
	return Endpoint{Service: ServiceEventDelivery, Name: "changes-watch", Subject: "engine.changes.watch." + instance, callers: theExecutor, Replica: true}
}

// Changes that are read from the logs of sources.
var (
	// ChangesWanted carries a Wanted: a consumer depends on the changes of a source.
	ChangesWanted = Topic{Subject: "engine.changes.wanted", publishers: theExecutor, subscribers: theDelivery}
	// ChangesTold carries a Told: changes, or that there were none.
	ChangesTold = Topic{Subject: "engine.changes.told", publishers: theDelivery, subscribers: theExecutor}
)

// ActionsEnded carries a Finished of proto/action/v1: calls of asynchronous actions that have
// just ended.
var ActionsEnded = Topic{
	Subject: "engine.actions.ended", publishers: theDelivery, subscribers: theExecutor,
}

// What followers of metadata tell each other.
var (
	// MetadataAck carries an Ack: which version a follower has applied.
	MetadataAck = Topic{Subject: "engine.metadata.ack", publishers: theGateway, subscribers: theMetadata}
	// MetadataRollCall carries a RollCall: every follower answers with an Ack.
	MetadataRollCall = Topic{Subject: "engine.metadata.rollcall", publishers: theMetadata, subscribers: theGateway}
)

// everyService is the group of all services.
const everyService = theGateway | theMetadata | theExecutor | theDelivery | theScheduler

// How metadata learns how the services are. The messages are in proto/status/v1.
var (
	// StatusRollCall carries a RollCall: every service of every process answers with a Report.
	StatusRollCall = Topic{Subject: "engine.status.rollcall", publishers: theMetadata, subscribers: everyService}
	// StatusReports carries a Report.
	StatusReports = Topic{Subject: "engine.status.reports", publishers: everyService, subscribers: theMetadata}
)

// The stream of metadata changes and the bucket of snapshots to start from.
const (
	ChangesStream   = "METADATA"
	ChangesSubject  = "engine.metadata.changes"
	SnapshotsBucket = "METADATA_SNAPSHOTS"

	// streamIDKey is where the configuration of the stream, and the metadata of a
	// snapshot, name the metadata database; versionKey where a snapshot names its version.
	streamIDKey = "engine_stream_id"
	versionKey  = "engine_version"
)

// CacheBucket is the key-value bucket of cached answers.
const CacheBucket = "QUERY_CACHE"

// cacheSubject is the key of a part of an entry.
func cacheSubject(family, key string, part uint32) string {
	return "$KV." + CacheBucket + "." + family + "." + key + "." + strconv.FormatUint(uint64(part), 10)
}

// cacheSubjects are the keys of all entries of a family and key; an empty one stands for all.
func cacheSubjects(family, key string) string {
	return "$KV." + CacheBucket + "." + cmp.Or(family, "*") + "." + cmp.Or(key, "*") + ".*"
}

// The work queue of webhooks: a subject for each kind of event, below one prefix.
const (
	DeliveriesStream   = "DELIVERIES"
	deliveriesPrefix   = "engine.deliveries."
	deliveriesSubject  = deliveriesPrefix + ">"
	deliveriesConsumer = "event-delivery"
)

// deliverySubject is where deliveries of a kind are published.
func deliverySubject(kind deliveryv1.Kind) string {
	return deliveriesPrefix + strings.ToLower(strings.TrimPrefix(kind.String(), "KIND_"))
}

// Events that users have sent to a subject instead of a webhook. Those below the prefix are
// kept in a stream of ours; other subjects need a stream of the user's.
const (
	EventsStream   = "EVENTS"
	EventsPrefix   = "events."
	eventsSubjects = EventsPrefix + ">"
)

// Changes of tables that are published for others: a stream for each publication of a source, with a subject
// for each table below the one for what is about all of them.
const (
	publishedStreamPrefix = "CHANGES-"
	publishedPrefix       = "changes."
)

// PublishedStream is the name of the stream of a publication.
func PublishedStream(source, name string) string {
	return publishedStreamPrefix + token(source) + "-" + token(name)
}

// PublishedSubject is where a publication tells what is about all of its tables; those of the tables are below it,
// as SCHEMA.TABLE.
func PublishedSubject(source, name string) string {
	return publishedPrefix + token(source) + "." + token(name)
}

func publishedTableSubject(source, name, schema, table string) string {
	return PublishedSubject(source, name) + "." + token(schema) + "." + token(table)
}

// token writes a name as one part of a subject: all but letters, digits and _ as % and two hexadecimal digits.
func token(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return cmp.Or(b.String(), "%")
}

// endpoints are all that services answer, those of an instance with a wildcard in its place.
func endpoints() []Endpoint {
	return []Endpoint{
		QueryExecute, QueryExplain, QueryOpenAPI, QueryAssist, QueryCheck, DataExecute,
		LiveLink("*"), LiveSubscribe("*"), LiveFollow("*"), LiveUnsubscribe("*"), LiveDump("*"), DirectOffer("*"),
		MetadataApply, MetadataDump, SourceHealth, MetadataSnapshot, MetadataHealth,
		ActionEnqueue, ActionRead, ActionFinished, ChangesWatch("*"),
	}
}

// topics are all that services tell each other.
func topics() []Topic {
	return []Topic{MetadataAck, MetadataRollCall, LiveExecutors, LiveRollCall, ActionsEnded, ChangesWanted, ChangesTold, StatusRollCall, StatusReports}
}

// privatePrefixes begin the subjects that users can't send to.
var privatePrefixes = []string{"engine.", publishedPrefix, "$", "_"}

// Header fields of requests and of messages in the stream.
const (
	headerSize = "Engine-Size" // bytes of a request that comes in parts

	headerStream  = "Engine-Stream"  // identity of the metadata database
	headerVersion = "Engine-Version" // resource version
	headerPart    = "Engine-Part"    // "2/5" of a change larger than one message

	// Of published changes.
	headerOp    = "Engine-Op"
	headerLSN   = "Engine-LSN"
	headerTable = "Engine-Table" // SCHEMA.TABLE
	headerPlace = "Engine-Place" // for the publisher

	// Of the server: messages that are stored together or not at all.
	headerBatchID       = "Nats-Batch-Id"
	headerBatchSequence = "Nats-Batch-Sequence"
	headerBatchCommit   = "Nats-Batch-Commit"
)

// cancelSubject is where the replicas of a service hear of callers that gave up.
func cancelSubject(service string) string { return "engine.bus.cancel." + service }

// directSubject is where one replica gets requests to an endpoint that all of them share.
func directSubject(subject, instance string) string { return subject + "." + instance }

// bundleSuffix is the last token of a subject at which a replica gets such requests in bundles.
const bundleSuffix = ".bundle"

// presentSubject is where replicas of a service announce themselves, by their inboxes; one that stops
// adds leaving, one that ServiceInfo.Lacks something adds lacking.
func presentSubject(service string) string { return "engine.bus.present." + service }

const (
	leaving = " leaves"
	lacking = " lacks"
)

// instanceOf is the last part of an inbox, which is unique to the process.
func instanceOf(inbox string) string { return inbox[strings.LastIndexByte(inbox, '.')+1:] }

// The private subjects of a process are below its inbox, <prefix of the service>.<process>, so
// that users of NATS can be kept from reading the replies to other services. Replies of a call
// come to <inbox>.r.<call>, what a responder gets during an exchange to
// <inbox>.a.<inbox of the caller>.<call>. See callToken for <call>. Each direct connection has an inbox of its own.
const inboxPrefix = "_INBOX_"

// InboxPrefix begins the private subjects of the processes of a service.
func InboxPrefix(service string) string { return inboxPrefix + service }

func newInbox(service string) string { return InboxPrefix(service) + "." + nuid.Next() }

func repliesSubject(inbox string) string           { return inbox + ".r.>" }
func replySubject(inbox, call string) string       { return inbox + ".r." + call }
func addressesSubject(inbox string) string         { return inbox + ".a.>" }
func addressSubject(inbox, exchange string) string { return inbox + ".a." + exchange }

// callerKey is the key of an exchange, <inbox of the caller>.<call>, of the reply subject of its
// request; "" when that is not a reply subject of ours.
func callerKey(reply string) string {
	inbox, call, found := strings.Cut(reply, ".r.")
	if !found || !strings.HasPrefix(inbox, inboxPrefix) || strings.Count(inbox, ".") != 1 || strings.Contains(call, ".") {
		return ""
	}
	return inbox + "." + call
}
