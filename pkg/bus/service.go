package bus

import (
	"context"

	"google.golang.org/protobuf/proto"
)

// Handler answers one request. It may be called concurrently.
//
// An error that it returns before its first Write reaches the caller, an apierror.Error
// field by field. An error after the first Write cuts the answer off: the caller gets
// ErrCutOff. The request is only to be read, and belongs to the caller after the return.
type Handler func(ctx context.Context, req proto.Message, w ResponseWriter) error

// ResponseWriter takes an answer. It is for one goroutine at a time.
type ResponseWriter interface {
	// SetHead sets what goes in front of the body. It counts only before the first Write.
	SetHead(m proto.Message)
	// Write sends p as part of the body and does not keep it. It waits while the caller
	// is behind, and fails when the caller no longer wants the answer. Pieces of about
	// Config.FrameSize are cheapest.
	Write(p []byte) (int, error)
}

// ServiceInfo describes a service to the NATS tools.
type ServiceInfo struct {
	Name        string
	Version     string // semantic version
	Description string
	// Concurrency bounds the requests in progress, over all endpoints and ways; past it
	// the answer is "busy" at once. 0 is no bound.
	Concurrency int
}

// Service answers requests on a Bus.
type Service struct{}

// Register announces a service.
func (b *Bus) Register(ctx context.Context, info ServiceInfo) (*Service, error) {
	return nil, errUnbuilt
}

// Handle has h answer the requests to ep. The subscription is active on return.
func (s *Service) Handle(ep Endpoint, newRequest func() proto.Message, h Handler) error {
	return errUnbuilt
}

// Stop takes no more requests and waits for those in hand. When ctx ends first, they are
// cancelled and ctx's error is returned. It is safe to call twice.
func (s *Service) Stop(ctx context.Context) error { return errUnbuilt }
