// Package oracle makes random databases, permissions and queries, and knows the right answers.
//
// A Model is a schema with its rows, roles and their permissions, made from a seed; it spells itself as
// SQL and as metadata. Ask makes a random operation for a role and Answer computes its right answer: by
// looking at every row, one after the other, with no thought for speed, so that a reader can see that
// it is right. It shares no code with the engine.
//
// A role's conditions, orderings and aggregates are computed here from what the role may see
// and from nothing else. So an answer of the engine that is equal for every operation lets no
// hidden row and no hidden cell shine through, also not by way of a predicate.
//
// SQL leaves some answers open: which row of several equal ones comes first, or is cut off by a
// limit. Answer keeps equal rows in groups whose order doesn't count, and gives ErrAmbiguous
// when the open question changes more than that.
package oracle
