package answer

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/request"
)

// Member is a member of the objects of an answer that has to do with joins. What isn't
// among the members stays as it is.
type Member struct {
	Key string
	// Below are the members of the object under the key, or of all objects in a list there.
	Below []Member
	// Join takes the place of the member's value, nil for none.
	Join *Join
	// As is what clients call the joined value, when that isn't Key.
	As string
	// Hidden members hold parts of keys and aren't asked for by the client.
	Hidden bool
	// Whole reports whether the joined value replaces the whole object, and not only the member's value.
	Whole bool
}

// Join is a field whose value comes from elsewhere: it is requested by a key, which the
// object that it is part of holds, for all objects together.
type Join struct {
	// Parts is the number of values that make the key. The members that hold them are the one that
	// the join is part of, and those that follow it.
	Parts int
	// Nulls reports whether keys with a null are requested, too.
	Nulls bool
	// Query or Remote answers all keys.
	Query  *JoinQuery
	Remote *request.Call
	// Joins are those in the answer to a key.
	Joins []Member
}

// JoinQuery is one statement for one source. Its answer is a list with one object for each
// key, in their order, which has the answer to the key under JoinAnswer.
type JoinQuery struct {
	Source *resolve.Source
	Root   ir.Root
	// Columns are the names of the parts of a key in the rows that the statement is given, as
	// the variable that follows Bindings; see ir.Keys.
	Columns  []string
	Keys     []backend.Key // of the columns that they are compared with
	Bindings input.Bindings
}

// JoinAnswer is the key of the answers of a JoinQuery.
const JoinAnswer = "answer"
