package metadata

import (
	"slices"
	"strings"

	"queryengine/pkg/apierror"
)

// Batch is a request made of commands of which some may fail.
type Batch interface {
	Commands() []Command
	// Object describes element i in a warning.
	Object(d *Document, i int) (kind, name string)
	// Texts of the batch.
	Texts() BatchTexts
	// AllowWarnings lets the others through when some fail.
	AllowWarnings() bool
	// Leaves returns the table that element i untracks.
	Leaves(i int) (SourceTable, bool)
}

// BatchTexts are the texts in which batches differ.
type BatchTexts struct {
	WarningCode string
	AllFailed   string
}

// Warning is a part of a request that was left out.
type Warning struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Code    string `json:"code"`
}

// TrackTables are the arguments of track_tables.
type TrackTables struct {
	Tables []*TrackTable `json:"tables" meta:"required"`
	Allow  bool          `json:"allow_warnings" meta:"default=true"`
	// Source is that of the tables, as clients give it: each table has its own.
	Source string `json:"source"`
}

func (a *TrackTables) check() error {
	return checkRepeated(len(a.Tables), func(i int) SourceTable { return SourceTable{a.Tables[i].Source, a.Tables[i].Table} })
}

// Commands are the single requests.
func (a *TrackTables) Commands() []Command { return commands(a.Tables) }

// Object describes table i.
func (a *TrackTables) Object(d *Document, i int) (kind, name string) {
	return "table", tableText(a.Tables[i].Source, d.Display(a.Tables[i].Source, a.Tables[i].Table))
}

// Texts of the batch.
func (a *TrackTables) Texts() BatchTexts {
	return BatchTexts{"track-table-failed", "all tables failed to track"}
}

// AllowWarnings lets the others through when some fail.
func (a *TrackTables) AllowWarnings() bool { return a.Allow }

// Leaves returns nothing: no table is untracked.
func (a *TrackTables) Leaves(int) (SourceTable, bool) { return SourceTable{}, false }

// UntrackTables are the arguments of untrack_tables.
type UntrackTables struct {
	Tables []*UntrackTable `json:"tables" meta:"required"`
	Allow  bool            `json:"allow_warnings" meta:"default=true"`
}

func (a *UntrackTables) check() error {
	return checkRepeated(len(a.Tables), func(i int) SourceTable { return SourceTable{a.Tables[i].Source, a.Tables[i].Table} })
}

// Commands are the single requests.
func (a *UntrackTables) Commands() []Command { return commands(a.Tables) }

// Object describes table i.
func (a *UntrackTables) Object(d *Document, i int) (kind, name string) {
	return "table", tableText(a.Tables[i].Source, d.Display(a.Tables[i].Source, a.Tables[i].Table))
}

// Texts of the batch.
func (a *UntrackTables) Texts() BatchTexts {
	return BatchTexts{"untrack-table-failed", "all tables failed to untrack"}
}

// AllowWarnings lets the others through when some fail.
func (a *UntrackTables) AllowWarnings() bool { return a.Allow }

// Leaves returns table i.
func (a *UntrackTables) Leaves(i int) (SourceTable, bool) {
	return SourceTable{a.Tables[i].Source, a.Tables[i].Table}, true
}

func commands[C Command](list []C) []Command {
	out := make([]Command, len(list))
	for i, c := range list {
		out[i] = c
	}
	return out
}

// checkRepeated refuses tables that occur more than once. It runs before the document is there, so
// that names are neither completed nor those of a kind.
func checkRepeated(n int, table func(i int) SourceTable) error {
	seen := map[SourceTable]int{}
	var repeated []string
	for i := range n {
		t := table(i)
		if seen[t]++; seen[t] == 2 {
			repeated = append(repeated, t.Source+"."+t.Name.Display(defaultSchema(DefaultKind)))
		}
	}
	if len(repeated) == 0 {
		return nil
	}
	slices.Sort(repeated)
	return apierror.At(apierror.New(apierror.BadRequest,
		"The following tables occur more than once in the request: "+strings.Join(repeated, ", ")), "tables")
}
