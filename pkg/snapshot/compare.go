package snapshot

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"queryengine/pkg/metadata"
)

// Difference is one object that isn't the same in two documents.
type Difference struct {
	// Op is "add", "change" or "remove".
	Op     string `json:"op"`
	Kind   Kind   `json:"kind"`
	Source string `json:"source,omitempty"`
	Schema string `json:"schema,omitempty"`
	Name   string `json:"name,omitempty"`
	// Before and After are the whole object, absent where it isn't there.
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// The operations of a Difference.
const (
	Added   = "add"
	Changed = "change"
	Removed = "remove"
)

// Compare lists what leads from one document to another, sorted. Tables and functions of a
// source that is added or removed are listed too.
func Compare(from, to *metadata.Document) ([]Difference, error) {
	forward, err := Diff(&Snapshot{Document: from}, &Snapshot{Document: to}, time.Time{})
	if err != nil {
		return nil, err
	}
	back, err := Diff(&Snapshot{Document: to}, &Snapshot{Document: from}, time.Time{})
	if err != nil {
		return nil, err
	}
	found := map[Key]*Difference{}
	at := func(o Object) *Difference {
		k := o.Key()
		if found[k] == nil {
			found[k] = &Difference{Kind: o.Kind, Source: o.Source, Schema: o.Schema, Name: o.Name}
		}
		return found[k]
	}
	for _, o := range forward.Objects {
		if o.Op == OpSet {
			at(o).After = o.Value
		}
	}
	for _, o := range back.Objects {
		if o.Op == OpSet {
			at(o).Before = o.Value
		}
	}
	list := make([]Difference, 0, len(found))
	for _, d := range found {
		switch {
		case d.Before == nil:
			d.Op = Added
		case d.After == nil:
			d.Op = Removed
		default:
			d.Op = Changed
		}
		list = append(list, *d)
	}
	slices.SortFunc(list, compareDifferences)
	return list, nil
}

func compareDifferences(a, b Difference) int {
	return cmp.Or(
		strings.Compare(a.Source, b.Source), strings.Compare(string(a.Kind), string(b.Kind)),
		strings.Compare(a.Schema, b.Schema), strings.Compare(a.Name, b.Name),
	)
}
