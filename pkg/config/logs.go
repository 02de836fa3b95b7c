package config

import (
	"strings"

	"queryengine/pkg/logtype"
)

// What log lines show.
var (
	LogLevel = defineChoice(Spec{
		Flag: "log-level", Default: "info", Values: "debug, info, warn or error", Group: GroupOperation, Services: all(),
		Help: "least level of log lines",
	},
		"Valid log levels: debug, info, warn or error", "debug", "info", "warn", "error")
	EnabledLogTypes = defineList(Spec{
		Flag: "enabled-log-types", Default: strings.Join(logtype.Default(), ","), Values: "list of log types", Group: GroupOperation, Services: all(),
		Help: "kinds of log lines to write",
	}, logTypesMessage(), append(logtype.Selectable(), logtype.Aliases()...)...)
	LogFormat = defineChoice(Spec{
		Flag: "log-format", Default: "auto", Values: "auto, json or text", Group: GroupOperation, Services: all(),
		Help: "how log lines are written: as JSON, as text for people, or (auto) as text on a terminal and else as JSON",
	},
		"Valid log formats: auto, json or text", "auto", "json", "text")
	HTTPLogQueryOnlyOnError = define(Spec{
		Flag: "http-log-query-only-on-error", Default: "false", Values: boolean, Switch: true, Group: GroupOperation, Services: []Service{Gateway},
		Help: "leave GraphQL requests that succeed out of the HTTP log, also while query-log is on",
	}, parseBool)
	MetadataQueryLogging = define(Spec{
		Flag: "enable-metadata-query-logging", Default: "false", Values: boolean, Switch: true, Group: GroupOperation, Services: []Service{Gateway},
		Help: "write the body of metadata requests into the HTTP log, with all secrets that are in it",
	}, parseBool)
	LogMaskedVariables = define(Spec{
		Flag: "log-masked-variables", Values: "list of names", Group: GroupOperation, Services: []Service{Gateway, QueryExecutor, EventDelivery},
		Help: "GraphQL variables whose values are not shown in logs",
	}, parseList)
	RedactEventTriggerLogs = define(Spec{
		Flag: "redact-event-trigger-logs", Default: "false", Values: boolean, Switch: true, Group: GroupOperation, Services: []Service{EventDelivery},
		Help: "leave values of headers, answers and messages of faults out of the log lines of event triggers",
	}, parseBool)
	RedactScheduledTriggerLogs = define(Spec{
		Flag: "redact-scheduled-trigger-logs", Default: "false", Values: boolean, Switch: true, Group: GroupOperation, Services: []Service{EventDelivery},
		Help: "leave the same out of the log lines of scheduled triggers",
	}, parseBool)
	RedactActionHandlerLogs = define(Spec{
		Flag: "redact-action-handler-logs", Default: "false", Values: boolean, Switch: true, Group: GroupOperation, Services: []Service{QueryExecutor, EventDelivery},
		Help: "leave bodies, values of headers and messages of faults out of the log lines of action handlers",
	}, parseBool)
	TriggersErrorLogLevel = define(Spec{
		Flag: "enable-triggers-error-log-level", Default: "false", Values: boolean, Switch: true, Group: GroupOperation, Services: []Service{EventDelivery},
		Help: "log failed deliveries as errors",
	}, parseBool)
)
