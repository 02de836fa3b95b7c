// Package live runs subscriptions repeatedly, and sends subscribers what has changed.
//
// Subscribers whose subscriptions are the same statement share a poller; those among them whose values
// are the same, too, are a cohort. A poller runs its cohorts in batches, with one statement for each
// batch. Of a result only a hash is kept, and it is sent to a subscriber when it is not the one that
// the subscriber has.
//
// Results go to links, one for each gateway. A link holds at most the newest result of a live query for
// each subscriber, so a slow one costs intermediate results and no memory. A batch of a stream is never
// dropped: the cohort of a stream waits until its subscribers can take it.
//
// Planning is not done here. When plans are no longer valid, Stale hands out the subscribers that have
// to be planned again.
package live
