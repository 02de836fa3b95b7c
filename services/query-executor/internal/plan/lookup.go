package plan

import (
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/lookup"
)

// Lookup is a statement for the values that rules of permissions take from another source, see
// package lookup.
type Lookup struct {
	// Key is what statements know the values by.
	Key   string
	Table *resolve.Table
	Root  ir.Root
}

// lookups are what the rules of all tables that the plan depends on take from other sources.
func (p *planner) lookups() ([]Lookup, error) {
	var list []Lookup
	add := func(wanted []ir.Lookup) error {
		for _, l := range wanted {
			key := backend.LookupKey(l)
			if slices.ContainsFunc(list, func(known Lookup) bool { return known.Key == key }) {
				continue
			}
			if p.Subscribes {
				return apierror.New(apierror.NotSupported, "subscriptions on this field is not supported")
			}
			found, err := p.Role.Lookup(l)
			if err != nil {
				return err
			}
			list = append(list, Lookup{Key: key, Table: found.Table, Root: lookup.Root(found)})
		}
		return nil
	}
	for _, t := range p.Tables {
		if err := add(t.Permission.Lookups.All()); err != nil {
			return nil, err
		}
	}
	for _, w := range p.Writes {
		var wanted []ir.Lookup
		if w.Insert != nil {
			wanted = append(wanted, w.Insert.Lookups.All()...)
		}
		if w.Update != nil {
			wanted = append(wanted, w.Update.Lookups.All()...)
		}
		if w.Delete != nil {
			wanted = append(wanted, w.Delete.Lookups.All()...)
		}
		if err := add(wanted); err != nil {
			return nil, err
		}
	}
	return list, nil
}
