package cache

import (
	"math"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

// Writer takes an answer; its head comes first. bus.ResponseWriter is one.
type Writer interface {
	SetHead(m proto.Message)
	Write(p []byte) (int, error)
}

// Responder stands between an answer and its Writer. As it is it hands on all there is; once
// told to Hold, it keeps what may be stored until Release.
type Responder struct {
	To Writer

	// SessionBound and Revalidate describe the answer of an operation with @cached, as its head does.
	SessionBound, Revalidate bool

	headers []*queryv1.Header
	about   About
	key     Key
	cache   *Cache
	holding bool
	held    []byte
}

// Write passes p on, or holds it back. An answer that gets too large is passed on with a head which
// declares that it isn't stored.
func (r *Responder) Write(p []byte) (int, error) {
	if !r.holding {
		return r.To.Write(p)
	}
	if len(r.held)+len(p) <= r.cache.MaxEntry && r.cache.reserve(len(p)) {
		r.held = append(r.held, p...)
		return len(p), nil
	}
	if err := r.Release(SizeExceeded, 0); err != nil {
		return 0, err
	}
	return r.To.Write(p)
}

// AddHeaders adds headers for the client, before anything is written.
func (r *Responder) AddHeaders(list ...*queryv1.Header) {
	r.headers = append(r.headers, list...)
	r.setHead()
}

// About is what the caller learns of the operation: its parameterized query hash, name and kind.
type About struct{ Hash, Name, Kind string }

// Describe describes the operation to the caller, before anything is written.
func (r *Responder) Describe(a About) {
	r.about = a
	r.setHead()
}

// Failed returns an error that takes the added headers to the client: a handler that refuses a request may end the client's session.
func (r *Responder) Failed(err error) error {
	if len(r.headers) == 0 {
		return err
	}
	head := r.head()
	head.Headers = r.headers
	return bus.WithHead(err, head)
}

func (r *Responder) head() *queryv1.ExecuteHead {
	return &queryv1.ExecuteHead{
		ParameterizedQueryHash: r.about.Hash, OperationName: r.about.Name, OperationType: r.about.Kind,
		SessionBound: r.SessionBound, Revalidate: r.Revalidate,
	}
}

func (r *Responder) setHead() {
	if !r.holding && r.To != nil {
		head := r.head()
		head.Headers = r.headers
		r.To.SetHead(head)
	}
}

// Hold buffers what is written from now on, as far as the cache would store it. Drop ends it.
func (r *Responder) Hold(k Key, c *Cache) { r.key, r.cache, r.holding = k, c, true }

// Drop discards the buffer.
func (r *Responder) Drop() {
	r.cache.free(len(r.held))
	r.holding, r.held = false, nil
}

// Held is the buffered answer; false when it got too large, and was sent already.
func (r *Responder) Held() ([]byte, bool) { return r.held, r.holding }

// Release sends the buffered answer. left is how long the stored answer will live, 0 for one that isn't
// stored.
func (r *Responder) Release(w Warning, left time.Duration) error {
	body := r.held
	r.Drop()
	return r.Answer(r.key, body, w, left)
}

// Answer writes the head of an answer, and the body, or its beginning.
func (r *Responder) Answer(k Key, body []byte, w Warning, left time.Duration) error {
	if r.To == nil {
		return nil
	}
	head := r.head()
	head.Headers = []*queryv1.Header{
		{Name: "X-Engine-Query-Cache-Key", Value: k.Key},
		{Name: "X-Engine-Query-Family-Cache-Key", Value: k.Family},
	}
	if left > 0 {
		age := strconv.Itoa(int(math.Ceil(left.Seconds())))
		head.Headers = append(head.Headers, &queryv1.Header{Name: "Cache-Control", Value: "max-age=" + age})
	}
	if w != NoWarning {
		head.Headers = append(head.Headers, &queryv1.Header{Name: "Warning", Value: string(w)})
	}
	head.Headers = append(head.Headers, r.headers...)
	r.To.SetHead(head)
	if len(body) == 0 {
		return nil
	}
	_, err := r.To.Write(body)
	return err
}
