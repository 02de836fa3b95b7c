package bus_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

// sink is a caller that does something with the pieces of its answer.
type sink func(p []byte) error

func (sink) Head(proto.Message) error { return nil }

func (s sink) Write(p []byte) (int, error) { return len(p), s(p) }

// TestFaultsOfCallsAreTheirOwn: calls share connections, messages, the goroutines of a service and what is known of its replicas. Whatever some do,
// the others have their answers.
func TestFaultsOfCallsAreTheirOwn(t *testing.T) {
	t.Parallel()
	handler := func(ctx context.Context, req proto.Message, w bus.ResponseWriter) error {
		switch query := req.(*queryv1.ExecuteRequest).GetQuery(); query {
		case "fails":
			return apierror.New(apierror.DataException, "no")
		case "fails late":
			_, _ = w.Write([]byte("some"))
			_ = bus.Flush(w)
			return errors.New("no")
		case "hangs":
			<-ctx.Done()
			return ctx.Err()
		case "panics":
			panic("unforeseen")
		case "panics late":
			_, _ = w.Write([]byte("some"))
			_ = bus.Flush(w)
			panic("unforeseen")
		case "sends garbage":
			_, err := w.Write([]byte("\xff\xff\xff\xff\xff\x00=.*>\r\nMSG x 1 5\r\n"))
			return err
		case "is slow":
			piece := []byte(strings.Repeat("x", 100_000))
			for ctx.Err() == nil {
				if _, err := w.Write(piece); err != nil {
					return err
				}
			}
			return ctx.Err()
		}
		return echo(ctx, req, w)
	}
	ways(t, handler, func(t *testing.T, caller *bus.Bus) {
		for _, fault := range []string{"fails", "fails late", "hangs", "panics", "panics late", "sends garbage", "is slow", "is cancelled", "leaves", "panics itself"} {
			ctx, cancel := context.WithCancel(t.Context())
			faulty := func() {
				at, request := ctx, &queryv1.ExecuteRequest{Query: fault}
				take := func([]byte) error { return nil }
				switch fault {
				case "is slow": // it takes nothing more either
					take = func([]byte) error {
						<-ctx.Done()
						return ctx.Err()
					}
				case "is cancelled":
					own, leave := context.WithCancel(ctx)
					go leave()
					at, request.Query = own, "hangs"
				case "leaves":
					request.Query = "is slow"
					take = func([]byte) error { return errors.New("enough") }
				case "panics itself":
					defer func() { _ = recover() }()
					request.Query = "is slow"
					take = func([]byte) error { panic("unforeseen") }
				}
				_ = caller.Call(at, bus.QueryExecute, request, newHead, sink(take))
			}
			var faults, healthy sync.WaitGroup
			for range 8 {
				faults.Go(faulty)
			}
			failures := make(chan error, 100)
			for i := range cap(failures) {
				healthy.Go(func() {
					query := strings.Repeat("well", 1+i*i)
					_, body, err := call(t.Context(), caller, query)
					if err == nil && body != query {
						err = errors.New("the answer is another one")
					}
					failures <- err
				})
			}
			healthy.Wait()
			cancel()
			faults.Wait()
			close(failures)
			for err := range failures {
				require.NoError(t, err, fault)
			}
		}
	})
}
