package schema

import (
	"strconv"

	"queryengine/pkg/resolve"
)

// QueuedAction is a root field that has the handler of an asynchronous action called, and gives
// the id of the call. Its arguments are *ActionInput.
type QueuedAction struct{ *resolve.Action }

// ActionCall is a root field with the state of a call of an asynchronous action, by the id that is its
// argument.
type ActionCall struct{ *resolve.Action }

// CallPart is a field of what became of a call.
type CallPart string

// The fields of calls, which are also the names in what event-delivery knows of them.
const (
	CallID        CallPart = "id"
	CallCreatedAt CallPart = "created_at"
	CallErrors    CallPart = "errors"
	CallOutput    CallPart = "output"
)

func (*QueuedAction) fieldMeaning() {}
func (*ActionCall) fieldMeaning()   {}
func (CallPart) fieldMeaning()      {}

// ArgCallID is the id of a call.
const ArgCallID Argument = "call id"

const callIDText = "the unique id of an action"

// queuedField is the field of the mutation root for an asynchronous action.
func (r *Role) queuedField(a *resolve.Action) Field {
	return r.actionField(a, NonNull(Named(r.scalar("uuid"))), &QueuedAction{a})
}

// callFields are the fields of the query and subscription roots for the asynchronous actions
// that the role may use.
func (r *Role) callFields() []Field {
	var fields []Field
	for _, a := range r.source.Actions() {
		if !a.Meta.Definition.IsAsynchronous() || !r.source.Allowed(a, r.Name) {
			continue
		}
		f := Field{Name: a.Meta.Name, Type: Named(r.callType(a)), Meaning: &ActionCall{a}, args: argsFunc(func() []Input {
			return []Input{{Name: "id", Description: callIDText, Type: NonNull(Named(r.scalar("uuid"))), Meaning: ArgCallID}}
		})}
		if a.Meta.Comment != nil {
			f.doc = (*note)(a.Meta.Comment)
		}
		fields = append(fields, f)
	}
	return fields
}

// timeScalar is the scalar of GraphQL that the times of calls have, whatever databases there are.
const timeScalar = "timestamptz" // dialect word: see above

// callType is the type of the state of a call of an action. It has the name of the action.
func (r *Role) callType(a *resolve.Action) *Type {
	name := a.Meta.Name
	return r.named(name, Object, "fields of action: "+strconv.Quote(name), func() content {
		part := func(p CallPart, of Ref, text string) Field {
			return Field{Name: string(p), Type: of, Meaning: p, doc: words(text)}
		}
		return content{fields: []Field{
			part(CallCreatedAt, NonNull(Named(r.scalar(timeScalar))), "the time at which this action was created"),
			part(CallErrors, Named(r.scalar("json")), "errors related to the invocation"),
			part(CallID, NonNull(Named(r.scalar("uuid"))), callIDText),
			part(CallOutput, r.customRef(&a.Meta.Definition.OutputType).Nullable(), "the output fields of this action"),
		}}
	})
}

// IsQueryAction reports whether a role may use an action of that name as a query.
func (r *Role) IsQueryAction(name string) bool {
	f := r.query.Field(name)
	if f == nil {
		return false
	}
	_, ok := f.Meaning.(*Action)
	return ok
}
