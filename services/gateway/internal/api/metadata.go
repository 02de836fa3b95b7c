package api

import (
	"context"
	"net/http"
	"strings"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/jsontext"
	document "queryengine/pkg/metadata"
	metadatav1 "queryengine/proto/metadata/v1"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/limits"
	"queryengine/services/gateway/internal/request"
)

func newApplyHead() proto.Message { return &metadatav1.ApplyHead{} }
func newDataHead() proto.Message  { return &queryv1.DataHead{} }

func metadataV1(x *exchange) error {
	_, body, err := x.readOperation()
	if err != nil {
		return err
	}
	return x.apply(metadatav1.ApplyRequest_ENDPOINT_V1_METADATA, body)
}

func queryV1(x *exchange) error {
	operation, body, err := x.readOperation()
	if err != nil {
		return err
	}
	if document.IsOnRows(operation) {
		return x.executeData(body)
	}
	return x.applyV1(body)
}

func queryV2(x *exchange) error {
	operation, body, err := x.readOperation()
	if err != nil {
		return err
	}
	if !document.IsOnRows(operation) {
		return x.apply(metadatav1.ApplyRequest_ENDPOINT_V2_QUERY, body)
	}
	if !x.session.IsAdmin() {
		return apierror.At(apierror.New(apierror.AccessDenied, "restricted access : admin only").WithStatus(http.StatusBadRequest), "args")
	}
	return withoutArgs(x.executeData(body))
}

// readOperation authenticates, and reads a request as far as its type.
func (x *exchange) readOperation() (operation string, body []byte, err error) {
	if err := x.authenticate(nil); err != nil {
		return "", nil, err
	}
	if body, err = x.readBody(); err != nil {
		return "", nil, err
	}
	if operation, err = request.OperationType(body); err != nil {
		return "", nil, err
	}
	if x.asked.JSON = body; !x.api.Logging.MetadataBodies {
		x.asked.JSON = append(jsontext.AppendString([]byte(`{"type":`), operation), '}')
	}
	return operation, body, nil
}

// apply has metadata run a request. It has no time limit: a change of a large schema may
// take long, and the client that gives up ends it.
func (x *exchange) apply(endpoint metadatav1.ApplyRequest_Endpoint, body []byte) error {
	return x.applyWithin(x.ctx, endpoint, body)
}

func (x *exchange) applyWithin(ctx context.Context, endpoint metadatav1.ApplyRequest_Endpoint, body []byte) error {
	version, _ := x.api.MinVersion() // metadata can be repaired while there is none
	return x.api.Bus.Call(ctx, bus.MetadataApply, &metadatav1.ApplyRequest{
		Endpoint:      endpoint,
		Session:       x.session.Proto(),
		Body:          body,
		RequestId:     x.requestID,
		ClientHeaders: x.api.clientHeaders(x.r.Header, x.r.Host),
		MinVersion:    version,
	}, newApplyHead, x)
}

// applyV1 has metadata run a request of /v1/query. What other roles than admin may do there is run
// data operations, several of them in a bulk request.
func (x *exchange) applyV1(body []byte) error {
	const endpoint = metadatav1.ApplyRequest_ENDPOINT_V1_QUERY
	if x.session.IsAdmin() {
		return x.apply(endpoint, body)
	}
	size, err := request.BulkSize(body)
	if err != nil {
		return err
	}
	if size > maxBatch {
		return limits.BatchExceeded(size, maxBatch)
	}
	defer x.limitTime()()
	return x.limitedData(size, func(ctx context.Context) error { return x.applyWithin(ctx, endpoint, body) })
}

func (x *exchange) executeData(body []byte) error {
	version, err := x.api.MinVersion()
	if err != nil {
		return err
	}
	defer x.limitTime()()
	return x.limitedData(1, func(ctx context.Context) error {
		return x.api.Bus.Call(ctx, bus.DataExecute, &queryv1.DataRequest{
			Session:       x.session.Proto(),
			Body:          body,
			MinVersion:    version,
			ClientHeaders: x.api.clientHeaders(x.r.Header, x.r.Host),
			RequestId:     x.requestID,
		}, newDataHead, x)
	})
}

// withoutArgs takes the step "args" off the path of an error: /v2/query does not have it.
func withoutArgs(err error) error {
	if err == nil {
		return nil
	}
	e := *apierror.From(err)
	if rest, ok := strings.CutPrefix(e.Path, "$.args"); ok {
		e.Path = "$" + rest
	}
	return &e
}
