package config

// Instruments.
var (
	MetricsHighCardinality = define(Spec{
		Flag: "metrics-enable-high-cardinality-labels", Default: "true", Values: boolean, Group: GroupOperation, Services: []Service{Gateway, QueryExecutor, EventDelivery},
		Help: "tell operations apart in metrics, by name and shape, the first thousand of each service; and event triggers",
	}, parseBool)
	TraceDocuments = define(Spec{
		Flag: "trace-sql-query", Variable: "ENABLE_QUERY_TRACING", Default: "false", Values: boolean, Switch: true, Group: GroupOperation, Services: []Service{Gateway, QueryExecutor},
		Help: "put the text of operations into traces",
	}, parseBool)
)
