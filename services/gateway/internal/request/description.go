package request

import "google.golang.org/protobuf/proto"

// Description is an executor's description of an operation; the zero value if it isn't known yet. Hash
// is the parameterized query hash, Kind query, mutation or subscription.
type Description struct{ Hash, Name, Kind string }

// Describe reads the description out of the head of an answer; a head of another kind has none.
func Describe(head proto.Message) Description {
	h, ok := head.(interface {
		GetParameterizedQueryHash() string
		GetOperationName() string
		GetOperationType() string
	})
	if !ok {
		return Description{}
	}
	return Description{Hash: h.GetParameterizedQueryHash(), Name: h.GetOperationName(), Kind: h.GetOperationType()}
}
