// Package live keeps the subscriptions of a gateway's clients on query-executors.
//
// Equal subscriptions of all gateways go to the same executor, so that it can run them together: the
// one with the highest score of its name and the operation. All gateways choose the same one, because
// they know the executors from the executors' own announcements. There is one link to each executor,
// and the results of all subscriptions on it arrive there. When an executor goes, its subscriptions
// move to others, together with what they have seen: nothing is sent twice, and of a stream nothing is
// lost. When one comes, the subscriptions that belong there move to it.
package live
