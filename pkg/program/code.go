package program

import (
	"context"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/extension"
	queryv1 "queryengine/proto/query/v1"
)

// largestAnswer bounds the answer to an operation that code runs, in bytes: it is kept in memory.
const largestAnswer = 64 << 20

// Use has metadata name code of the set, and lets the code run operations. The services are built after that.
func (e *Env) Use(code *extension.Set) {
	e.Code = code
	code.LogTo(e.Logger)
	code.Connect(func(ctx context.Context, o *extension.Operation) ([]byte, error) {
		_, answer, err := e.Bus.CallMessage(ctx, bus.QueryExecute, &queryv1.ExecuteRequest{
			Session: o.Session.Proto(), Query: o.Query, OperationName: o.OperationName, Variables: o.Variables,
		}, func() proto.Message { return &queryv1.ExecuteHead{} }, largestAnswer)
		return answer, err
	})
}
