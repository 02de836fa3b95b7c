// Package live keeps the subscriptions of a gateway's clients on query-executors.
//
// Equal subscriptions of all gateways go to the same executor, so that it can run them
// together: the one with the highest score of its name and the operation. All gateways find
// the same one, for they know the executors from what these say of themselves. There is one
// link to each executor, and the results of all subscriptions on it come over that. When an
// executor goes, its subscriptions move to others, and take along what they have seen: nothing
// is sent twice, and of a stream nothing is left out. When one comes, those move to it that
// belong there.
package live
