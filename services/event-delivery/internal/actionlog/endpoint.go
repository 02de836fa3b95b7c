package actionlog

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	actionv1 "queryengine/proto/action/v1"
)

// Endpoints answers what others ask about calls.
type Endpoints struct {
	Log *Log
	// Added signals that there is something to do.
	Added func()
}

// Register adds the handlers.
func (e *Endpoints) Register(s *bus.Service) error {
	return errors.Join(
		s.Handle(bus.ActionEnqueue, func() proto.Message { return &actionv1.EnqueueRequest{} }, e.enqueue),
		s.Handle(bus.ActionRead, func() proto.Message { return &actionv1.ReadRequest{} }, e.read),
		s.Handle(bus.ActionFinished, func() proto.Message { return &actionv1.FinishedRequest{} }, e.finished),
	)
}

// enqueue answers ActionEnqueue.
func (e *Endpoints) enqueue(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*actionv1.EnqueueRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	id, err := e.Log.Add(ctx, &Call{
		Action: in.GetAction(), Input: in.GetInput(), Session: in.GetSessionVariables(), Headers: in.GetHeaders(),
		Version: in.GetMetadataVersion(),
	})
	var unstorable *unstorableError
	if errors.As(err, &unstorable) {
		return apierror.New(apierror.DataException, unstorable.reason)
	}
	if err != nil {
		return fmt.Errorf("log a call: %w", err)
	}
	e.Added()
	w.SetHead(&actionv1.EnqueueHead{Id: id})
	return nil
}

// read answers ActionRead.
func (e *Endpoints) read(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*actionv1.ReadRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	var owner map[string]string
	if in.GetOwnerOnly() {
		owner = given(in.GetSessionVariables())
	}
	entry, err := e.Log.Read(ctx, in.GetAction(), in.GetId(), owner)
	switch {
	case err != nil:
		return fmt.Errorf("look a call up: %w", err)
	case entry == nil:
		w.SetHead(&actionv1.ReadHead{Missing: true})
		return nil
	}
	w.SetHead(&actionv1.ReadHead{CreatedAt: entry.CreatedAt, Errors: entry.Errors})
	if entry.Response == nil {
		return nil
	}
	_, err = w.Write(entry.Response)
	return err
}

// finished answers ActionFinished.
func (e *Endpoints) finished(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*actionv1.FinishedRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	ids, err := e.Log.Finished(ctx, in.GetIds())
	if err != nil {
		return fmt.Errorf("look calls up: %w", err)
	}
	w.SetHead(&actionv1.Finished{Ids: ids})
	return nil
}

func unexpectedRequest(m proto.Message) error {
	return apierror.Newf(apierror.Unexpected, "unexpected request %T", m)
}
