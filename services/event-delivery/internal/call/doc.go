// Package call keeps the log of the calls of asynchronous actions, and makes the calls.
//
// A call is in the log before its client hears of it. A worker takes calls with a lease, which
// it renews as long as it lives: what a worker that died had in hand is taken by another one.
// Handlers are called once, whatever comes of it; only when the worker dies in between may the
// same call be made again. The first end that is written is the one that stays.
//
// A call of an action that isn't there any more is left as it is, taken and without an end. It
// is made when the action comes back.
package call
