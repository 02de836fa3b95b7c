package metadata

import "encoding/json"

// operation is a row of the table of operations: all that is known about one besides its body.
type operation struct {
	// name is without the prefix of a kind of sources.
	name string
	// args makes empty arguments: a Command, a Query, a Batch, or those of an operation that the
	// service runs.
	args func() any
	// at is where the operation is known, open where any role may use it; elsewhere it is for admin.
	at, open endpoints
	effect   effect
	// atomic operations can be elements of bulk_atomic.
	atomic bool

	// ofSources is set on operations that each kind of sources has by itself, if it can do what the
	// operation needs.
	ofSources bool
	needs     Capability
	// prefixed operations of sources have the kind's prefix at the endpoints of queries, too; without
	// one they are for the default kind.
	prefixed bool
}

// endpoints is a set of endpoints, by the versions of their requests.
type endpoints uint

const (
	atMetadata  endpoints = 1 << iota // POST /v1/metadata
	atMetadata2                       // version 2 of it
	atQuery                           // POST /v1/query
	atQuery2
	atSQL // POST /v2/query
	atSQL2
)

// The endpoints with all versions of their requests.
const (
	anyMetadata = atMetadata | atMetadata2
	anyQuery    = atQuery | atQuery2
	anySQL      = atSQL | atSQL2
)

// endpoint is the set of one endpoint.
func endpoint(api API, version int) endpoints {
	e := atMetadata << (2 * int(api))
	if version == 2 {
		e <<= 1
	}
	return e
}

// versionsOf is the set of all versions of requests at an endpoint.
func versionsOf(api API) endpoints { return endpoint(api, 1) | endpoint(api, 2) }

// effect is what an operation does, as far as the service has to know beforehand.
type effect uint

const (
	// modifies makes a version of the metadata; arguments that are a Modifier can exclude that.
	modifies effect = 1 << iota
	// untried can't be tried with dry_run: it acts on something else than the metadata, or asks for it.
	untried
	// reads does neither.
	reads effect = 0
)

// Modifier are arguments that decide whether their operation makes a version of the metadata.
type Modifier interface{ Modifies() bool }

// Rehearsal are arguments that can ask what their operation would change, as the envelope can.
type Rehearsal interface{ AsksDryRun() bool }

// command is an operation that changes the document.
func command[A any, C interface {
	*A
	Command
}](name string, at endpoints,
) operation {
	return operation{name: name, args: func() any { return C(new(A)) }, at: at, effect: modifies}
}

// batch is an operation that changes the document by commands of which some may fail.
func batch[A any, B interface {
	*A
	Batch
}](name string, at endpoints,
) operation {
	return operation{name: name, args: func() any { return B(new(A)) }, at: at, effect: modifies}
}

// query is an operation that reads the metadata, or what the databases have.
func query[A any, Q interface {
	*A
	Query
}](name string, at endpoints,
) operation {
	return operation{name: name, args: func() any { return Q(new(A)) }, at: at, effect: reads}
}

// served is an operation that the service runs, on what is not in the document.
func served[A any](name string, at endpoints, e effect) operation {
	return operation{name: name, args: func() any { return new(A) }, at: at, effect: e}
}

// bulk is a request that is made of others.
func bulk(name string, at endpoints, mode BulkMode) operation {
	return operation{name: name, args: func() any { return &Bulk{Mode: mode} }, at: at}
}

// onRows is an operation on rows. At /v1/query, the permissions of roles decide about it.
func onRows(name string) operation {
	return operation{name: name, args: func() any { return new(Rows) }, at: anyQuery | anySQL, open: anyQuery, effect: untried}
}

// needing are operations of sources that need a capability, besides those that every kind has.
func needing(c Capability, list ...operation) []operation {
	for i := range list {
		list[i].ofSources, list[i].needs = true, c
	}
	return list
}

// inAtomic is the operation as an element of bulk_atomic.
func (o operation) inAtomic() operation {
	o.atomic = true
	return o
}

// withPrefix is the operation with the kind's prefix at all endpoints.
func (o operation) withPrefix() operation {
	o.prefixed = true
	return o
}

// names are what requests at an endpoint call the operation of a kind by.
func (o operation) names(api API, k *Kind) []string {
	standard := k.Name == DefaultKind
	switch {
	case api == APIMetadata:
		names := []string{k.Name + "_" + o.name}
		for _, prefix := range k.Prefixes {
			names = append(names, prefix+"_"+o.name)
		}
		return names
	case !standard && (api == APIQueryV1 || !o.prefixed):
		return nil
	case !standard:
		return []string{k.Prefixes[0] + "_" + o.name}
	case o.prefixed:
		return []string{o.name, k.Prefixes[0] + "_" + o.name}
	}
	return []string{o.name}
}

// Operation is a request with its arguments read.
type Operation struct {
	// Kind is the kind of sources that the name asks for, "" for commands of no source.
	Kind string
	// Args is a Command, a Query, a Batch, a Bulk, or the arguments of an operation that the service
	// runs.
	Args any
	// Unknown warns of keys of a Command or Batch that mean nothing. Who answers adds that to the answer.
	Unknown []Warning

	row      operation
	endpoint endpoints
}

// Modifies reports whether the operation makes a version of the metadata. Of a Bulk, the elements are to
// be reached.
func (o *Operation) Modifies() bool {
	if m, ok := o.Args.(Modifier); ok {
		return m.Modifies()
	}
	return o.row.effect&modifies != 0
}

// AdminOnly reports whether roles other than admin are refused. Of a Bulk, the elements decide.
func (o *Operation) AdminOnly() bool { return o.row.open&o.endpoint == 0 }

// CanDryRun reports whether the operation can be tried: it does nothing outside of the metadata, or its
// arguments have it take back what it does there.
func (o *Operation) CanDryRun() bool { return o.row.effect&untried == 0 || o.AsksDryRun() }

// InAtomicBulk reports whether the operation can be an element of bulk_atomic; if so, Args is a
// Command.
func (o *Operation) InAtomicBulk() bool { return o.row.atomic }

// AsksDryRun reports whether the arguments ask what the operation would change, without changing it.
func (o *Operation) AsksDryRun() bool {
	r, ok := o.Args.(Rehearsal)
	return ok && r.AsksDryRun()
}

// BulkMode decides what happens to the others when an element of a bulk fails.
type BulkMode int

// The modes.
const (
	// BulkStop fails as a whole.
	BulkStop BulkMode = iota
	// BulkKeepGoing answers with the error instead of the element's answer.
	BulkKeepGoing
	// BulkAtomic looks at the result of all elements alone.
	BulkAtomic
	// BulkConcurrent runs all at once; none of them may modify the metadata.
	BulkConcurrent
)

// Bulk is several requests in one.
type Bulk struct {
	Mode BulkMode
	// Requests are the bodies.
	Requests []json.RawMessage
}

func (b *Bulk) decode(raw json.RawMessage) error { return decode(raw, &b.Requests) }

// Rows is an operation on rows, which an executor reads and runs.
type Rows struct {
	// Body is the whole request.
	Body json.RawMessage
}

func (*Rows) decode(json.RawMessage) error { return nil }

func (r *Rows) configure(_ API, e *Envelope) { r.Body = e.body }
