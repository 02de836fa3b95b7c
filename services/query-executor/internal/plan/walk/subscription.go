package walk

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
)

// IsIntrospection reports whether the schema answers a root field of a query.
func IsIntrospection(name string) bool { return name == "__schema" || name == "__type" }

// Subscription is what is known of a subscription while it is planned.
type Subscription struct {
	// Several reports whether there may be more than one root field.
	Several bool
	fields  int
	// Members counts the fields of namespaces.
	Members int
	// Streams and queries count the root fields that sources answer.
	Streams, Queries int
	// Calls counts fields about calls of actions, lone the ones whose output leads to no table.
	Calls, Lone int
	// Remotes counts those that remote schemas answer.
	Remotes int
	Source  *resolve.Source
	Cursor  *ir.Cursor
}

// RootField notes a field at the root of the operation.
func (l *Subscription) RootField(name string) error {
	if name == Typename || IsIntrospection(name) {
		return apierror.New(apierror.NotSupported, "Introspection at root field level is not supported over subscriptions")
	}
	l.fields++
	return nil
}

const oneField = "subscriptions must select one top level field"

// Check refuses root fields that a subscription can't have together; l is nil for other operations.
func (l *Subscription) Check() error {
	switch {
	case l == nil:
		return nil
	case l.fields > 1 && !l.Several:
		return apierror.New(apierror.ValidationFailed, oneField)
	case l.Lone > 0 && l.Streams+l.Queries > 0:
		return apierror.New(apierror.NotSupported, "async action queries with no relationships aren't expected to mix with normal source database queries")
	case l.Calls > 0 && l.Streams+l.Queries > 0:
		return apierror.New(apierror.NotSupported, "all fields of a subscription must be from the same source")
	case l.Remotes > 1 || l.Remotes > 0 && l.Streams+l.Queries+l.Calls > 0:
		return apierror.New(apierror.NotSupported, "exactly one root field is allowed for subscriptions on remote schemas")
	case l.Members > 1 && !l.Several:
		return apierror.New(apierror.ValidationFailed, oneField)
	case l.Streams > 0 && l.Queries > 0:
		return apierror.New(apierror.NotSupported, "streaming and livequery subscriptions cannot be executed in the same subscription")
	case l.Streams > 1:
		return apierror.New(apierror.NotSupported, "exactly one root field is allowed for streaming subscriptions")
	}
	return nil
}
