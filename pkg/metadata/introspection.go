package metadata

import (
	"encoding/json"
	"slices"
)

// GraphQLIntrospection lists the roles that may not introspect the GraphQL schema.
type GraphQLIntrospection struct {
	DisabledForRoles []string `json:"disabled_for_roles" meta:"required"`
}

// SetGraphQLIntrospection are the arguments of set_graphql_schema_introspection_options.
type SetGraphQLIntrospection struct{ GraphQLIntrospection }

// Apply replaces the options; an empty list takes them away.
func (a *SetGraphQLIntrospection) Apply(v View) (*Result, error) {
	options := GraphQLIntrospection{DisabledForRoles: slices.Clone(a.DisabledForRoles)}
	slices.Sort(options.DisabledForRoles)
	options.DisabledForRoles = slices.Compact(options.DisabledForRoles)
	raw, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	doc := *v.Document
	if doc.Introspection = raw; saysNothing(raw) {
		doc.Introspection = nil
	}
	return &Result{Document: &doc}, nil
}

// WithoutIntrospection are the roles that may not ask what the GraphQL schema consists of.
func (d *Document) WithoutIntrospection() []string {
	var options GraphQLIntrospection
	if d.Introspection == nil || decode(d.Introspection, &options) != nil {
		return nil
	}
	return options.DisabledForRoles
}
