package plan

import (
	"strconv"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// JoinMember is a member of the objects of an answer that has to do with joins. What isn't
// among the members stays as it is.
type JoinMember struct {
	Key string
	// Below are the members of the object under the key, or of all objects in a list there.
	Below []JoinMember
	// Joins take the place of the member's value: of several, the first one whose key the object
	// has.
	Joins []*Join
	// Hidden members hold parts of keys and aren't asked for by the client.
	Hidden bool
	// Whole says that what takes the place of the value takes that of the whole object.
	Whole bool
}

// Join is a field whose value comes from elsewhere: it is asked for by a key, which the
// object that it is part of holds, for all objects together.
type Join struct {
	// Parts is the number of values that make the key. The members that hold them stand next
	// to each other in the list that the join is part of; First is the index of the first one.
	First, Parts int
	// Nulls says that keys with a null are asked for, too.
	Nulls bool
	// Query or Remote answers all keys.
	Query  *JoinQuery
	Remote *RemoteCall
	// Joins are those in the answer to a key.
	Joins []JoinMember
}

// JoinQuery is one statement for one source. Its answer is a list with one object for each
// key, in their order, which has the answer to the key under JoinAnswer.
type JoinQuery struct {
	Source *resolve.Source
	Root   ir.Root
	// Columns are the names of the parts of a key in the rows that the statement is given, as
	// the variable that follows Bindings; see ir.Keys.
	Columns  []string
	Bindings input.Bindings
}

// JoinAnswer is the key of the answers of a JoinQuery.
const JoinAnswer = "answer"

// joined is the field that was planned last, when its value comes from elsewhere.
type joined struct {
	Join
	// key are the fields that hold the parts of its key. The first one stands in the place
	// of the field itself, unless that is apart, the others follow it.
	key   []ir.Field
	apart bool
}

// joinRows plans the rows that a remote relationship leads to.
func (p *readPlanner) joinRows(m *schema.RemoteRelation, f *schema.Field, s *selected) error {
	return p.joinSource(m, func() (ir.Root, error) {
		if m.Source.Array {
			return p.selectRows(tableRelation(m.Target), s, f.Args(), nil)
		}
		return p.oneRow(m.Target, s)
	})
}

// joinAggregate plans the aggregates of these rows.
func (p *readPlanner) joinAggregate(m *schema.RemoteAggregate, f *schema.Field, s *selected) error {
	return p.joinSource(m.RemoteRelation, func() (ir.Root, error) {
		return p.aggregateRows(tableRelation(m.Target), s, f.Args(), nil)
	})
}

// joinSource plans a field whose value another source gives; plan plans what is asked there for
// one key.
func (p *readPlanner) joinSource(m *schema.RemoteRelation, plan func() (ir.Root, error)) error {
	query, err := p.joinQuery(m.Source, plan)
	if err != nil {
		return err
	}
	p.joined = &joined{Join: Join{Parts: len(m.Left), Query: query, Joins: p.takeJoins()}}
	return nil
}

// remoteField plans a field of rows whose value comes from elsewhere; plan sets p.joined. What
// it gives is the field that holds the place in the answer.
func (p *readPlanner) remoteField(m *resolve.RemoteRelationship, plan func() error) (ir.Field, error) {
	if p.subscribes {
		return ir.Field{}, p.FailWith(apierror.NotSupported, "Remote relationships are not allowed in subscriptions")
	}
	key := p.keyFields(m)
	if err := plan(); err != nil {
		return ir.Field{}, err
	}
	p.joined.key = key
	return key[0], nil
}

// keyFields are the values that are joined by: those of the row itself, as in any relationship,
// whatever the role may see of them.
func (p *readPlanner) keyFields(m *resolve.RemoteRelationship) []ir.Field {
	if len(m.Left) == 0 {
		return []ir.Field{{Typename: m.Name}} // holds the place
	}
	fields := make([]ir.Field, len(m.Left))
	for i, left := range m.Left {
		if c := left.Column; c != nil {
			fields[i] = ir.Field{Expr: columnOf(c), ExprType: c.Type}
			continue
		}
		f := left.Computed
		p.calls(f.Function, nil)
		fields[i] = ir.Field{Expr: f.Call(f.CallArgs()), ExprType: f.Type}
	}
	return fields
}

// joinQuery plans the statement that answers the keys of a join.
func (p *readPlanner) joinQuery(t *resolve.SourceTarget, plan func() (ir.Root, error)) (*JoinQuery, error) {
	if err := p.Take(budget.Statements, 1); err != nil {
		return nil, err
	}
	before := p.begin(t.Table.Source)
	root, err := plan()
	if err != nil {
		return nil, err
	}
	q := &JoinQuery{Source: t.Table.Source, Bindings: p.Bindings()}
	p.statement = before

	keys := ir.Keys{Index: q.Bindings.Len(), Ordinal: "n"}
	related := &ir.Nested{Unique: t.Unique, Root: root}
	for i, c := range t.Columns {
		name := "k" + strconv.Itoa(i+1)
		q.Columns = append(q.Columns, name)
		keys.Columns = append(keys.Columns, ir.Column{Name: name, Type: c.Type})
		related.Join = append(related.Join, ir.JoinPair{Outer: name, Inner: c.Name})
	}
	q.Root = &ir.Select{
		Rows: ir.Rows{
			From: keys, Estimate: -1,
			OrderBy: []ir.OrderItem{{Target: ir.OrderExpr{Expr: ir.Column{Name: keys.Ordinal, Type: t.Table.Source.Dialect.Well(backend.TypeBigInt)}}}},
		},
		Fields: []ir.Field{{Alias: JoinAnswer, Nested: related}},
	}
	return q, nil
}

// withKey adds the rest of the key of the field that was added last. Its names are none that a
// client could give.
func (p *readPlanner) withKey(fields []ir.Field) []ir.Field {
	if p.joined == nil {
		return fields
	}
	for i := range p.joined.key[1:] {
		p.joined.key[i+1].Alias = "?" + strconv.Itoa(len(fields))
		fields = append(fields, p.joined.key[i+1])
	}
	return fields
}

// takeJoins are the joins in the selection set that was planned last.
func (p *state) takeJoins() []JoinMember {
	joins := p.joins
	p.joins = nil
	return joins
}

// addJoins adds to the joins of a selection set those of the field that was planned last.
func (p *state) addJoins(list []JoinMember, alias string) []JoinMember {
	if p.joined == nil {
		if below := p.takeJoins(); len(below) > 0 {
			list = append(list, JoinMember{Key: alias, Below: below})
		}
		return list
	}
	j := p.joined
	p.joined = nil
	j.First = len(list)
	list = append(list, JoinMember{Key: alias, Joins: []*Join{&j.Join}})
	hidden := j.key
	if j.apart {
		j.First++
	} else {
		hidden = hidden[1:]
	}
	for _, f := range hidden {
		list = append(list, JoinMember{Key: f.Alias, Hidden: true})
	}
	return list
}
