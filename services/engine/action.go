package engine

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	"queryengine/pkg/extension"
)

// Action has f handle the actions whose handler is go://name. The fields of In, a struct, are the action's arguments;
// Out is its output type. The types of both are described under [Types]; metadata that doesn't fit them is reported as
// inconsistent.
//
// Clients see the message of an [Error] that f returns, and "internal error" for any other.
func Action[In, Out any](name string, f func(context.Context, In) (Out, error), options ...HandlerOption) Option {
	definition := define[In, Out]()
	return option(extension.Handler{
		Kind: extension.Action, Name: name, Definition: definition,
		Serve: func(ctx context.Context, r *extension.Request) *extension.Response {
			var call struct {
				Input     In                `json:"input"`
				Variables map[string]string `json:"session_variables"`
			}
			if err := decode(r.Body, &call); err != nil {
				return failure(&Error{Message: fmt.Sprintf("the input doesn't fit the action's handler: %s", err), Code: "parse-failed"})
			}
			out, err := f(within(ctx, "", call.Variables), call.Input)
			if err != nil {
				return failure(err)
			}
			if list := reflect.ValueOf(out); definition.Output.Of != nil && list.Kind() == reflect.Slice && list.IsNil() {
				return answer(http.StatusOK, []struct{}{}) // which nil is in Go, and null isn't
			}
			return answer(http.StatusOK, &out) // whose types may encode themselves by methods of pointers
		},
	}, options)
}
