package schema

import (
	"sync"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/remoteschema"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/seal"
)

// Options are the server settings that change a role's schema.
type Options struct {
	// BackendOnly adds fields that are marked backend_only.
	BackendOnly bool
	// Relay makes the schema of the Relay API.
	Relay bool
	// Seal hides the keys in global ids and cursors from roles that may not read them. Without,
	// such roles have no ids and cursors of these tables.
	Seal *seal.Keys
	// Federation adds the fields of Apollo Federation to schemas that aren't Relay's.
	Federation bool
	// HideAggregatePredicates, HideStreamFields and HideUpdateManyFields leave these out.
	HideAggregatePredicates bool
	HideStreamFields        bool
	HideUpdateManyFields    bool
	// ArrayScalars gives arrays scalars of their own instead of lists.
	ArrayScalars bool
}

// Role is the schema of one role at one version of the metadata.
type Role struct {
	Name    string
	options Options
	source  *resolve.Schema

	mu        sync.Mutex
	tables    map[*resolve.Table]*Table
	writables map[*resolve.Table]*Writable
	// shared are the types that no table owns, by name.
	shared map[string]*Type
	// remotes are those of remote schemas.
	remotes map[*remoteschema.Type]*Type
	// customs are those of actions, by name, without scalars.
	customs map[string]*Type

	query        *Type
	mutation     *Type
	subscription *Type

	byName func() map[string]*Type
}

// Lookup resolves what a rule takes from another source.
func (r *Role) Lookup(l ir.Lookup) (*resolve.Lookup, error) { return r.source.Lookup(l) }

// New returns the schema of a role; nothing of it is built yet.
func New(source *resolve.Schema, role string, o Options) *Role {
	r := &Role{
		Name: role, options: o, source: source,
		tables: map[*resolve.Table]*Table{}, writables: map[*resolve.Table]*Writable{}, shared: map[string]*Type{},
		remotes: map[*remoteschema.Type]*Type{}, customs: map[string]*Type{},
	}
	r.byName = sync.OnceValue(func() map[string]*Type {
		list := r.Enumerate()
		types := make(map[string]*Type, len(list))
		for _, t := range list {
			types[t.Name] = t
		}
		return types
	})
	r.query = newType("query_root", Object, "", r.buildQuery)
	r.mutation = newType("mutation_root", Object, "mutation root", r.buildMutation)
	r.subscription = newType("subscription_root", Object, "", r.buildSubscription)
	return r
}

// Query is the query root.
func (r *Role) Query() *Type { return r.query }

// Mutation is the mutation root, nil for a role without mutations.
func (r *Role) Mutation() *Type {
	if len(r.mutation.Fields()) == 0 {
		return nil
	}
	return r.mutation
}

// Subscription is the subscription root, nil for a role without subscriptions.
func (r *Role) Subscription() *Type {
	if len(r.subscription.Fields()) == 0 {
		return nil
	}
	return r.subscription
}

// Table is t as the role sees it, or nil when it may not read it.
func (r *Role) Table(t *resolve.Table) *Table {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seen, ok := r.tables[t]; ok {
		return seen
	}
	var seen *Table
	if !r.hides(t) {
		if p := t.SelectPermission(r.Name); p != nil {
			seen = newTable(r, t, p)
		}
	}
	r.tables[t] = seen
	return seen
}

// hides reports whether a table isn't in the schema, whatever the role may do.
func (r *Role) hides(t *resolve.Table) bool {
	return t.Name == "" || r.source.Hides(t) || r.options.Relay && r.isOfRelay(namingOf(t.Source).typeName(baseOf(t), ""))
}

// known is the shared type of that name, nil when there is none yet.
func (r *Role) known(name string) *Type {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shared[name]
}

// named is the shared type of that name; make is called when there is none yet.
func (r *Role) named(name string, kind Kind, description string, build func() content) *Type {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.shared[name]; t != nil {
		return t
	}
	t := newType(name, kind, description, build)
	r.shared[name] = t
	return t
}

// scalar is a scalar type by its GraphQL name.
func (r *Role) scalar(name string) *Type { return r.named(name, Scalar, "", nil) }

// valueType is the type of values of a database type: its scalar, or a list of it.
func (r *Role) valueType(t catalog.Type, s *resolve.Source) Ref {
	if t.IsArray() && r.options.ArrayScalars {
		return Named(r.arrayScalar(r.scalarName(t, s), t, s))
	}
	ref := Named(r.scalar(r.scalarName(t, s)))
	if t.IsArray() {
		return List(NonNull(ref))
	}
	return ref
}

// argumentType is the type of an argument of a function: a scalar, of arrays too.
func (r *Role) argumentType(t catalog.Type, s *resolve.Source) Ref {
	if t.IsArray() {
		return Named(r.arrayScalar("_"+t.Name, t, s))
	}
	return r.valueType(t, s)
}

// arrayScalar is the scalar of that name for arrays of type t.
func (r *Role) arrayScalar(name string, t catalog.Type, s *resolve.Source) *Type {
	element := r.scalar(r.elementName(t, s))
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.shared[name]
	if known == nil {
		known = &Type{Name: name, Kind: Scalar, definition: array{element}}
		r.shared[name] = known
	}
	return known
}

// scalarName is the scalar of a database type, or of the elements of lists.
func (r *Role) scalarName(t catalog.Type, s *resolve.Source) string {
	if t.IsArray() && r.options.ArrayScalars {
		return "_" + s.Dialect.Scalar(t).SQL
	}
	return r.elementName(t, s)
}

// elementName is the scalar of a database type, for an array that of its elements. Types that
// users made may be called like the object type of a table, which keeps the name.
func (r *Role) elementName(t catalog.Type, s *resolve.Source) string {
	name := s.Dialect.Scalar(t).Name
	if t.Kind != "" && t.Kind != catalog.TypeBase && r.source.HasType(name) {
		return name + "_scalar"
	}
	return name
}

// Named is the type of that name among those that Enumerate lists, nil for none. All are listed once.
func (r *Role) Named(name string) *Type { return r.byName()[name] }

// Enumerate lists every type that can be reached from the roots or from introspection, each
// name once.
func (r *Role) Enumerate() []*Type {
	found := map[string]bool{}
	var list []*Type
	reach := func(t *Type) {
		if t != nil && !found[t.Name] {
			found[t.Name] = true
			list = append(list, t)
		}
	}
	for _, t := range r.MetaTypes() {
		reach(t)
	}
	for _, t := range []*Type{r.Query(), r.Mutation(), r.Subscription()} {
		reach(t)
	}
	for _, d := range r.Directives() {
		reachInputs(d.Args, reach)
	}
	for i := 0; i < len(list); i++ {
		fields := list[i].Fields()
		for j := range fields {
			reach(fields[j].Type.Named)
			reachInputs(fields[j].Args(), reach)
		}
		reachInputs(list[i].Inputs(), reach)
		for _, t := range list[i].Interfaces() {
			reach(t)
		}
		for _, t := range list[i].Possible() {
			reach(t)
		}
	}
	return list
}

func reachInputs(inputs []Input, reach func(*Type)) {
	for i := range inputs {
		reach(inputs[i].Type.Named)
	}
}

// Copy is the same schema with nothing of it built yet.
func (r *Role) Copy() *Role { return New(r.source, r.Name, r.options) }
