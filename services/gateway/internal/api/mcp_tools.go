package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/querylog"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/limits"
	"queryengine/services/gateway/internal/request"
)

// assistant answers one message.
type assistant struct {
	x   *exchange
	ctx context.Context //nolint:containedctx // it lives as long as the request
	// within is ctx within the limits of the role, nil outside of them.
	within context.Context //nolint:containedctx // see ctx
	// rows is the most rows of an answer. promises reports whether the tool has a schema of its answers.
	rows     int
	promises bool
}

// has reports whether assistants get one of the engine's own tools, or the resources or prompts.
func (a *assistant) has(part string) bool { return slices.Contains(a.x.api.MCP.Discovery, part) }

// isOwn reports whether a tool is one of the engine's own that assistants get.
func (a *assistant) isOwn(tool string) bool {
	return tool != partResources && tool != partPrompts && a.has(tool)
}

// describe asks an executor about the role's schema.
func (a *assistant) describe(subject, text string, limit int) ([]byte, error) {
	version, err := a.x.api.MinVersion()
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	err = a.limited("", func(ctx context.Context) error {
		return a.x.api.Bus.Call(ctx, bus.QueryAssist, &queryv1.AssistRequest{
			Session: a.x.session.Proto(), MinVersion: version, Subject: subject, Text: text, Limit: int32(limit), //nolint:gosec // it is small
		}, func() proto.Message { return &queryv1.AssistHead{} }, &bounded{to: &body, most: largestSchema})
	})
	return body.Bytes(), err
}

// limited runs a part of a call within the limits of the role. A call counts once.
func (a *assistant) limited(operation string, do func(context.Context) error) error {
	if a.within != nil {
		return a.x.api.refused(a.ctx, a.x.session, operation, a.x.requestID, a.ended(do(a.within)))
	}
	return a.x.api.limited(a.ctx, a.x.session, accesslog.ClientIP(a.x.r), operation, a.x.requestID, func(ctx context.Context) error {
		a.within = ctx
		defer func() { a.within = nil }()
		return do(ctx)
	})
}

// ended is the error of work in a part of a call: that of the role's time limit where this has ended it.
func (a *assistant) ended(err error) error {
	var late, over *apierror.Error
	if deadline, ok := a.within.Deadline(); ok && errors.As(err, &late) && late.Code == apierror.Timeout && time.Until(deadline) < limits.TimerSlack {
		<-a.within.Done() // the executor has exceeded it first
	}
	if err != nil && errors.As(context.Cause(a.within), &over) {
		return over
	}
	return err
}

// bounded collects an answer, and of one that is too large the beginning.
type bounded struct {
	to   *bytes.Buffer
	most int
	// head gets the head of the answer, nil for none.
	head func(proto.Message)
}

// Head implements bus.Sink.
func (b *bounded) Head(m proto.Message) error {
	if b.head != nil {
		b.head(m)
	}
	return nil
}

// errLarge is for answers that are too large to keep.
var errLarge = errors.New("the answer is too large")

// Write implements bus.Sink.
func (b *bounded) Write(p []byte) (int, error) {
	fits := p[:min(len(p), b.most-b.to.Len())]
	n, _ := b.to.Write(fits) // a buffer takes everything
	if n < len(p) {
		return n, errLarge
	}
	return n, nil
}

// toolList is the answer of an executor.
type toolList struct {
	Tools []struct {
		Name, Title, Description string
		Input, Output            json.RawMessage
		ReadOnly                 bool `json:"read_only"`
		Destructive, Idempotent  bool
	} `json:"tools"`
	Next string `json:"next"`
}

func (a *assistant) tools(p *mcp.ListToolsParams) (*mcp.ListToolsResult, error) {
	result, after := &mcp.ListToolsResult{Tools: []*mcp.Tool{}, Cacheable: ofTheCaller}, ""
	if p != nil {
		after = p.Cursor
	}
	if after == "" {
		result.Tools = append(result.Tools, a.own()...)
	}
	body, err := a.describe("tools", after, mcpPage)
	if err != nil {
		return nil, protocolError(err)
	}
	var list toolList
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	closed := false
	for _, t := range list.Tools {
		if a.isOwn(t.Name) {
			continue // the engine's own counts
		}
		result.Tools = append(result.Tools, &mcp.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.Input, OutputSchema: t.Output,
			Annotations: &mcp.ToolAnnotations{
				Title: t.Title, ReadOnlyHint: t.ReadOnly, DestructiveHint: &t.Destructive, IdempotentHint: t.Idempotent || t.ReadOnly, OpenWorldHint: &closed,
			},
		})
	}
	result.NextCursor = list.Next
	return result, nil
}

// own are the engine's tools.
func (a *assistant) own() []*mcp.Tool {
	closed := false
	text := func(description string) map[string]any {
		return map[string]any{"type": "string", "description": description}
	}
	object := func(required []string, properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	}
	all := []*mcp.Tool{
		{
			Name: toolSearch, Title: "Search the schema", Description: "Find types and fields by words in their names and comments. Those that fit most words come first. Begin here.",
			InputSchema: object([]string{"text"}, map[string]any{
				"text": text("words, such as the things that a question is about"), "limit": map[string]any{"type": "integer", "minimum": 1, "maximum": mostHits, "default": defaultHits},
			}),
		},
		{
			Name: toolDescribe, Title: "Describe a type", Description: "The fields, arguments and comments of a type as GraphQL text.",
			InputSchema: object([]string{"name"}, map[string]any{"name": text("name of a type, or of a root field for its type")}),
		},
		{
			Name: toolQuery, Title: "Run a query", Description: "Run a GraphQL query. It can't change anything. Select few fields, and use limit and offset.",
			InputSchema: object([]string{"query"}, map[string]any{
				"query": text("a GraphQL query"), "variables": map[string]any{"type": "object", "description": "values of its variables"},
			}),
		},
		{
			Name: toolExplain, Title: "Explain a query", Description: "The SQL of a GraphQL query and the database's plan of it.",
			InputSchema: object([]string{"query"}, map[string]any{
				"query": text("a GraphQL query"), "variables": map[string]any{"type": "object", "description": "values of its variables"},
			}),
		},
	}
	return slices.DeleteFunc(all, func(t *mcp.Tool) bool {
		t.Annotations = &mcp.ToolAnnotations{Title: t.Title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
		return !a.has(t.Name)
	})
}

// call runs a tool. What goes wrong in it is a result, so that the assistant sees it.
func (a *assistant) call(p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
	p.Name = jsontext.Cut(p.Name, longestName) // answers, logs and traces have it
	result, err := a.run(p)
	switch { // whatever failed because of it
	case errors.Is(a.ctx.Err(), context.DeadlineExceeded):
		result, err = a.failed(fmt.Sprintf("the call took longer than %s (%s)", a.x.api.MCP.TimeLimit, apierror.TimeLimitExceeded)), nil
	case a.ctx.Err() != nil:
		result, err = a.failed("the call was cancelled"), nil
	}
	outcome := "success"
	switch {
	case err != nil:
		outcome = "refused"
	case result.IsError:
		outcome = "error"
	}
	tool := p.Name
	if err != nil {
		tool = "" // made up by the client
	}
	a.x.api.Metrics.mcpCalls.WithLabelValues(tool, a.x.api.assistants.calls.role(tool, a.x.session.Role), outcome).Inc()
	trace.SpanFromContext(a.ctx).SetAttributes(attribute.String("gen_ai.tool.name", p.Name))
	if a.x.api.logs.calls.Enabled(slog.LevelInfo) {
		a.x.api.logs.calls.Write(a.ctx, time.Now(), slog.LevelInfo, &toolCall{a.x, p.Name, outcome})
	}
	return result, err
}

// toolCall is the line of a call in the query log. It is a telemetry.Detail.
type toolCall struct {
	x             *exchange
	tool, outcome string
}

// AppendDetail implements telemetry.Detail.
func (c *toolCall) AppendDetail(b []byte) []byte {
	b = querylog.AppendText(append(b, `{"kind":"tool","tool":`...), c.tool)
	b = jsontext.AppendString(append(b, `,"role":`...), c.x.session.Role)
	b = append(append(b, `,"session":`...), c.x.session.JSON()...)
	b = jsontext.AppendString(append(b, `,"outcome":`...), c.outcome)
	b = jsontext.AppendString(append(b, `,"request_id":`...), c.x.requestID)
	return append(b, '}')
}

func (a *assistant) run(p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
	var in struct {
		Text      string          `json:"text"`
		Name      string          `json:"name"`
		Limit     float64         `json:"limit"`
		Query     string          `json:"query"`
		Variables json.RawMessage `json:"variables"`
	}
	if a.isOwn(p.Name) {
		if err := json.Unmarshal(orObject(p.Arguments), &in); err != nil {
			return a.failed("the arguments don't fit the tool: " + misfit(err)), nil
		}
	}
	switch {
	case !a.isOwn(p.Name):
		return a.document(p)
	case p.Name == toolSearch:
		if in.Limit < 1 {
			in.Limit = defaultHits
		}
		return a.result(a.describe("search", in.Text, int(min(in.Limit, mostHits))))
	case p.Name == toolDescribe:
		text, err := a.describe("type", in.Name, 0)
		if err == nil && len(text) == 0 {
			return a.failed("no type is called " + in.Name + ": search for one"), nil
		}
		return a.text(text, err), nil
	case p.Name == toolQuery:
		a.rows = a.x.api.MCP.Rows
		return a.execute(request.GraphQL{Query: in.Query, Variables: in.Variables, ReadOnly: true, WritesNothing: true}), nil
	}
	return a.explain(in.Query, in.Variables), nil
}

func orObject(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// document runs a stored document.
func (a *assistant) document(p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
	current, err := a.x.api.current()
	if err != nil {
		return nil, err
	}
	a.rows, a.promises = math.MaxInt, true
	var result *mcp.CallToolResult
	err = a.limited("", func(context.Context) error {
		// What a role isn't offered would answer where it skips the fields that the role can't see, and its errors may name them.
		offered, err := a.describe("tool", p.Name, 0)
		if tool := current.Document.Tool(p.Name); err == nil && len(offered) > 0 && tool != nil {
			// It is what its hints say, whatever its functions do.
			result = a.execute(request.GraphQL{Query: tool.Query, Variables: p.Arguments, WritesNothing: true})
		}
		return err
	})
	switch {
	case err != nil:
		return a.failed(shownError(err)), nil
	case result == nil:
		return nil, invalidParams("there is no tool " + p.Name)
	}
	return result, nil
}

// execute runs an operation as any other request of the caller.
func (a *assistant) execute(r request.GraphQL) *mcp.CallToolResult {
	x := a.x
	x.asks(r)
	var body bytes.Buffer
	sink := &bounded{to: &body, most: min(mostKept*x.api.MCP.AnswerSize, largestSchema), head: func(m proto.Message) {
		if h, ok := m.(*queryv1.ExecuteHead); ok {
			x.describe(request.Describe(h))
		}
	}}
	err := a.limited(r.OperationName, func(ctx context.Context) error {
		asked, err := x.api.executeRequest(x.session, r, false, x.requestID, x.api.clientHeaders(x.r.Header, x.r.Host))
		if err != nil {
			return err
		}
		return x.api.Bus.Call(ctx, executeEndpoint(r), asked, newExecuteHead, sink)
	})
	if err != nil && !errors.Is(err, errLarge) {
		return a.failed(shownError(err))
	}
	return a.answer(r.Query, body.Bytes())
}

// answer is the result of an operation, whose answer may lack its end.
func (a *assistant) answer(query string, body []byte) *mcp.CallToolResult {
	var answered struct {
		Data   json.RawMessage `json:"data"`
		Errors []struct {
			Message    string `json:"message"`
			Extensions struct {
				Code string `json:"code"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	data, most := bytes.TrimPrefix(body, []byte(beforeData)), a.x.api.MCP.AnswerSize
	if err := json.Unmarshal(body, &answered); err == nil {
		data = answered.Data
	}
	if len(answered.Errors) > 0 {
		texts := make([]string, len(answered.Errors))
		for i, e := range answered.Errors {
			texts[i] = withCode(e.Message, e.Extensions.Code)
		}
		return a.failed(strings.Join(texts, "\n"))
	}
	if len(data) > most || bytes.Count(data, []byte{'{'}) > a.rows {
		note := ""
		switch first, cut := firstRows(data, query, a.rows, most); cut {
		case fewer:
			data, note = first, fmt.Sprintf("\n... These are the first %d rows. Ask for the others in pages: order_by, limit and offset.", a.rows)
		case smaller:
			data, note = first, "\n... These are the first rows, as many as fit. Ask for the others in pages: order_by, limit and offset."
		case unfit:
			data = first
		}
		if note != "" { // clients would show structured content without the note, so a tool that promises it fails
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(data) + note}}, IsError: a.promises}
		}
	}
	result, _ := a.result(data, nil)
	return result
}

// result is an answer in JSON.
func (a *assistant) result(body []byte, err error) (*mcp.CallToolResult, error) {
	result := a.text(body, err)
	result.IsError = result.IsError || len(body) > a.x.api.MCP.AnswerSize // nothing but a part of a text
	if !result.IsError && len(body) <= a.x.api.MCP.AnswerSize && len(body) > 0 && body[0] == '{' {
		result.StructuredContent = json.RawMessage(body)
	}
	return result, nil
}

// text is an answer, cut off where it is too long.
func (a *assistant) text(body []byte, err error) *mcp.CallToolResult {
	if err != nil {
		return a.failed(shownError(err))
	}
	shown := string(body)
	if most := a.x.api.MCP.AnswerSize; len(body) > most {
		shown = strings.ToValidUTF8(shown[:most], "") + "\n... The answer is cut off here. Ask for less: fewer fields, a limit, or pages by offset."
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: shown}}}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: shown}}}
}

// failed is the result of a call that went wrong. What the message repeats may be long.
func (a *assistant) failed(message string) *mcp.CallToolResult {
	if most := a.x.api.MCP.AnswerSize; len(message) > most {
		message = jsontext.Cut(message, most) + "..."
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: message}}, IsError: true}
}

func shownError(err error) string {
	if errors.Is(err, errLarge) {
		return err.Error() + ": ask for less"
	}
	return withCode(apierror.From(err).Message, string(apierror.From(err).Code))
}

// withCode is a message with its code, which assistants know from other servers.
func withCode(message, code string) string {
	if code == "" {
		return message
	}
	return message + " (" + code + ")"
}

// protocolError is an error without its internal part.
func protocolError(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: shownError(err)}
}

func invalidParams(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// misfit is what is wrong with the arguments of a tool, without the words of Go.
func misfit(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		kind := map[reflect.Kind]string{reflect.String: "a string", reflect.Float64: "a number"}[e.Type.Kind()]
		if kind == "" {
			kind = "an object"
		}
		return cmp.Or(e.Field, "the whole") + " has to be " + kind
	}
	return err.Error()
}

func (a *assistant) explain(query string, variables json.RawMessage) *mcp.CallToolResult {
	version, err := a.x.api.MinVersion()
	if err != nil {
		return a.failed(shownError(err))
	}
	var body bytes.Buffer
	err = a.limited("", func(ctx context.Context) error {
		return a.x.api.Bus.Call(ctx, bus.QueryExplain, &queryv1.ExplainRequest{
			Session: a.x.session.Proto(), Query: query, Variables: variables, MinVersion: version,
		}, newExecuteHead, &bounded{to: &body, most: largestSchema})
	})
	return a.text(body.Bytes(), err)
}

func (a *assistant) resources(p *mcp.ListResourcesParams) (*mcp.ListResourcesResult, error) {
	result, after := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: ofTheCaller}, ""
	if p != nil {
		after = p.Cursor
	}
	if after == "" {
		result.Resources = append(result.Resources, &mcp.Resource{
			URI: schemaURI, Name: "schema", Title: "GraphQL schema of the role", MIMEType: "application/graphql",
			Description: "All types and fields that the role sees, with their comments",
		})
	}
	body, err := a.describe("tables", after, mcpPage)
	if err != nil {
		return nil, protocolError(err)
	}
	var list struct {
		Tables []struct{ Name, Description string }
		Next   string
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	for _, t := range list.Tables {
		result.Resources = append(result.Resources, &mcp.Resource{URI: typeURI + t.Name, Name: t.Name, Description: t.Description, MIMEType: "application/graphql"})
	}
	result.NextCursor = list.Next
	return result, nil
}

func (a *assistant) templates() *mcp.ListResourceTemplatesResult {
	return &mcp.ListResourceTemplatesResult{Cacheable: ofTheCaller, ResourceTemplates: []*mcp.ResourceTemplate{{
		URITemplate: typeURI + "{name}", Name: "type", Title: "A type of the schema", MIMEType: "application/graphql",
	}}}
}

func (a *assistant) read(uri string) (*mcp.ReadResourceResult, error) {
	var text []byte
	var err error
	name, isType := strings.CutPrefix(uri, typeURI)
	switch {
	case uri == schemaURI:
		text, err = a.describe("schema", "", 0)
	case isType:
		text, err = a.describe("type", name, 0)
	}
	if err != nil {
		return nil, protocolError(err)
	}
	if len(text) == 0 {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	return &mcp.ReadResourceResult{Cacheable: ofTheCaller, Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "application/graphql", Text: string(text)}}}, nil
}

func (a *assistant) prompts() (*mcp.ListPromptsResult, error) {
	current, err := a.x.api.current()
	if err != nil {
		return nil, err
	}
	result := &mcp.ListPromptsResult{Prompts: []*mcp.Prompt{}, Cacheable: ofTheCaller}
	for _, p := range current.Document.Prompts() {
		shown := &mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
		for _, arg := range p.Arguments {
			shown.Arguments = append(shown.Arguments, &mcp.PromptArgument{Name: arg.Name, Description: arg.Description, Required: arg.Required})
		}
		result.Prompts = append(result.Prompts, shown)
	}
	return result, nil
}

func (a *assistant) prompt(p *mcp.GetPromptParams) (*mcp.GetPromptResult, error) {
	current, err := a.x.api.current()
	if err != nil {
		return nil, err
	}
	for _, known := range current.Document.Prompts() {
		if known.Name != p.Name {
			continue
		}
		text, err := known.Fill(p.Arguments)
		if err != nil {
			return nil, invalidParams(shownError(err))
		}
		return &mcp.GetPromptResult{Description: known.Description, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
	}
	return nil, invalidParams("there is no prompt " + p.Name)
}
