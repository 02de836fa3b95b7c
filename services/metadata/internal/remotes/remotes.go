// Package remotes introspects remote schemas.
//
// It is the only part of the engine that does: the answers are published with the metadata, so that no
// other service has to ask, and everything starts while a remote is down.
package remotes

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	"queryengine/pkg/guard"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
	"queryengine/pkg/session"
)

// concurrency bounds how many remotes are queried at once.
const concurrency = 8

// Answers are what the remote schemas answered. They are immutable.
type Answers struct {
	ByName map[string]json.RawMessage
	// Errors holds why the last call to a remote failed, and after a line break details.
	Errors map[string]string
}

// Caller calls remote schemas. It is safe for concurrent use.
type Caller struct {
	client *egress.Client
	env    metadata.Env
	logger *slog.Logger
}

// New makes a caller; env is os.LookupEnv.
func New(client *egress.Client, env metadata.Env, logger *slog.Logger) *Caller {
	return &Caller{client, env, logger}
}

// Asking selects what is introspected.
type Asking struct {
	What metadata.Introspection
	// Before is the document that the known answers belong to.
	Before *metadata.Document
	// Patience bounds each call, 0 to leave it to the definitions.
	Patience time.Duration
}

// Introspect returns the answers that fit doc: current answers of the named remotes and of new ones,
// known answers of the others. A remote that can't be reached keeps the answer that it gave at the same
// address; the error, unless the remote is required, is among those of the answers.
func (c *Caller) Introspect(ctx context.Context, doc *metadata.Document, known Answers, a Asking) (Answers, error) {
	if len(doc.RemoteSchemas) == 0 && len(known.ByName)+len(known.Errors) == 0 {
		return known, nil
	}
	c.allow(doc)
	answers := make([]answer, len(doc.RemoteSchemas))
	var calls sync.WaitGroup
	slots := make(chan struct{}, concurrency)
	for i, m := range doc.RemoteSchemas {
		answers[i] = knownAnswer(m, known, a.Before)
		named := a.What.AllRemotes || slices.Contains(a.What.Remotes, m.Name)
		if !named && (answers[i].raw != nil || answers[i].failure != "") {
			continue
		}
		slots <- struct{}{}
		calls.Go(func() {
			defer func() { <-slots }()
			err := guard.Do(c.logger, "panic in the introspection of a remote schema", func() error {
				answers[i].update(c.ask(ctx, m, a.Patience))
				return nil
			})
			if err != nil {
				answers[i].update(nil, false, err)
			}
		})
	}
	calls.Wait()
	next := Answers{ByName: map[string]json.RawMessage{}, Errors: map[string]string{}}
	for i, m := range doc.RemoteSchemas {
		got := answers[i]
		if got.err != nil && a.What.Required && slices.Contains(a.What.Remotes, m.Name) {
			return known, got.err
		}
		if got.raw != nil {
			next.ByName[m.Name] = got.raw
		}
		if text := got.text(m.Name); text != "" {
			next.Errors[m.Name] = text
		}
	}
	return next.sharing(known), nil
}

// sharing keeps unchanged answers.
func (a Answers) sharing(known Answers) Answers {
	if maps.EqualFunc(a.ByName, known.ByName, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) }) {
		a.ByName = known.ByName
	}
	if maps.Equal(a.Errors, known.Errors) {
		a.Errors = known.Errors
	}
	return a
}

// Same reports whether both are the same.
func (a Answers) Same(b Answers) bool {
	return maps.Equal(a.Errors, b.Errors) &&
		maps.EqualFunc(a.ByName, b.ByName, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

// answer is the known answer of one remote.
type answer struct {
	raw     json.RawMessage
	failure string
	// err is why the call that was made just now failed.
	err error
}

// knownAnswer is what the remote answered before, at the same address.
func knownAnswer(m *metadata.RemoteSchema, known Answers, before *metadata.Document) answer {
	old := before.RemoteSchema(m.Name)
	if old == nil || !old.Definition.SameAddress(&m.Definition) {
		return answer{}
	}
	return answer{raw: known.ByName[m.Name], failure: known.Errors[m.Name]}
}

// update takes what a call came to. A remote that wasn't reached is used as it was.
func (a *answer) update(raw json.RawMessage, reached bool, err error) {
	a.err, a.failure = err, ""
	if reached && !bytes.Equal(raw, a.raw) {
		a.raw = raw
	}
}

func (a *answer) text(name string) string {
	if a.err == nil {
		return a.failure
	}
	e := apierror.From(a.err)
	reason := strings.Join(strings.Fields(e.Message), " ")
	if a.raw != nil {
		reason = `remote schema "` + name + `" is inconsistent because of stale remote schema introspection is used. ` +
			"The remote schema couldn't be reached for a fresh introspection because we got error: " + reason
	}
	if detail := e.InternalJSON(); detail != nil {
		reason += "\n" + string(detail)
	}
	return reason
}

// Reason splits an error of Answers.
func Reason(text string) (reason string, detail json.RawMessage) {
	reason, rest, found := strings.Cut(text, "\n")
	if found {
		detail = json.RawMessage(rest)
	}
	return reason, detail
}

// allow applies the TLS allow list of the document. One that can't be read counts as empty: the
// executors, which use it for queries, log that.
func (c *Caller) allow(doc *metadata.Document) {
	hosts, err := egress.Allowlist(doc.Network)
	if err != nil {
		hosts = nil
	}
	c.client.SetAllowlist(hosts)
}

// ask makes the call and looks at the answer. It wasn't reached when the fault lies between
// the engine and the remote.
func (c *Caller) ask(ctx context.Context, m *metadata.RemoteSchema, patience time.Duration) (raw json.RawMessage, reached bool, err error) {
	request, err := c.request(&m.Definition, patience)
	if err != nil {
		return nil, true, err
	}
	response, err := c.client.Do(ctx, request)
	if err != nil {
		return nil, false, failed(&m.Definition, err)
	}
	raw, err = read(response.Body, &m.Definition)
	return raw, true, err
}

func (c *Caller) request(d *metadata.RemoteSchemaDefinition, patience time.Duration) (*egress.Request, error) {
	address, err := d.Address(c.env)
	if err != nil {
		return nil, err
	}
	configured, err := d.ConfiguredHeaders(c.env)
	if err != nil {
		return nil, err
	}
	asAdmin := http.Header{}
	asAdmin.Set(session.RoleHeader, session.Admin)
	body, err := json.Marshal(map[string]string{"query": remoteschema.Query, "operationName": remoteschema.Operation})
	if err != nil {
		return nil, err
	}
	if timeout := d.Timeout(); patience == 0 || timeout < patience {
		patience = timeout
	}
	return &egress.Request{
		Method: http.MethodPost, URL: address, Body: body, Timeout: patience,
		Header: egress.Merge(c.client.Headers(configured, nil), asAdmin),
	}, nil
}

// read checks an answer and takes what counts of it.
func read(body []byte, d *metadata.RemoteSchemaDefinition) (json.RawMessage, error) {
	schema, err := remoteschema.FromIntrospection(body)
	if err != nil {
		return nil, err
	}
	if _, err := schema.Customize(d.Customization); err != nil {
		return nil, err
	}
	var given struct {
		Data struct {
			Schema json.RawMessage `json:"__schema"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &given); err != nil {
		return nil, err
	}
	// Anything else in the answer, such as its timing, would make each answer a new one.
	return metadata.Encode(map[string]any{"data": map[string]any{"__schema": given.Data.Schema}})
}
