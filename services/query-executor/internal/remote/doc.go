// Package remote asks the servers of remote schemas and reads what they answer.
//
// It takes the body of a request that is ready to be sent, makes the call through
// pkg/egress with the headers that the definition of the remote schema asks for, and finds
// the data in the answer, or the fault. The data stay the bytes that they came as: a Shape
// says which keys were asked for, and Append copies them, in the order of the client's
// selection.
//
// It knows nothing of operations and schemas: plans give it shapes and bodies.
package remote
