// Package doctor examines a source: it holds what the database has and grants against what the
// metadata wants of it, and reports what fails, what is slow and what is limited, with a remedy.
//
// Which queries a database gets is up to its kind, an Examiner. The checks in this package are the same
// for all kinds: they read Facts and metadata, and need no connection.
package doctor

import (
	"cmp"
	"context"
	"slices"
)

// Severity is how much a finding matters.
type Severity string

// The severities.
const (
	// Error: something that the metadata offers fails.
	Error Severity = "error"
	// Warning: it works, but slowly or not in all cases.
	Warning Severity = "warning"
	// Info: it is good to know.
	Info Severity = "info"
)

// rank orders severities, the worst first.
func (s Severity) rank() int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// Finding is one result of an examination.
type Finding struct {
	// Code is stable: scripts may rely on it. docs/doctor.md lists all.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Source   string   `json:"source,omitempty"`
	// Object is what it is about: a table, table.column, a function; empty for the whole source.
	Object  string `json:"object,omitempty"`
	Message string `json:"message"`
	// Remedy is a statement for the database, where there is one, else advice.
	Remedy string `json:"remedy,omitempty"`
}

// Ask runs one query in the database of a source, with the rights of the engine's user, and returns
// its rows without the names of the columns. It writes nothing.
type Ask func(ctx context.Context, query string) ([][]string, error)

// Examiner is a kind of sources that can be examined. It is safe for concurrent use.
type Examiner interface {
	// Examine collects the facts of a database.
	Examine(ctx context.Context, ask Ask) (*Facts, error)
}

// Sort brings findings into the order of reports: by source, severity, code and object.
func Sort(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Severity.rank(), b.Severity.rank()),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Message, b.Message),
		)
	})
}

// Worst is the worst severity of findings, "" when there are none.
func Worst(list []Finding) Severity {
	var worst Severity
	for _, f := range list {
		if worst == "" || f.Severity.rank() < worst.rank() {
			worst = f.Severity
		}
	}
	return worst
}
