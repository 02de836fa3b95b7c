package metadata

import (
	"iter"
	"strings"
	"sync"

	"queryengine/pkg/apierror"
)

// Registry finds the operations by what requests call them. It is safe for concurrent use.
type Registry struct {
	named map[requestName]namedOperation
	kinds Kinds
}

// requestName is what requests at an endpoint call an operation by.
type requestName struct {
	api  API
	name string
}

// namedOperation is an operation for sources of a kind, "" for one that belongs to none.
type namedOperation struct {
	operation
	kind string
}

// NewRegistry returns the registry of all operations, for the kinds that there are backends for.
func NewRegistry(kinds Kinds) *Registry {
	r := &Registry{named: map[requestName]namedOperation{}, kinds: kinds}
	for _, o := range operations() {
		for api := APIMetadata; api <= APIQueryV2; api++ {
			if o.at&versionsOf(api) == 0 {
				continue
			}
			if !o.ofSources {
				r.named[requestName{api, o.name}] = namedOperation{o, ""}
				continue
			}
			for _, k := range KnownKinds() {
				if !k.Can(o.needs) {
					continue
				}
				for _, name := range o.names(api, k) {
					r.named[requestName{api, name}] = namedOperation{o, k.Name}
				}
			}
		}
	}
	return r
}

// All yields what requests at an endpoint call the operations by, in no order, with their arguments
// empty.
func (r *Registry) All(api API) iter.Seq2[string, *Operation] {
	return func(yield func(string, *Operation) bool) {
		for name, o := range r.named {
			if name.api != api {
				continue
			}
			if !yield(name.name, &Operation{Kind: o.kind, Args: o.args(), row: o.operation, endpoint: o.at & versionsOf(api)}) {
				return
			}
		}
	}
}

// find finds the operation that a request asks for.
func (r *Registry) find(api API, e *Envelope) (namedOperation, error) {
	o, known := r.named[requestName{api, e.Type}]
	if known && o.at&endpoint(api, e.Version) != 0 {
		return o, nil
	}
	return o, unknownOperation(api, e)
}

var namesOnRows = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, o := range operations() {
		if _, onRows := o.args().(*Rows); onRows {
			names[o.name] = true
		}
	}
	return names
})

// IsOnRows reports whether requests at /v1/query and /v2/query call an operation on rows by that name:
// executors run those.
func IsOnRows(name string) bool { return namesOnRows()[name] }

func unknownOperation(api API, e *Envelope) error {
	switch {
	case api == APIQueryV1:
		return apierror.Newf(apierror.ParseFailed, "unknown type %q for version %d", e.Type, e.Version)
	case api == APIQueryV2:
		return apierror.Newf(apierror.ParseFailed, "Unrecognised RQLQuery type: %s", e.Type)
	case e.Version == 2:
		return apierror.Newf(apierror.ParseFailed, "unknown metadata command %q for version 2", e.Type)
	}
	prefix, command, _ := strings.Cut(e.Type, "_")
	k := KindNamed(prefix)
	if k == nil {
		return apierror.Newf(apierror.ParseFailed,
			"unknown metadata command %q; %q was not recognized as a valid backend name", e.Type, prefix)
	}
	return apierror.Newf(apierror.ParseFailed, "unknown metadata command %q for backend %s", command, k.Name)
}
