package metadata

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"queryengine/pkg/apierror"
)

// API is an endpoint, which decides how operations are named and errors are placed.
type API int

// The endpoints.
const (
	APIMetadata API = iota // POST /v1/metadata
	APIQueryV1             // POST /v1/query
	APIQueryV2             // POST /v2/query
)

// Envelope is a request whose arguments were not looked at.
type Envelope struct {
	Type    string          `json:"type" meta:"required"`
	Version int             `json:"version"`
	Args    json.RawMessage `json:"args"`
	// ResourceVersion is the version that the request builds on, nil for the newest.
	ResourceVersion *int64 `json:"resource_version"`
	// DryRun asks what the request would change, without changing it.
	DryRun bool `json:"dry_run"`

	body json.RawMessage
}

func (e *Envelope) check() error {
	if e.Version == 0 {
		e.Version = 1
	}
	if e.Version != 1 && e.Version != 2 {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "expected 1 or 2, encountered %d", e.Version), "version")
	}
	if e.Args == nil {
		e.Args = json.RawMessage("{}")
	}
	return nil
}

// ParseEnvelope reads the body of a request, or an element of a bulk request.
func ParseEnvelope(body json.RawMessage) (*Envelope, error) {
	e := &Envelope{body: body}
	if err := Decode(body, e); err != nil {
		return nil, err
	}
	return e, nil
}

// Decode reads the body of a request that is no operation of the metadata API, with the same
// errors; into is a pointer.
func Decode(body json.RawMessage, into any) error {
	if !json.Valid(body) {
		return apierror.New(apierror.InvalidJSON, json.Unmarshal(body, new(json.RawMessage)).Error())
	}
	return decode(body, into)
}

// argsError places an error of the arguments as the endpoint's errors want it.
func argsError(api API, err error) error {
	if api == APIQueryV1 {
		return err
	}
	return apierror.At(err, "args")
}

// kindArgs are arguments that a part of is read by the kind of the command.
type kindArgs interface{ ofKind(k *Kind) error }

// configured are arguments whose meaning depends on the envelope.
type configured interface{ configure(api API, e *Envelope) }

// Operation finds the operation of e and reads its arguments.
func (r *Registry) Operation(api API, e *Envelope) (*Operation, error) {
	found, err := r.find(api, e)
	if err != nil {
		return nil, err
	}
	o := &Operation{Kind: found.kind, Args: found.args(), row: found.operation, endpoint: endpoint(api, e.Version)}
	err = decode(e.Args, o.Args)
	if a, ok := o.Args.(kindArgs); ok && err == nil {
		err = a.ofKind(r.kinds[o.Kind])
	}
	if err != nil {
		if err = argsError(api, err); api == APIMetadata && o.Kind != "" {
			err = commandError(found.name, err)
		}
		return nil, err
	}
	if c, ok := o.Args.(configured); ok {
		c.configure(api, e)
	}
	o.Unknown = r.unknownArguments(o, e.Args)
	return o, nil
}

// unknownArguments warns of keys in the arguments of an operation on the document that mean nothing. replace_metadata does so
// by itself.
func (r *Registry) unknownArguments(o *Operation, raw json.RawMessage) []Warning {
	switch o.Args.(type) {
	case *ReplaceMetadata:
	case Command, Batch:
		return unknownKeys(raw, reflect.TypeOf(o.Args), r.kinds, o.Kind, "args")
	}
	return nil
}

// commandError is how the commands of sources word the errors of their arguments.
func commandError(command string, err error) error {
	var e *apierror.Error
	if !errors.As(err, &e) || e.Code != apierror.ParseFailed {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf("Error when parsing command %s.\nSee our documentation at docs/metadata-api.md.\nInternal error message: %s",
		command, e.Message)
	return &c
}
