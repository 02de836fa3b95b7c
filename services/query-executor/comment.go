package queryexecutor

import (
	"sync"

	"queryengine/pkg/backend"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
)

// commenter makes the comments of the statements of an operation, as their sources want them.
//
// They are part of the plan, and so is their text: statements stay prepared. Of an operation
// whose shape depends on the values of its variables, a plan has the hash of the request that it
// was made for.
func commenter(op *parse.Operation, values [][]byte) execute.Commenter {
	hash := sync.OnceValue(func() string { return op.Hash(values) })
	return func(source *resolve.Source, field string) *backend.Comment {
		settings := source.QueryTags
		if settings.Disabled {
			return nil
		}
		c := &backend.Comment{
			Format: backend.CommentFormat(settings.Format),
			Tags:   []backend.Tag{{Name: "field_name", Value: field}, {Name: "parameterized_query_hash", Value: hash()}},
		}
		if op.Kind != parse.Subscription {
			c.PerRequest = !settings.OmitRequestID
			if op.Name != "" {
				c.Tags = append(c.Tags, backend.Tag{Name: "operation_name", Value: op.Name})
			}
		}
		return c
	}
}
