// Package action calls the handlers of actions and makes sense of what they answer.
//
// A call is one POST with the input, the session and the text of the client's request, changed
// by the transforms of the action. Its answer is an error in the words of the handler, or a
// value that has to fit the output type of the action. A handler that hangs, or answers with
// garbage or more than the configured size, is an error of its action in bounded time and memory.
//
// What went over the wire is the internal part of errors: addresses and headers are in it as
// the metadata has them, never with the values of variables of the environment.
package action
