package metadata

import (
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
)

// Action is a root field that a webhook answers.
type Action struct {
	Name        string             `json:"name" meta:"required,nonempty"`
	Definition  ActionDefinition   `json:"definition" meta:"required"`
	Comment     *string            `json:"comment,omitempty"`
	Permissions []ActionPermission `json:"permissions,omitempty"`
}

// ActionDefinition defines the field and its handler.
type ActionDefinition struct {
	// Handler is an address, in which {{NAME}} is a variable of the environment.
	Handler    string      `json:"handler" meta:"required"`
	OutputType GraphQLType `json:"output_type" meta:"required"`
	// ForwardClientHeaders passes the headers of clients on, without IgnoredClientHeaders.
	ForwardClientHeaders bool             `json:"forward_client_headers,omitempty"`
	IgnoredClientHeaders []string         `json:"ignored_client_headers"`
	Headers              []Header         `json:"headers,omitempty"`
	Arguments            []ActionArgument `json:"arguments,omitempty"`
	RequestTransform     json.RawMessage  `json:"request_transform,omitempty"`
	ResponseTransform    json.RawMessage  `json:"response_transform,omitempty"`
	// Type is ActionMutation or ActionQuery.
	Type string `json:"type" meta:"default=mutation"`
	// Kind is ActionSynchronous or ActionAsynchronous; empty for queries.
	Kind string `json:"kind,omitempty"`
	// Timeout is in seconds; nil for DefaultActionTimeout.
	Timeout *int `json:"timeout,omitempty"`
}

// What ActionDefinition.Type and ActionDefinition.Kind may be.
const (
	ActionMutation     = "mutation"
	ActionQuery        = "query"
	ActionSynchronous  = "synchronous"
	ActionAsynchronous = "asynchronous"
)

// DefaultActionTimeout is how long an action may take, in seconds.
const DefaultActionTimeout = 30

// ActionArgument is an argument of the field.
type ActionArgument struct {
	Name        string      `json:"name" meta:"required"`
	Type        GraphQLType `json:"type" meta:"required"`
	Description *string     `json:"description,omitempty"`
}

func (a *ActionArgument) check() error { return checkTypeName(a.Name, "name") }

// ActionPermission lets a role use an action.
type ActionPermission struct {
	Role    string  `json:"role" meta:"required,nonempty"`
	Comment *string `json:"comment,omitempty"`
}

// defaultIgnoredHeaders are those that describe the client's own request.
var defaultIgnoredHeaders = []string{
	"Content-Length", "Content-MD5", "User-Agent", "Host", "Origin", "Referer", "Accept", "Accept-Encoding",
	"Accept-Language", "Accept-Datetime", "Cache-Control", "Connection", "DNT", "Content-Type",
}

func (a *Action) check() error {
	slices.SortFunc(a.Permissions, func(a, b ActionPermission) int { return strings.Compare(a.Role, b.Role) })
	if d := duplicates(a.Permissions, actionRole); d != "" {
		return apierror.At(duplicateError("permissions", d), "permissions")
	}
	return checkTypeName(a.Name, "name")
}

func (d *ActionDefinition) check() error {
	switch {
	case d.Type != ActionMutation && d.Type != ActionQuery:
		return apierror.At(apierror.Newf(apierror.ParseFailed, "expected mutation or query, but found %s", d.Type), "type")
	case d.Type == ActionQuery:
		d.Kind = ""
	case d.Kind == "":
		d.Kind = ActionSynchronous
	case d.Kind != ActionSynchronous && d.Kind != ActionAsynchronous:
		return apierror.At(apierror.Newf(apierror.ParseFailed,
			"expected synchronous or asynchronous, but found %s", d.Kind), "kind")
	}
	if d.Timeout != nil {
		if *d.Timeout < 0 {
			return apierror.At(apierror.New(apierror.ParseFailed, "timeout value cannot be negative"), "timeout")
		}
		if *d.Timeout == DefaultActionTimeout {
			d.Timeout = nil
		}
	}
	if d.IgnoredClientHeaders == nil {
		d.IgnoredClientHeaders = slices.Clone(defaultIgnoredHeaders)
	}
	if names := duplicates(d.Arguments, func(a ActionArgument) string { return a.Name }); names != "" {
		return apierror.At(duplicateError("arguments", names), "arguments")
	}
	return checkTransforms(d.RequestTransform, d.ResponseTransform)
}

// IsAsynchronous reports whether the handler is called after the client got its answer.
func (d *ActionDefinition) IsAsynchronous() bool { return d.Kind == ActionAsynchronous }

// ID names the action among the objects of the document.
func (a *Action) ID() ObjectID { return actionID(a.Name) }

func actionID(name string) ObjectID { return ObjectID{Kind: ObjectAction, Name: name} }

// ActionPermissionID names the permission of a role among the objects of the document.
func ActionPermissionID(action, role string) ObjectID {
	return ObjectID{Kind: ObjectActionPermission, Name: action, Role: role}
}

func actionRole(p ActionPermission) string { return p.Role }

// ParseAction reads an action of a document.
func ParseAction(raw json.RawMessage) (*Action, error) {
	a := &Action{}
	return a, decode(raw, a)
}

// Problem is why the handler can't be called, "" for nothing: variables that aren't there.
func (a *Action) Problem(env Env) string {
	_, err := Expand(a.Definition.Handler, env)
	for i := range a.Definition.Headers {
		if err == nil {
			_, err = a.Definition.Headers[i].Resolve(env)
		}
	}
	if err != nil {
		return apierror.From(err).Message
	}
	return ""
}

// normaliseActions brings the actions of an imported document into one form.
func (d *Document) normaliseActions() error {
	for i, raw := range d.Actions {
		a, err := ParseAction(raw)
		if err == nil {
			d.Actions[i], err = Encode(a)
		}
		if err != nil {
			return apierror.At(err, "actions", i)
		}
	}
	return nil
}

// Action returns the action of that name.
func (d *Document) Action(name string) (*Action, error) {
	raw := find(d.Actions, rawName, name)
	if raw == nil {
		return nil, apierror.Newf(apierror.NotExists, "action with name %q does not exist", name)
	}
	return ParseAction(raw)
}

// withAction adds an action, or replaces the one of its name.
func (d *Document) withAction(a *Action) (*Document, error) {
	raw, err := Encode(a)
	if err != nil {
		return nil, err
	}
	n := *d
	n.Actions = inserted(d.Actions, raw, rawName)
	return &n, nil
}

// withoutActionPermission returns the list without the permission of a role on an action.
func withoutActionPermission(actions []json.RawMessage, id ObjectID) []json.RawMessage {
	a, err := ParseAction(find(actions, rawName, id.Name))
	if err != nil {
		return actions // what can't be read was refused when it came
	}
	a.Permissions = removed(a.Permissions, actionRole, id.Role)
	raw, err := Encode(a)
	if err != nil {
		return actions
	}
	return inserted(actions, raw, rawName)
}
