package api

import (
	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/request"
)

// explain answers with the plans of an operation.
func explain(x *exchange) error {
	if err := x.authenticateAdmin(); err != nil {
		return err
	}
	body, err := x.readBody()
	if err != nil {
		return err
	}
	r, err := request.ReadExplain(body)
	if err != nil {
		return err
	}
	if x.asked.JSON = body; !x.api.Logging.Masked.Empty() {
		x.asks(r.GraphQL)
	}
	version, err := x.api.MinVersion()
	if err != nil {
		return err
	}
	defer x.limitTime()()
	return x.api.Bus.Call(x.ctx, bus.QueryExplain, &queryv1.ExplainRequest{
		Session:       r.User.Proto(),
		Query:         r.Query,
		OperationName: r.OperationName,
		Variables:     r.Variables,
		MinVersion:    version,
		Relay:         r.Relay,
	}, newExecuteHead, x)
}
