package apply

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"queryengine/pkg/metadata"
)

// body runs an operation on something that is not in the document.
type body func(ctx context.Context, w *work, o *metadata.Operation) (json.RawMessage, error)

// bodies are the operations that the service runs, by the types of their arguments.
var bodies = byArgs(slices.Concat(sqlBodies, eventBodies, scheduledBodies, historyBodies, statusBodies))

// served is a body with the type of the arguments that it takes.
type served struct {
	args reflect.Type
	body body
}

// serve is the body of an operation whose arguments are an A. kind is the kind of sources that the
// name of the operation asks for.
func serve[A any](run func(w *work, ctx context.Context, kind string, args *A) (json.RawMessage, error)) served {
	return served{reflect.TypeFor[*A](), func(ctx context.Context, w *work, o *metadata.Operation) (json.RawMessage, error) {
		return run(w, ctx, o.Kind, o.Args.(*A))
	}}
}

func byArgs(list []served) map[reflect.Type]body {
	all := make(map[reflect.Type]body, len(list))
	for _, s := range list {
		all[s.args] = s.body
	}
	return all
}
