package api

import (
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

// showOpenAPI answers with the OpenAPI document of the REST endpoints.
func showOpenAPI(x *exchange) error {
	if err := x.authenticateAdmin(); err != nil {
		return err
	}
	version, err := x.api.MinVersion()
	if err != nil {
		return err
	}
	defer x.limitTime()()
	return x.api.Bus.Call(x.ctx, bus.QueryOpenAPI, &queryv1.OpenAPIRequest{MinVersion: version},
		func() proto.Message { return &queryv1.OpenAPIHead{} }, x)
}
