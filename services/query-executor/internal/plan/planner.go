package plan

import (
	"queryengine/services/query-executor/internal/plan/action"
	"queryengine/services/query-executor/internal/plan/federation"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/relay"
	"queryengine/services/query-executor/internal/plan/remote"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/plan/write"
)

// planner plans an operation: its root fields by a planner for each kind of them, which all work on
// one walker.
type planner struct {
	walk.Walker
	read       read.Planner
	relay      relay.Planner
	federation federation.Planner
	remote     remote.Planner
	action     action.Planner
	write      write.Planner
}

func newPlanner(s walk.Walker, inserts []*insert.Tree) *planner {
	p := &planner{Walker: s}
	p.read = read.Planner{Walker: &p.Walker, Relay: &p.relay, Remote: &p.remote}
	p.relay.Planner, p.federation.Planner = &p.read, &p.read
	p.remote.Planner, p.action.Planner = &p.read, &p.read
	p.write = write.Planner{Planner: &p.read, Before: inserts}
	return p
}
