package config

import (
	"time"
)

// Outgoing calls: addresses of webhooks, action handlers and remote schemas in metadata.
var (
	EgressRefuse = define(Spec{
		Flag: "egress-refuse", Default: "link-local,metadata", Values: "list of loopback, private, link-local, metadata, and networks", Group: GroupEgress, Services: callers(),
		Help: "networks that addresses in metadata can't lead to; metadata is where clouds tell a machine its secrets; the empty list refuses nothing",
	}, parseNetworks)
	EgressProxy = define(Spec{
		Flag: "egress-proxy", Secret: true, Values: "URL or environment", Group: GroupEgress, Services: callers(),
		Help: "proxy of outgoing calls, none by default; environment takes it from HTTP_PROXY, HTTPS_PROXY and NO_PROXY; egress-refuse then is about the address of the proxy",
	}, parseSecret)
	EgressConnectTimeout = define(Spec{
		Flag: "egress-connect-timeout", Default: "10", Values: seconds, Group: GroupEgress, Services: callers(),
		Help: "how long a connection of an outgoing call may take",
	}, durationOf(time.Second, parsePositive))
	EgressMaxRedirects = define(Spec{
		Flag: "egress-max-redirects", Default: "10", Values: number, Group: GroupEgress, Services: callers(),
		Help: "redirects that an outgoing call follows; 0 takes a redirect for the answer",
	}, parseNonNegative)
	EgressMaxResponse = define(Spec{
		Flag: "egress-max-response-size", Default: "33554432", Values: "integer, bytes", Group: GroupEgress, Services: callers(),
		Help: "size of the answer to an outgoing call; a larger one is an error",
	}, parsePositive)
	EgressConnections = define(Spec{
		Flag: "egress-connections", Default: "100", Values: number, Group: GroupEgress, Services: callers(),
		Help: "connections of each process to one host; further calls wait",
	}, parsePositive)
	ConfiguredHeaderPrecedence = define(Spec{
		Flag: "configured-header-precedence", Default: "false", Values: boolean, Switch: true, Group: GroupEgress, Services: callers(),
		Help: "let the headers of definitions win over those of the client",
	}, parseBool)
)

// Events.
var (
	EventsHTTPPoolSize = define(Spec{
		Flag: "events-http-pool-size", Default: "100", Values: number, Group: GroupEvents, Services: []Service{EventDelivery},
		Help: "webhooks that one process calls at once",
	}, parsePositive)
	EventsFetchInterval = define(Spec{
		Flag: "events-fetch-interval", Default: "1000", Values: milliseconds, Group: GroupEvents, Services: []Service{EventDelivery},
		Help: "how often events of tables are looked for where the database doesn't announce them; 0 for never",
	}, parseDuration(time.Millisecond))
	EventsFetchBatchSize = define(Spec{
		Flag: "events-fetch-batch-size", Default: "100", Values: number, Group: GroupEvents, Services: []Service{EventDelivery},
		Help: "events of tables that are fetched at once; 0 for none",
	}, parseNonNegative)
	AsyncActionsFetchInterval = define(Spec{
		Flag: "async-actions-fetch-interval", Default: "1000", Values: milliseconds, Group: GroupEvents, Services: []Service{EventDelivery},
		Help: "how often calls of asynchronous actions are looked for that were left behind; 0 to call none",
	}, parseDuration(time.Millisecond))
	AsyncActionsFetchBatchSize = define(Spec{
		Flag: "async-actions-fetch-batch-size", Default: "10", Values: number, Group: GroupEvents, Services: []Service{EventDelivery},
		Help: "calls of asynchronous actions that are fetched at once; 0 to call none",
	}, parseNonNegative)
	DisableEventing = define(Spec{
		Flag: "disable-eventing", Default: "false", Values: boolean, Switch: true, Group: GroupEvents, Services: []Service{EventDelivery, Scheduler},
		Help: "deliver no events",
	}, parseBool)
)
