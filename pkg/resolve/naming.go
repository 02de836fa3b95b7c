package resolve

// Convention is how generated names are spelt.
type Convention string

// The conventions.
const (
	ConventionEngine  Convention = "engine-default"
	ConventionGraphQL Convention = "graphql-default"
)

// RootFields are the root fields that a table may have, whatever a role is allowed.
type RootFields struct {
	Select, SelectByPK, SelectAggregate, SelectStream RootField
	Insert, InsertOne                                 RootField
	Update, UpdateByPK, UpdateMany                    RootField
	Delete, DeleteByPK                                RootField
}

// RootField is one root field after all customisation.
type RootField struct {
	Name string
	// Description is the text for the schema, nil for none.
	Description *string
}
