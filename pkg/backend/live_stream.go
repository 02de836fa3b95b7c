package backend

import (
	"context"

	"queryengine/pkg/catalog"
)

// LiveStreamer is a LiveStatement that may know the rows of a stream from changes of its table.
type LiveStreamer interface {
	// Stream is nil where only the statement gives the rows.
	Stream() LiveStream
}

// LiveStream gives the rows of a stream from changes of its table. It is immutable and safe for concurrent use.
//
// It is for cohorts that have all rows that there were: a statement has found nothing past their cursor. From then on
// what a change tells is what the statement would find.
type LiveStream interface {
	// Table is that of the rows, Columns are its reported columns.
	Table() catalog.Name
	Columns() []string
	// Fits reports whether columns are reported as needed.
	Fits(told []ToldColumn) bool
	// Read reads a change; nil when its rows aren't known.
	Read(rows *ChangedRows) StreamRows
	// Bind makes a cohort of its values.
	Bind(values [][]byte) StreamCohort
}

// StreamCohort has the values of a cohort, with its cursor.
type StreamCohort any

// StreamRows are rows of a table as a change has left them. Not safe for concurrent use.
type StreamRows interface {
	// Batches are the rows that are new for a cohort, as the statement would give them one batch after the other; known
	// is false when only the statement can tell. What the snapshot sees isn't new.
	Batches(c StreamCohort, seen Snapshot) (batches []StreamBatch, known bool)
}

// StreamBatch is a batch of a stream: the JSON of the root field, and the text of the new cursor.
type StreamBatch struct{ Root, Cursor []byte }

// Snapshot is what transactions a statement has seen.
type Snapshot interface {
	// Sees reports whether a transaction that was committed is visible.
	Sees(transaction uint64) bool
}

// StreamSource is a LiveSource of streams whose rows may be known from changes.
type StreamSource interface {
	// QueryStream is QueryLive for a statement with a LiveStream. For cohorts without new rows f gets what the statement
	// has seen; nil where it would write the rows otherwise than the LiveStream does.
	QueryStream(ctx context.Context, s LiveStatement, cohorts [][][]byte, f func(cohort int, roots [][]byte, cursor []byte, seen Snapshot)) error
}
