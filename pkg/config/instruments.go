package config

// Instruments.
var (
	MetricsHighCardinality = define(Spec{
		Flag: "metrics-enable-high-cardinality-labels", Default: "true", Values: boolean, Group: GroupOperation, Services: []Service{QueryExecutor, EventDelivery},
		Help: "tell operations apart in metrics, by name and shape, the first thousand of each executor; and event triggers",
	}, parseBool)
)
