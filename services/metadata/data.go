package metadata

import (
	"context"
	"encoding/json"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	queryv1 "queryengine/proto/query/v1"
)

// dataLimit bounds the answer of one operation on rows inside of a bulk request, which is
// collected in memory.
const dataLimit = 256 << 20

// dataOnBus has executors work off the operations on rows.
type dataOnBus struct{ bus *bus.Bus }

// Execute asks an executor, which first takes over the version that the request builds on.
func (d dataOnBus) Execute(
	ctx context.Context, s *session.Session, body json.RawMessage, version int64, overlay *snapshot.Change,
) (json.RawMessage, error) {
	request := &queryv1.DataRequest{Session: s.Proto(), Body: body, MinVersion: version}
	if overlay != nil {
		raw, err := json.Marshal(overlay)
		if err != nil {
			return nil, err
		}
		request.Overlay = raw
	}
	_, answer, err := d.bus.CallMessage(ctx, bus.DataExecute, request, func() proto.Message { return &queryv1.DataHead{} }, dataLimit)
	return answer, err
}
