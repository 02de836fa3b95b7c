package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/gqlerrors"
	"github.com/graphql-go/graphql/language/ast"
	"github.com/graphql-go/graphql/language/parser"
	"github.com/graphql-go/graphql/language/source"

	"queryengine/pkg/extension"
	"queryengine/pkg/session"
)

// RemoteSchema has the resolvers of a graphql-go schema answer the remote schemas whose url is go://name. Resolvers find
// the caller with [SessionOf], and run operations as the caller with [ClientOf]. Their context ends with the request.
//
// A remote relationship asks for the field once for each key, all in one operation: a resolver that returns
// [Loader.Load] looks all keys up at once.
//
// Clients see the message of any error of a resolver, and the code and the extensions of an [Error]. The fields of the
// schema's objects get resolvers around yours, so make the schema for this call.
func RemoteSchema(name string, schema graphql.Schema, options ...HandlerOption) Option {
	s := &goSchema{name: name, schema: schema}
	s.guard()
	s.settle()
	return option(extension.Handler{Kind: extension.RemoteSchema, Name: name, Serve: s.serve, Converse: s.converse}, options)
}

// goSchema executes operations.
type goSchema struct {
	name   string
	schema graphql.Schema
	// documents are the operations that were found valid, by their text. The engine sends few different ones: the values
	// of a client's query are variables.
	documents sync.Map
	mu        sync.Mutex
	kept      int
}

// mostDocuments is how many documents are kept; all are forgotten when there are more.
const mostDocuments = 1000

// longestKept is the longest text that is kept, in bytes.
const longestKept = 16 << 10

type operation struct {
	Query         string          `json:"query"`
	OperationName string          `json:"operationName"`
	Variables     json.RawMessage `json:"variables"`
}

func (s *goSchema) serve(ctx context.Context, r *extension.Request) *extension.Response {
	var o operation
	if err := json.Unmarshal(r.Body, &o); err != nil {
		return answer(http.StatusBadRequest, failed(err))
	}
	return answer(http.StatusOK, s.execute(callOf(ctx, r.Header), &o))
}

// callOf adds the caller, whose session is in the headers, to the context.
func callOf(ctx context.Context, header http.Header) context.Context {
	variables := map[string]string{}
	for name, values := range header {
		if own, ok := session.Canonical(name); ok && len(values) > 0 {
			variables[own] = values[0]
		}
	}
	delete(variables, session.SecretHeader)
	return within(ctx, "", variables)
}

func failed(errs ...error) *graphql.Result {
	result := &graphql.Result{}
	for _, err := range errs {
		result.Errors = append(result.Errors, gqlerrors.FormatError(err))
	}
	return result
}

func (s *goSchema) execute(ctx context.Context, o *operation) *graphql.Result {
	document, variables, refused := s.prepare(ctx, o)
	if refused != nil {
		return refused
	}
	return graphql.Execute(graphql.ExecuteParams{
		Schema: s.schema, AST: document, OperationName: o.OperationName, Args: variables, Context: unending(ctx),
	})
}

// prepare reads an operation; refused is the answer to one that isn't valid.
func (s *goSchema) prepare(ctx context.Context, o *operation) (document *ast.Document, variables map[string]any, refused *graphql.Result) {
	var err error
	defer func() {
		if err != nil {
			refused = failed(err)
		}
	}()
	defer s.outcome(ctx, &err)
	if len(o.Variables) > 0 {
		d := json.NewDecoder(bytes.NewReader(o.Variables))
		d.UseNumber()
		if err = d.Decode(&variables); err != nil {
			return nil, nil, nil
		}
		number(variables)
	}
	if document, refused, err = s.document(o.Query); document != nil {
		s.parseScalars(document, variables)
	}
	return document, variables, refused
}

// document reads the text of an operation; refused is the answer to one that isn't valid.
func (s *goSchema) document(query string) (document *ast.Document, refused *graphql.Result, err error) {
	if kept, ok := s.documents.Load(query); ok {
		if d, ok := kept.(*ast.Document); ok {
			return d, nil, nil
		}
	}
	text := withoutNulls(query)
	document, err = parser.Parse(parser.ParseParams{Source: source.NewSource(&source.Source{Body: []byte(text), Name: "operation"})})
	if err != nil {
		return nil, nil, err
	}
	schema := s.schema // graphql-go writes to it
	if text != query {
		if err := declareNulls(&schema, document); err != nil {
			return nil, nil, err
		}
	}
	if v := graphql.ValidateDocument(&schema, document, nil); !v.IsValid {
		return nil, &graphql.Result{Errors: v.Errors}, nil
	}
	s.keep(query, document)
	return document, nil, nil
}

// number has integers as int, which graphql-go writes into an ID as they are, and other numbers as float64.
func number(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = number(member)
		}
	case []any:
		for i, item := range v {
			v[i] = number(item)
		}
	case json.Number:
		if n, err := strconv.Atoi(v.String()); err == nil {
			return n
		}
		f, _ := v.Float64() // ±Inf if it is too large
		return f
	}
	return v
}

func (s *goSchema) keep(text string, document *ast.Document) {
	if len(text) > longestKept {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == mostDocuments {
		s.documents.Clear()
		s.kept = 0
	}
	s.kept++
	s.documents.Store(strings.Clone(text), document)
}

// errProtocol ends a WebSocket whose other side doesn't speak graphql-transport-ws.
var errProtocol = errors.New("the message is not one of graphql-transport-ws")

// message is one of the protocol graphql-transport-ws.
type message struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// converse serves subscriptions by the protocol graphql-transport-ws.
func (s *goSchema) converse(ctx context.Context, _ string, header http.Header, c extension.Conn) error {
	ctx, end := context.WithCancel(callOf(ctx, header))
	var running sync.WaitGroup
	defer running.Wait()
	defer end()
	ends := map[string]context.CancelFunc{}
	send := func(m message) error {
		text, err := json.Marshal(m)
		if err != nil {
			return err
		}
		return c.Write(ctx, text)
	}
	for {
		text, err := c.Read(ctx)
		if err != nil {
			return nil //nolint:nilerr // the other side has left
		}
		var m message
		if err := json.Unmarshal(text, &m); err != nil {
			return errProtocol
		}
		switch m.Type {
		case "connection_init":
			err = send(message{Type: "connection_ack"})
		case "ping":
			err = send(message{Type: "pong"})
		case "pong":
		case "complete":
			if stop := ends[m.ID]; stop != nil {
				stop()
			}
		case "subscribe":
			one, stop := context.WithCancel(ctx)
			ends[m.ID] = stop
			running.Go(func() {
				defer stop()
				s.follow(one, m, send)
			})
		default:
			return errProtocol
		}
		if err != nil {
			return err
		}
	}
}

// follow sends the results of one subscription.
func (s *goSchema) follow(ctx context.Context, m message, send func(message) error) {
	var o operation
	var document *ast.Document
	var variables map[string]any
	refused := failed(errProtocol)
	if json.Unmarshal(m.Payload, &o) == nil {
		document, variables, refused = s.prepare(ctx, &o)
	}
	refuse := func(r *graphql.Result) {
		list, _ := json.Marshal(r.Errors) // they are texts
		_ = send(message{ID: m.ID, Type: "error", Payload: list})
	}
	if refused != nil {
		refuse(refused)
		return
	}
	var err error
	defer func() {
		if err != nil {
			refuse(failed(err))
		}
	}()
	defer s.outcome(ctx, &err)
	results := graphql.ExecuteSubscription(graphql.ExecuteParams{
		Schema: s.schema, AST: document, OperationName: o.OperationName, Args: variables, Context: ctx,
	})
	defer func() {
		go func() { // the library's goroutine ends with the context, once nothing is left to send
			for range results { //nolint:revive // the subscription has ended
			}
		}()
	}()
	for result := range results {
		for i, e := range result.Errors { // graphql-go leaves out extensions of errors of Subscribe
			if e, ok := e.OriginalError().(extended); ok {
				result.Errors[i].Extensions = e.Extensions()
			}
		}
		payload, err := json.Marshal(result)
		if err != nil {
			payload, _ = json.Marshal(failed(err))
		}
		if ctx.Err() != nil || send(message{ID: m.ID, Type: "next", Payload: payload}) != nil {
			return
		}
	}
	if ctx.Err() == nil {
		_ = send(message{ID: m.ID, Type: "complete"})
	}
}
