package plan

import (
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/schema"
)

// planner plans an operation: its root fields by a planner for each kind of them, which all work on
// one state.
type planner struct {
	state
	read       readPlanner
	relay      relayPlanner
	federation federationPlanner
	remote     remotePlanner
	action     actionPlanner
	write      writePlanner
}

func newPlanner(s state, inserts []*Insert) *planner {
	p := &planner{state: s}
	p.read = readPlanner{state: &p.state, relay: &p.relay, remote: &p.remote}
	p.relay.readPlanner, p.federation.readPlanner = &p.read, &p.read
	p.remote.readPlanner, p.action.readPlanner = &p.read, &p.read
	p.write = writePlanner{readPlanner: &p.read, before: inserts}
	return p
}

// readPlanner plans what is read of sources.
type readPlanner struct {
	*state
	relay  relayFields
	remote remoteFields
}

// relayFields plans the fields of rows that Relay asks for.
type relayFields interface {
	Connection(r relation, s *selected, inputs []schema.Input, c *call) (*ir.Connection, error)
	NodeID(t *schema.Table, s *selected) (ir.Field, error)
}

// remoteFields plans the fields of rows that remote schemas answer.
type remoteFields interface {
	JoinField(m *schema.RemoteJoin, f *schema.Field, s *selected) error
}

// relayPlanner plans connections and nodes.
type relayPlanner struct{ *readPlanner }

// federationPlanner plans what other subgraphs ask for.
type federationPlanner struct{ *readPlanner }

// remotePlanner plans what remote schemas are asked.
type remotePlanner struct{ *readPlanner }

// actionPlanner plans the calls of actions.
type actionPlanner struct{ *readPlanner }

// writePlanner plans what is written to sources.
type writePlanner struct {
	*readPlanner
	// before are the inserts of a plan for the same operation that had too few nodes, inserts
	// counts those of this one.
	before  []*Insert
	inserts int
}
