package apply

import (
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// step is a request, or an element of a bulk request, with its arguments read.
type step interface {
	// modifies reports whether the step may change metadata.
	modifies() bool
	// adminOnly reports whether other roles are refused.
	adminOnly() bool
}

// operationStep is an operation other than a bulk.
type operationStep struct{ *metadata.Operation }

func (s operationStep) modifies() bool  { return s.Modifies() }
func (s operationStep) adminOnly() bool { return s.AdminOnly() }

type bulkStep struct {
	mode  metadata.BulkMode
	steps []step
}

func (s bulkStep) modifies() bool  { return slices.ContainsFunc(s.steps, step.modifies) }
func (s bulkStep) adminOnly() bool { return slices.ContainsFunc(s.steps, step.adminOnly) }

// parse reads a request down to the arguments of its last element.
func (e *Engine) parse(api metadata.API, r *metadata.Envelope) (step, error) {
	o, err := e.registry.Operation(api, r)
	if err != nil {
		return nil, err
	}
	if b, ok := o.Args.(*metadata.Bulk); ok {
		return e.parseBulk(api, b)
	}
	return operationStep{o}, nil
}

func (e *Engine) parseBulk(api metadata.API, b *metadata.Bulk) (step, error) {
	bulk := bulkStep{mode: b.Mode}
	for i, body := range b.Requests {
		element, err := metadata.ParseEnvelope(body)
		var s step
		if err == nil {
			s, err = e.parse(api, element)
		}
		if err == nil && isDryRun(api, element, s) {
			err = apierror.New(apierror.NotSupported, "dry_run is for a whole request: it belongs next to the type of the outermost one")
		}
		if err != nil {
			return nil, apierror.At(err, "args", i)
		}
		bulk.steps = append(bulk.steps, s)
	}
	return bulk, nil
}
