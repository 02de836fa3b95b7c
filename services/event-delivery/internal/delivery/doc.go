// Package delivery is the worker of event-delivery: it takes deliveries from the queue,
// calls their webhooks and has recorded what became of them.
//
// It knows nothing of triggers and tables. A Kind makes the attempt that a delivery asks
// for, and writes outcomes to where its events are kept, several at once. A message leaves
// the queue after its outcome was written, so a worker that dies at any point leaves the
// event to another worker: it is delivered again, never lost.
package delivery
