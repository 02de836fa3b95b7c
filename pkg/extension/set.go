package extension

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Scheme is that of URLs which name code.
const Scheme = "go"

// Kind is what a piece of code answers.
type Kind string

// The kinds.
const (
	RemoteSchema   Kind = "remote schema"
	Action         Kind = "action"
	Event          Kind = "event trigger"
	Schedule       Kind = "scheduled trigger"
	Authentication Kind = "authentication hook"
	ValidateInput  Kind = "input validation"
	// HTTP is an http.Handler, which answers calls of all kinds.
	HTTP Kind = "HTTP handler"
)

// Request is a call as an HTTP server would get it.
type Request struct {
	Method string
	URL    *url.URL
	Header http.Header
	// Body belongs to the call alone.
	Body []byte
}

// Response is its answer.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// Failure is why the code failed; it is logged.
	Failure error
}

// Conn is the handler's side of a WebSocket that no network carries. One goroutine may read while another one writes.
type Conn interface {
	// Read returns the next message; it fails once the other side is gone.
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, message []byte) error
}

// Handler is one piece of code.
type Handler struct {
	Kind Kind
	// Name is how metadata calls it.
	Name string
	// Concurrency bounds the calls in progress, and the WebSockets apart from them, which may stay for days;
	// DefaultConcurrency when it is 0. Others wait.
	Concurrency int
	// Serve answers a call. Its context ends with the caller's patience.
	Serve func(ctx context.Context, r *Request) *Response
	// Converse serves a WebSocket until it returns, which closes it; nil for code that has none.
	Converse func(ctx context.Context, protocol string, header http.Header, c Conn) error
	// Definition describes the types of an action, nil where they aren't known.
	Definition *Definition
}

// DefaultConcurrency is how many calls of one handler run at once.
const DefaultConcurrency = 100

// Set is the code of a build. It is safe for concurrent use; the nil Set is empty.
type Set struct {
	handlers map[string]*registered
	logger   *slog.Logger
	run      Runner
}

type registered struct {
	Handler
	// calls and sockets have an item for each one in progress.
	calls, sockets chan struct{}
}

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// New makes a set. Its error lists every name that is malformed or taken.
func New(handlers ...Handler) (*Set, error) {
	s := &Set{handlers: map[string]*registered{}, logger: slog.New(slog.DiscardHandler)}
	var faults []error
	for _, h := range handlers {
		known := s.handlers[strings.ToLower(h.Name)]
		switch {
		case !validName.MatchString(h.Name):
			faults = append(faults, fmt.Errorf("%s %q: a name consists of letters, digits, dots, hyphens and underscores", h.Kind, h.Name))
		case known != nil:
			faults = append(faults, fmt.Errorf("%s %q: a handler (%s) has this name already", h.Kind, h.Name, known.Kind))
		case h.Concurrency < 0:
			faults = append(faults, fmt.Errorf("%s %q: the concurrency is negative", h.Kind, h.Name))
		default:
			if h.Concurrency == 0 {
				h.Concurrency = DefaultConcurrency
			}
			s.handlers[strings.ToLower(h.Name)] = &registered{h, make(chan struct{}, h.Concurrency), make(chan struct{}, h.Concurrency)}
		}
	}
	return s, errors.Join(faults...)
}

// LogTo sets where panics are logged. It is called before the first call.
func (s *Set) LogTo(l *slog.Logger) {
	if s != nil && l != nil {
		s.logger = l
	}
}

// Handlers are those of the set, by name.
func (s *Set) Handlers() []Handler {
	if s == nil {
		return nil
	}
	var list []Handler
	for _, name := range slices.Sorted(maps.Keys(s.handlers)) {
		list = append(list, s.handlers[name].Handler)
	}
	return list
}

// find returns the handler that a URL names, whose host is in lower case.
func (s *Set) find(name string) *registered {
	if s == nil {
		return nil
	}
	return s.handlers[strings.ToLower(name)]
}

// Handler returns the handler that a URL names, nil for other URLs and for code that the build doesn't have.
func (s *Set) Handler(address string) *Handler {
	name, ok := Name(address)
	if !ok {
		return nil
	}
	if r := s.find(name); r != nil {
		return &r.Handler
	}
	return nil
}

// Name is the name in a URL of the scheme.
func Name(address string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(address, Scheme+"://")
	if !ok {
		return "", false
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest, true
}

// Fault is why an address can't serve calls of a kind, "" when it can or names no code.
func (s *Set) Fault(kind Kind, address string) string {
	name, ok := Name(address)
	if !ok {
		return ""
	}
	switch r := s.find(name); {
	case r == nil:
		return NoHandler(name)
	case r.Kind != kind && r.Kind != HTTP:
		return fmt.Sprintf("go://%s serves calls of another kind (%s)", name, r.Kind)
	}
	return ""
}

// NoHandler is the message about code that the build doesn't have.
func NoHandler(name string) string {
	return fmt.Sprintf("this build of the engine has no handler %q (go://%s)", name, name)
}
