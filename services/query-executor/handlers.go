package queryexecutor

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/bus"
	"queryengine/pkg/endpoint"
	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/assist"
	"queryengine/services/query-executor/internal/openapi"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/querylog"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/validate"
)

// execute answers QueryExecute.
func (e *Executor) execute(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.ExecuteRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	q := request{
		session: session.FromProto(in.GetSession()), text: in.GetQuery(), operation: in.GetOperationName(),
		variables: in.GetVariables(), minVersion: in.GetMinVersion(), relay: in.GetRelay(), readOnly: in.GetReadOnly(), writesNothing: in.GetWritesNothing(),
		clientHeaders: in.GetClientHeaders(), id: in.GetRequestId(), describe: in.GetDescribe(),
	}
	s := e.borrow()
	defer e.giveBack(s)
	s.responder.To = w
	sink := e.spool.Writer(ctx, &s.responder)
	ctx = telemetry.WithRequestID(ctx, q.id)
	out := backend.NewAnswer(s.buffer, sink, e.config.FrameSize)
	started := time.Now()
	err := sink.Close(e.run(ctx, &q, out, s))
	s.buffer = out.Buf
	e.metrics.requests.done(&q, time.Since(started), err)
	if err == nil {
		e.metrics.requests.analyse(e.state.Load().measured, &q, out.Sent())
	}
	e.metrics.requests.scan(&q, s.run.Scan.Bytes())
	e.logExecution(ctx, &q, started, querylog.Execution{Size: out.Sent(), Scanned: s.run.Scan.Bytes(), Err: err})
	if err = e.metrics.failed(err); err != nil {
		err = s.responder.Failed(err)
	}
	return err
}

// logExecution logs an operation that has ended; it adds the times.
func (e *Executor) logExecution(ctx context.Context, q *request, started time.Time, of querylog.Execution) {
	if !e.queryLog.LogsExecution() {
		return
	}
	now := time.Now()
	of.Planning = now.Sub(started)
	if !q.planned.IsZero() {
		of.Planning, of.Running = q.planned.Sub(started), now.Sub(q.planned)
	}
	e.queryLog.Done(ctx, q.logged(), now, of)
}

// explain answers QueryExplain.
func (e *Executor) explain(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.ExplainRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	q := request{
		session: session.FromProto(in.GetSession()), text: in.GetQuery(), operation: in.GetOperationName(),
		variables: in.GetVariables(), minVersion: in.GetMinVersion(), relay: in.GetRelay(), anyQuery: true,
	}
	if d, err := e.document(ctx, &q); err == nil {
		switch d.Operation.Kind {
		case parse.Mutation:
			return apierror.New(apierror.InvalidParams, "only queries can be explained")
		case parse.Subscription:
			return e.explainSubscription(ctx, &q, w)
		}
	}
	s := e.borrow()
	defer e.giveBack(s)
	r, err := e.prepare(ctx, &q, s)
	if err != nil {
		return err
	}
	body, err := r.plan.Explain(ctx, &s.run)
	if err != nil {
		return err
	}
	_, err = w.Write(body)
	return err
}

// openAPI answers QueryOpenAPI.
func (e *Executor) openAPI(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.OpenAPIRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	st, err := e.stateAt(ctx, in.GetMinVersion())
	if err != nil {
		return err
	}
	role := e.role(st, &request{session: &session.Session{Role: session.Admin, BackendOnly: true}})
	endpoints, _ := endpoint.Compile(st.snapshot.Document)
	body, err := openapi.Describe(endpoints, role, parse.Limits{Tokens: e.config.MaxTokens})
	if err != nil {
		return err
	}
	_, err = w.Write(body)
	return err
}

// assist answers QueryAssist.
func (e *Executor) assist(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.AssistRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	st, err := e.stateAt(ctx, in.GetMinVersion())
	if err != nil {
		return err
	}
	user := session.FromProto(in.GetSession())
	role := e.role(st, &request{session: user})
	limits := parse.Limits{Tokens: e.config.MaxTokens}
	if !strings.HasPrefix(in.GetSubject(), "tool") && slices.Contains(st.withoutIntrospection, user.Role) {
		return apierror.New(apierror.ValidationFailed, "introspection is disabled for the role")
	}
	var body []byte
	switch in.GetSubject() {
	case "tools":
		var list assist.List
		if list, err = assist.Tools(st.tools(user), role, limits, in.GetText(), int(in.GetLimit())); err == nil {
			body, err = json.Marshal(list)
		}
	case "tool":
		if assist.Offers(st.tools(user), role, limits, in.GetText()) {
			body = []byte("true")
		}
	case "search":
		body, err = json.Marshal(assist.Search(role, in.GetText(), int(in.GetLimit())))
	case "tables":
		body, err = json.Marshal(assist.Tables(role, in.GetText(), int(in.GetLimit())))
	case "type":
		body = []byte(assist.Describe(role, in.GetText()))
	case "schema":
		body = []byte(assist.SDL(role))
	default:
		err = apierror.Newf(apierror.BadRequest, "nothing describes %q", in.GetSubject())
	}
	if err == nil {
		_, err = w.Write(body)
	}
	return err
}

// check answers QueryCheck: the errors of each of the documents, for admin.
func (e *Executor) check(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.CheckRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	resolved, err := e.dataop.Schema(ctx, in.GetMinVersion(), in.GetOverlay())
	if err != nil {
		return err
	}
	role := schema.New(resolved, session.Admin, e.schemaOptions(true, false))
	relay := sync.OnceValue(func() *schema.Role { return schema.New(resolved, session.Admin, e.schemaOptions(true, true)) })
	problems := make([]string, len(in.GetDocuments()))
	for i, document := range in.GetDocuments() {
		problems[i] = validate.Check(document, role, parse.Limits{Tokens: e.config.MaxTokens})
		if problems[i] != "" && validate.Check(document, relay(), parse.Limits{Tokens: e.config.MaxTokens}) == "" {
			problems[i] = "" // it is for Relay
		}
	}
	w.SetHead(&queryv1.CheckHead{Problems: problems})
	return nil
}

// data answers DataExecute.
func (e *Executor) data(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.DataRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	sink := e.spool.Writer(ctx, w)
	return e.metrics.failed(sink.Close(e.dataop.Execute(ctx, in, sink)))
}
