package dataop

import (
	"context"
	"slices"

	"queryengine/pkg/config"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/parse"
)

// Admission is what a request has to pass whatever language it is written in.
type Admission interface {
	// Listed refuses what the allow list keeps from a session.
	Listed(s *session.Session, document string) error
	// Sized refuses requests larger than the metadata allows a session.
	Sized(s *session.Session, size parse.Size) error
	// ScanLimit is how many bytes a request of a session may have databases read that charge for them.
	ScanLimit(s *session.Session) (most int64, bounded bool)
}

// goesWithout reports whether a guard is switched off for data operations.
func (p *planner) goesWithout(guard string) bool { return slices.Contains(p.unguarded, guard) }

// admit holds a plan to what holds for every request of its session. No text can be listed for a
// data operation, so a session that is held to the allow list has none.
func (h *Handler) admit(p *planner, r *request) (*plan, error) {
	rules := h.Admission()
	if !p.goesWithout(config.GuardAllowlist) {
		if err := rules.Listed(p.user, ""); err != nil {
			return nil, err
		}
	}
	plan, err := p.plan(r)
	if err != nil {
		return nil, withinArgs(err)
	}
	if !p.goesWithout(config.GuardAPILimits) {
		if most, bounded := rules.ScanLimit(p.user); bounded {
			plan.scan.Bound(most)
		}
		err = rules.Sized(p.user, plan.size())
	}
	return plan, err
}

// validate asks the webhooks of permissions about the rows to be written.
func (h *Handler) validate(ctx context.Context, p *plan, user *session.Session, clientHeaders map[string]string) error {
	for _, in := range p.inputs {
		if err := h.Validate(ctx, user, clientHeaders, in); err != nil {
			return err
		}
	}
	return nil
}

// size is how much a plan asks for, as if it were written in GraphQL: a field for the table, and one
// for each relationship.
func (p *plan) size() parse.Size {
	switch query := p.query.(type) {
	case *ir.Select:
		return sizeOf(query.Fields)
	case *ir.Aggregate:
		return parse.Size{Depth: 2, Nodes: 2} // docs_aggregate { aggregate { count } }
	}
	return parse.Size{Depth: 1, Nodes: 1}
}

func sizeOf(fields []ir.Field) parse.Size {
	s := parse.Size{Nodes: 1}
	for _, f := range fields {
		nested, ok := f.Value.(*ir.Nested)
		if !ok {
			continue
		}
		if rows, ok := nested.Root.(*ir.Select); ok {
			inner := sizeOf(rows.Fields)
			s.Depth, s.Nodes = max(s.Depth, inner.Depth), s.Nodes+inner.Nodes
		}
	}
	s.Depth++
	return s
}

// listed is the permission to read a table, if the role's list of root fields has that kind.
func (p *planner) listed(permission *resolve.SelectPermission, kind string) bool {
	return permission != nil && (p.goesWithout(config.GuardRootFields) || permission.InQuery(kind))
}

// aggregates reports whether the role may count. A trusted caller may take any role, so that
// counting as one without aggregations gives nothing away; clients of the established API do.
func (p *planner) aggregates(permission *resolve.SelectPermission) bool {
	return permission.Aggregations || p.user.Trusted || p.goesWithout(config.GuardAggregations)
}

// reaches reports whether a permission that may be for trusted requests alone is there for this one.
func (p *planner) reaches(backendOnly bool) bool {
	return !backendOnly || p.user.BackendOnly || p.goesWithout(config.GuardBackendOnly)
}

func (p *planner) inserting(t *resolve.Table) *resolve.InsertPermission {
	if permission := t.InsertPermission(p.user.Role); permission != nil && p.reaches(permission.BackendOnly) {
		return permission
	}
	return nil
}

func (p *planner) updating(t *resolve.Table) *resolve.UpdatePermission {
	if permission := t.UpdatePermission(p.user.Role); permission != nil && p.reaches(permission.BackendOnly) {
		return permission
	}
	return nil
}

func (p *planner) deleting(t *resolve.Table) *resolve.DeletePermission {
	if permission := t.DeletePermission(p.user.Role); permission != nil && p.reaches(permission.BackendOnly) {
		return permission
	}
	return nil
}
