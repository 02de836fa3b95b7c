// Package remote calls the servers of remote schemas and reads their answers.
//
// It takes the body of a request that is ready to be sent, makes the call through pkg/egress with the
// headers in the definition of the remote schema, and finds the data in the answer, or the fault. The
// data stay the received bytes: a Shape lists the requested keys, and Append copies them, in the order
// of the client's selection.
//
// It knows nothing of operations and schemas: plans give it shapes and bodies.
package remote
