package api

import (
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	metadatav1 "queryengine/proto/metadata/v1"
)

// showSourceHealth answers with the health of the sources that have a health check.
func showSourceHealth(x *exchange) error {
	if err := x.authenticateAdmin(); err != nil {
		return err
	}
	return x.api.Bus.Call(x.ctx, bus.SourceHealth, &metadatav1.SourceHealthRequest{},
		func() proto.Message { return &metadatav1.SourceHealthHead{} }, x)
}
