// Package delivery is the worker of event-delivery: it takes deliveries from the queue,
// calls their webhooks and has recorded what became of them.
//
// It knows nothing of triggers and tables. A Kind makes the attempt that a delivery asks
// for, and writes outcomes to where its events are kept, several at once. A message leaves
// the queue after its outcome was written, so a worker that dies at any point leaves the
// event to another worker: it is delivered again, never lost.
//
// Four bounds lie on a delivery's way, from the outside in: the slots of the pool (package pool) are
// the deliveries that a process has taken from the queue; queued shares those between flows, one
// for each trigger; calls shares the webhooks that may be called at once between the same flows,
// fewer by queuePerCall; and a recorder writes the outcomes of one kind and source, in batches, one
// after the other. Package table has a pace of its own for what it publishes to the queue.
package delivery
