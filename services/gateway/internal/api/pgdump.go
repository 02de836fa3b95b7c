package api

import (
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	metadatav1 "queryengine/proto/metadata/v1"
)

// dumpType is the content type of a dump.
const dumpType = "application/sql; charset=utf-8"

// dumpSource answers with the schema of a source as SQL.
func dumpSource(x *exchange) error {
	if err := x.authenticateAdmin(); err != nil {
		return err
	}
	body, err := x.readBody()
	if err != nil {
		return err
	}
	return x.api.Bus.Call(x.ctx, bus.MetadataDump, &metadatav1.DumpRequest{Body: body},
		func() proto.Message { return &metadatav1.DumpHead{} }, x)
}
