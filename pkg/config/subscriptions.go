package config

import "time"

// Subscriptions.
var (
	LiveQueryInterval = define(Spec{
		Flag: "live-queries-multiplexed-refetch-interval", Default: "1000", Values: milliseconds, Group: GroupSubscriptions, Services: []Service{QueryExecutor, Gateway},
		Help: "how often live queries are run",
	}, refetchInterval)
	LiveQueryBatch = define(Spec{
		Flag: "live-queries-multiplexed-batch-size", Default: "100", Values: number, Group: GroupSubscriptions, Services: []Service{QueryExecutor, Gateway},
		Help: "cohorts of a live query in one statement",
	}, batchSize)
	StreamInterval = define(Spec{
		Flag: "streaming-queries-multiplexed-refetch-interval", Default: "1000", Values: milliseconds, Group: GroupSubscriptions, Services: []Service{QueryExecutor, Gateway},
		Help: "how often streaming subscriptions are run",
	}, refetchInterval)
	StreamBatch = define(Spec{
		Flag: "streaming-queries-multiplexed-batch-size", Default: "100", Values: number, Group: GroupSubscriptions, Services: []Service{QueryExecutor, Gateway},
		Help: "cohorts of a streaming subscription in one statement",
	}, batchSize)
	SubscriptionsPerConnection = define(Spec{
		Flag: "subscriptions-per-connection", Default: "500", Values: number + "; 0 is no bound", Group: GroupSubscriptions, Services: []Service{Gateway},
		Help: "subscriptions that a WebSocket may have at once",
	}, parseNonNegative)
	SubscriptionsPerSession = define(Spec{
		Flag: "subscriptions-per-session", Default: "2000", Values: number + "; 0 is no bound", Group: GroupSubscriptions, Services: []Service{Gateway},
		Help: "subscriptions at once of all connections of one session, as one gateway counts them; those without credentials are distinguished by their address, admins have no bound",
	}, parseNonNegative)
	CloseWebSocketsOnMetadataChange = define(Spec{
		Flag: "disable-close-websockets-on-metadata-change", Variable: "CLOSE_WEBSOCKETS_ON_METADATA_CHANGE", Default: "true", Values: boolean, Switch: true, Group: GroupSubscriptions, Services: []Service{Gateway},
		Help: "close WebSockets when the metadata changes; the flag turns it off",
	}, parseBool)
)

func refetchInterval(text string) (time.Duration, error) {
	return durationOf(time.Millisecond, nonNegative("refetch interval should be a non negative integer"))(text)
}

func batchSize(text string) (int, error) {
	return nonNegative("batch size should be a non negative integer")(text)
}
