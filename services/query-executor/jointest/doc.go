// Package jointest makes random queries across sources, remote schemas and actions, and knows
// the right answers.
//
// A World has rows in five places: a table in each of two databases, the objects of two remote
// schemas, and those that an action answers with. All rows are alike (an id, a number and a
// word), and relationships lead from nearly every place to every other. Ask writes a random
// operation for a role together with its answer, which is made by looking at all rows of a
// place for each row of another one. It shares no code with the engine.
//
// What a role sees differs by the seed, too. A World also knows how often the places may be called:
// each of them once for a field of the operation, whatever the number of rows, and for a key once.
package jointest
