// Package logtype is the table of the kinds of log lines: what the settings may switch on, what is
// on by default, and which kinds the output may leave out. It is plain data.
package logtype

// Type is the kind of a log line, as the lines and the settings spell it.
type Type string

// The kinds of log lines.
const (
	Startup              Type = "startup"
	HTTP                 Type = "http-log"
	Webhook              Type = "webhook-log"
	WebSocket            Type = "websocket-log"
	JWK                  Type = "jwk-refresh-log"
	Query                Type = "query-log"
	Execution            Type = "execution-log"
	Poller               Type = "livequery-poller-log"
	ActionHandler        Type = "action-handler-log"
	dataConnector        Type = "data-connector-log" // a setting may name it; there are no connectors yet
	ValidateInput        Type = "validate-input-log"
	Unstructured         Type = "unstructured" // lines of a program about itself
	Unhandled            Type = "unhandled-internal-error"
	EventTrigger         Type = "event-trigger"
	EventTriggerProcess  Type = "event-trigger-process"
	ScheduledTrigger     Type = "scheduled-trigger"
	ScheduledTriggerWork Type = "scheduled-trigger-process"
	Metadata             Type = "metadata"
	SchemaSync           Type = "schema-sync"
	WebSocketServer      Type = "ws-server"
	HealthCheck          Type = "health-check-log"
	APILimit             Type = "api-limit-log"
)

// Row describes a kind.
type Row struct {
	Type Type
	// Selectable kinds are written when the settings name them, all others always.
	Selectable bool
	// Default marks the selectable kinds that are written when the settings name none.
	Default bool
	// Frequent kinds have a line for each request or call: such lines wait a moment for others, and
	// are dropped rather than waited for when the output can't keep up.
	Frequent bool
	// Alias is another name of a selectable kind in the settings, "" for none.
	Alias string
}

// rows are in the order in which messages and documentation list them.
var rows = []Row{
	{Type: Startup, Selectable: true, Default: true},
	{Type: HTTP, Selectable: true, Default: true, Frequent: true},
	{Type: Webhook, Selectable: true, Default: true, Frequent: true},
	{Type: WebSocket, Selectable: true, Default: true, Frequent: true},
	{Type: JWK, Selectable: true, Default: true},
	{Type: Query, Selectable: true, Frequent: true},
	{Type: Execution, Selectable: true, Frequent: true},
	{Type: Poller, Selectable: true, Frequent: true},
	{Type: ActionHandler, Selectable: true, Frequent: true},
	{Type: dataConnector, Selectable: true},
	{Type: ValidateInput, Selectable: true, Frequent: true, Alias: "validate-insert-input-log"},
	{Type: Unstructured},
	{Type: Unhandled},
	{Type: EventTrigger, Frequent: true},
	{Type: EventTriggerProcess},
	{Type: ScheduledTrigger, Frequent: true},
	{Type: ScheduledTriggerWork},
	{Type: Metadata},
	{Type: SchemaSync},
	{Type: WebSocketServer},
	{Type: HealthCheck},
	{Type: APILimit, Frequent: true},
}

var byType = func() map[Type]*Row {
	m := make(map[Type]*Row, len(rows))
	for i := range rows {
		m[rows[i].Type] = &rows[i]
	}
	return m
}()

// Of returns the row of a kind; one that is always written for a kind that the table doesn't have.
func Of(t Type) Row {
	if r := byType[t]; r != nil {
		return *r
	}
	return Row{Type: t}
}

// Selectable returns the names of the kinds that the settings may choose, without their aliases.
func Selectable() []string { return names(func(r *Row) bool { return r.Selectable }) }

// Default returns the names of the kinds that are written when the settings choose none.
func Default() []string { return names(func(r *Row) bool { return r.Default }) }

// Aliases returns the other names that the settings may use.
func Aliases() []string {
	var all []string
	for i := range rows {
		if rows[i].Alias != "" {
			all = append(all, rows[i].Alias)
		}
	}
	return all
}

func names(have func(*Row) bool) []string {
	var all []string
	for i := range rows {
		if have(&rows[i]) {
			all = append(all, string(rows[i].Type))
		}
	}
	return all
}
