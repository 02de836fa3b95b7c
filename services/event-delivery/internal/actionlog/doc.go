// Package actionlog keeps the log of the calls of asynchronous actions, and makes the calls.
//
// A call is in the log before its client gets its id. A worker takes calls with a lease, which it
// renews as long as it lives: calls of a worker that died are taken by another one. Handlers are called
// once, whatever the outcome; only when the worker dies in between may the same call be made again. The
// first outcome that is written is final.
//
// A call of an action that was dropped is left as it is, taken and without an outcome. It is made when
// the action comes back.
package actionlog
