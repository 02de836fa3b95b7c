package config

import (
	"slices"
	"strings"
)

// experimentalFeatures are the names that may be listed; the help describes their effects.
var experimentalFeatures = []string{
	"inherited_roles", "streaming_subscriptions", "naming_convention", "optimize_permission_filters", "apollo_federation",
	"hide_update_many_fields", "hide_aggregation_predicates", "hide_stream_fields", "group_by_aggregations",
	"bigquery_string_numeric_input", "disable_postgres_arrays", "no_null_unbound_variable_default",
	"remove_empty_subscription_responses",
}

// featuresWithoutEffect are features that may be listed, so that settings carry over, and that
// switch nothing on: what they stand for is missing, or always on where it is an optimisation.
var featuresWithoutEffect = []string{"optimize_permission_filters", "group_by_aggregations", "bigquery_string_numeric_input"}

// FeaturesInEffect are the listed experimental features that have an effect.
func FeaturesInEffect(v *Values) []string {
	return slices.DeleteFunc(slices.Clone(ExperimentalFeatures.Get(v)), func(name string) bool {
		return slices.Contains(featuresWithoutEffect, name)
	})
}

// Schema.
var (
	StringifyNumericTypes = define(Spec{
		Flag: "stringify-numeric-types", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{Metadata, QueryExecutor},
		Help: "answer bigint, numeric, double precision and money as strings",
	}, parseBool)
	InferFunctionPermissions = define(Spec{
		Flag: "infer-function-permissions", Default: "true", Values: boolean, Group: GroupSchema, Services: []Service{Metadata, QueryExecutor, Gateway},
		Help: "a role that may select from a table may call the query functions that return its rows",
	}, parseBool)
	RemoteSchemaSkipNulls = define(Spec{
		Flag: "remote-schema-skip-nulls", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{QueryExecutor},
		Help: "leave null arguments to remote schemas out",
	}, parseBool)
	RemoteSchemaPrioritizeData = define(Spec{
		Flag: "remote-schema-prioritize-data", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{QueryExecutor},
		Help: "deliver the data of a remote answer that has errors, and drop the errors",
	}, parseBool)
	EnableRemoteSchemaPermissions = define(Spec{
		Flag: "enable-remote-schema-permissions", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{Metadata, QueryExecutor, Gateway},
		Help: "restrict roles to permitted parts of remote schemas",
	}, parseBool)
	DatabaseComments = define(Spec{
		Flag: "database-comments", Default: "true", Values: boolean, Group: GroupSchema, Services: []Service{QueryExecutor},
		Help: "describe tables, columns and computed fields in the schema by their comments in the database, where the metadata has none",
	}, parseBool)
	DisableNativeQueryValidation = define(Spec{
		Flag: "disable-native-query-validation", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{Metadata},
		Help: "don't ask the database about native queries when they are tracked",
	}, parseBool)
	EnableRelay = define(Spec{
		Flag: "enable-relay", Default: "true", Values: boolean, Group: GroupSchema, Services: []Service{Gateway},
		Help: "serve Relay at /v1/relay and /v1beta1/relay",
	}, parseBool)
	EnableApolloFederation = define(Spec{
		Flag: "enable-apollo-federation", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{Gateway, QueryExecutor},
		Help: "serve the fields of Apollo Federation; so does the feature apollo_federation",
	}, parseBool)
	BooleanNullCollapse = define(Spec{
		Flag: "v1-boolean-null-collapse", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{QueryExecutor},
		Help: "a comparison with an explicit null is true",
	}, parseBool)
	NullInNonNullableVariables = define(Spec{
		Flag: "null-in-nonnullable-variables", Variable: "BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{QueryExecutor},
		Help: "accept null for variables of non-null types",
	}, parseBool)
	ExperimentalFeatures = defineList(Spec{
		Flag: "experimental-features", Values: "list of features", Group: GroupSchema, Services: []Service{Metadata, QueryExecutor, Gateway},
		Help: "features to switch on; " + strings.Join(featuresWithoutEffect, ", ") + " may be listed and have no effect",
	},
		"Only expecting list of comma separated experimental features, options are:"+strings.Join(experimentalFeatures, ","), experimentalFeatures...)
	DefaultNamingConvention = defineChoice(Spec{
		Flag: "default-naming-convention", Default: "engine-default", Values: "engine-default or graphql-default", Group: GroupSchema, Services: []Service{Metadata, QueryExecutor, Gateway},
		Help: "naming convention of sources that set none; needs the feature naming_convention",
	},
		`naming_convention can either be "engine-default" or "graphql-default"`, "engine-default", "graphql-default")
)

// ApolloFederation reports whether Apollo Federation is served, by either of the two settings.
func ApolloFederation(v *Values) bool {
	return EnableApolloFederation.Get(v) || slices.Contains(ExperimentalFeatures.Get(v), "apollo_federation")
}
