package changestream

import (
	"context"
	"log/slog"
	"time"

	"queryengine/pkg/backend/postgres/pgoutput"
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

// Op is what a message tells.
type Op string

// The operations.
const (
	// OpBegin begins with the rows as they are: all that was known is void.
	OpBegin Op = "begin"
	// OpRow is a row as it was when that began.
	OpRow Op = "row"
	// OpReady ends the rows; changes follow. Until then a reader's state may mix several times.
	OpReady    Op = "ready"
	OpInsert   Op = "insert"
	OpUpdate   Op = "update"
	OpDelete   Op = "delete"
	OpTruncate Op = "truncate"
)

// Message is a change, or part of the beginning.
type Message struct {
	Op Op
	// Table is empty in OpBegin and OpReady.
	Table catalog.Name
	// Key, Old and New are JSON objects. Old is that of an update or a delete, New that of an insert, an
	// update or a row.
	Key, Old, New []byte
	Place         Place
	// Commit and XID are the time by the database's clock and the number of the transaction; zero for
	// what isn't a change.
	Commit time.Time
	XID    uint32
}

// Place is where a message is. Places of an epoch are in the order of the messages.
type Place struct {
	// Epoch names all that follows one OpBegin; empty for no place.
	Epoch string `json:"epoch,omitempty"`
	// Table is the index of the table of an OpRow, and After the texts of its key. Both are unset before the
	// first row.
	Table int      `json:"table,omitempty"`
	After []string `json:"after,omitempty"`
	// Ready reports whether the rows are all there, with OpReady.
	Ready bool `json:"ready,omitempty"`
	// LSN is the place of the commit of a change, and Index its number in the transaction; zero before the
	// first one.
	LSN   pgoutput.LSN `json:"lsn,omitempty"`
	Index int64        `json:"index,omitempty"`
}

// covers reports whether a change was stored when a place of the same epoch was the last one.
func (p Place) covers(lsn pgoutput.LSN, index int64) bool {
	return lsn < p.LSN || lsn == p.LSN && index <= p.Index
}

// Sink stores messages.
type Sink interface {
	// Place is that of the last message that is stored, the zero Place for none.
	Place(ctx context.Context) (Place, error)
	// Store stores messages that follow the last one, in their order, and returns when they are safe. As long as
	// there is no space it waits. After an error any number of them may be stored, from the first one on.
	Store(ctx context.Context, messages []Message) error
}

// Progress hears of what is published.
type Progress struct {
	Logger *slog.Logger
	// Began is called when the log is read, Stored when messages are stored, with the time since the commit of
	// the last one; zero for rows.
	Began  func()
	Stored func(messages int, lag time.Duration)
}
