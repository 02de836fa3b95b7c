module queryengine/services/query-executor

go 1.26.8

require (
	queryengine/pkg v0.0.0
	queryengine/proto v0.0.0
)

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/graphql-go/graphql v0.8.1 // indirect
	github.com/vektah/gqlparser/v2 v2.5.64 // indirect
)

replace queryengine/proto => ../../proto

replace queryengine/pkg => ../../pkg
