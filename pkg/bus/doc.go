// Package bus is how the services talk: typed request and reply with answers of any size,
// broadcasts, and the durable stream of metadata changes.
//
// It runs on NATS and JetStream, and no other package imports nats.go. A request whose
// responder is registered on the same Bus is handled by a direct call on the caller's
// goroutine, with the same limits and the same errors; nothing else may depend on whether
// services share a process.
//
// What callers may rely on:
//
//   - An answer is either whole, or Call returns an error. Pieces of the body reach the
//     Sink as they are sent; an answer that breaks off after its first piece gives
//     ErrCutOff.
//   - Memory is bounded at both ends whatever the size of the answer: a sender has at most
//     Config.Window frames under way that the caller's Sink has not taken yet.
//   - A handler's context ends when the request's deadline passes, when the caller
//     cancels, and when the caller is gone. The trace context of the caller is in it.
//   - Nothing waits for a connection that is down: calls fail at once with an apierror of
//     status 503, and work again as soon as the connection is back. That holds for the
//     connection to NATS also where a call could go over a direct one (Bus.Listen).
package bus
