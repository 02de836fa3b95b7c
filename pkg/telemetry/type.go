package telemetry

// Type is the kind of a log line.
type Type string

// The kinds of log lines that are switched on and off by the settings.
const (
	LogStartup       Type = "startup"
	LogHTTP          Type = "http-log"
	LogWebhook       Type = "webhook-log"
	LogWebSocket     Type = "websocket-log"
	LogJWK           Type = "jwk-refresh-log"
	LogQuery         Type = "query-log"
	LogExecution     Type = "execution-log"
	LogPoller        Type = "livequery-poller-log"
	LogActionHandler Type = "action-handler-log"
	LogValidateInput Type = "validate-input-log"
)

// The kinds that are always on.
const (
	// LogUnstructured are the lines of a program about itself, which have no other type.
	LogUnstructured            Type = "unstructured"
	LogUnhandled               Type = "unhandled-internal-error"
	LogEventTrigger            Type = "event-trigger"
	LogEventTriggerProcess     Type = "event-trigger-process"
	LogScheduledTrigger        Type = "scheduled-trigger"
	LogScheduledTriggerProcess Type = "scheduled-trigger-process"
	LogCronGeneratorProcess    Type = "cron-event-generator-process"
	LogMetadata                Type = "metadata"
	LogSchemaSync              Type = "schema-sync"
	LogWebSocketServer         Type = "ws-server"
	LogCatalogMigration        Type = "source-catalog-migration"
	LogHealthCheck             Type = "health-check-log"
	LogAPILimit                Type = "api-limit-log"
	LogCache                   Type = "cache-log"
)

// validateInputAlias is another name of LogValidateInput in the settings.
const validateInputAlias = "validate-insert-input-log"

// selectable says that the settings have to name a type for its lines to be written.
func (t Type) selectable() bool {
	switch t {
	case LogStartup, LogHTTP, LogWebhook, LogWebSocket, LogJWK, LogQuery, LogExecution, LogPoller,
		LogActionHandler, LogValidateInput:
		return true
	}
	return false
}

// frequent says that there is a line for each request or call: such lines wait a moment for
// others, and are left out rather than waited for when the output can't keep up.
func (t Type) frequent() bool {
	switch t {
	case LogHTTP, LogWebSocket, LogWebhook, LogQuery, LogExecution, LogPoller, LogActionHandler, LogValidateInput,
		LogEventTrigger, LogScheduledTrigger, LogAPILimit:
		return true
	}
	return false
}
