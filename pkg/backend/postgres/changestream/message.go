package changestream

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
)

// Definition is what is published.
type Definition struct {
	// Name is the name of the slots and the publication in the database; see Name.
	Name string
	// Tables are those whose changes are published.
	Tables []Table
}

// Table is a table, and what a role sees of it. The expressions are SQL for a row "r" with the table's columns,
// and use nothing but that row; they must be the same for the same definition.
type Table struct {
	Name catalog.Name
	// Key are the columns of the primary key.
	Key []string
	// Condition reports whether the role sees the row, KeyObject is the JSON object of the key, and Document
	// that of the columns that the role sees.
	Condition, KeyObject, Document string
}

// What is published, and where it goes to.
type (
	// Op is what a message tells.
	Op = backend.ChangeOp
	// Message is a change, or part of the beginning.
	Message = backend.ChangeMessage
	// Place is where a message is.
	Place = backend.ChangePlace
	// Sink stores messages. As long as there is no space it waits.
	Sink = backend.ChangeSink
	// Progress hears of what is published.
	Progress = backend.ChangeProgress
)

// The operations.
const (
	OpBegin    = backend.ChangeBegin
	OpRow      = backend.ChangeRow
	OpReady    = backend.ChangeReady
	OpInsert   = backend.ChangeInsert
	OpUpdate   = backend.ChangeUpdate
	OpDelete   = backend.ChangeDelete
	OpTruncate = backend.ChangeTruncate
)
