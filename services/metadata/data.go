package metadata

import (
	"context"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/snapshot"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/metadata/internal/apply"
)

// dataLimit bounds the answer of one operation on rows inside of a bulk request, which is
// collected in memory.
const dataLimit = 256 << 20

// dataOnBus has executors run the operations on rows.
type dataOnBus struct{ bus *bus.Bus }

// Execute asks an executor, which first takes over the version that the request builds on.
func (d dataOnBus) Execute(ctx context.Context, o apply.DataOperation) (json.RawMessage, error) {
	request := &queryv1.DataRequest{
		Session: o.Session.Proto(), Body: o.Body, MinVersion: o.Version, ClientHeaders: o.ClientHeaders, RequestId: o.RequestID,
	}
	if o.Overlay != nil {
		raw, err := json.Marshal(o.Overlay)
		if err != nil {
			return nil, err
		}
		request.Overlay = raw
	}
	_, answer, err := d.bus.CallMessage(ctx, bus.DataExecute, request, func() proto.Message { return &queryv1.DataHead{} }, dataLimit)
	return answer, err
}

// Check asks an executor, as Execute does.
func (d dataOnBus) Check(ctx context.Context, documents []string, version int64, overlay *snapshot.Change) ([]string, error) {
	request := &queryv1.CheckRequest{Documents: documents, MinVersion: version}
	if overlay != nil {
		raw, err := json.Marshal(overlay)
		if err != nil {
			return nil, err
		}
		request.Overlay = raw
	}
	head, _, err := d.bus.CallMessage(ctx, bus.QueryCheck, request, func() proto.Message { return &queryv1.CheckHead{} }, dataLimit)
	if err != nil {
		return nil, err
	}
	answer, ok := head.(*queryv1.CheckHead)
	if !ok || len(answer.GetProblems()) != len(documents) {
		return nil, fmt.Errorf("unexpected answer %T to the check of %d documents", head, len(documents))
	}
	return answer.GetProblems(), nil
}
