package schema

import (
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/seal"
)

// What fields of the Relay schema mean.
type (
	// Node is the root field that finds a row by its global id.
	Node struct{ Of Root }
	// NodeID is the global id of a row.
	NodeID struct{ Table *Table }
	// Connection is a root field that reads the rows of a table page by page.
	Connection struct{ Table *Table }
	// FunctionConnection is a root field that reads the result of a tracked function page
	// by page.
	FunctionConnection struct {
		Function *resolve.Function
		Table    *Table
	}
	// RelationConnection reads the rows of an array relationship page by page.
	RelationConnection struct{ *Relation }
	// ConnectionPart is a field of a connection, of an edge, or of the page information.
	ConnectionPart string
)

func (Node) fieldMeaning()                {}
func (NodeID) fieldMeaning()              {}
func (Connection) fieldMeaning()          {}
func (FunctionConnection) fieldMeaning()  {}
func (*RelationConnection) fieldMeaning() {}
func (ConnectionPart) fieldMeaning()      {}

// The fields of connections, by what they mean.
const (
	PartEdges           ConnectionPart = "edges"
	PartPageInfo        ConnectionPart = "pageInfo"
	PartCursor          ConnectionPart = "cursor"
	PartNode            ConnectionPart = "node"
	PartStartCursor     ConnectionPart = "startCursor"
	PartEndCursor       ConnectionPart = "endCursor"
	PartHasNextPage     ConnectionPart = "hasNextPage"
	PartHasPreviousPage ConnectionPart = "hasPreviousPage"
)

// The arguments that only connections have.
const (
	ArgFirst  Argument = "first"
	ArgLast   Argument = "last"
	ArgAfter  Argument = "after"
	ArgBefore Argument = "before"
	ArgNodeID Argument = "id"
)

// nodeName is the interface of all rows that have a global id; idField is their field for it.
const (
	nodeName = "Node"
	idField  = "id"
)

// isOfRelay reports whether the Relay schema has a type of its own of that name, so that it leaves out a table whose rows are called so.
func (r *Role) isOfRelay(name string) bool {
	if name == nodeName || name == "PageInfo" {
		return true
	}
	for _, s := range r.source.Sources {
		affixes := namingOf(s).affixes
		bare, wrapped := strings.CutSuffix(name, affixes.Suffix)
		for _, end := range []string{"Connection", "Edge"} {
			if rows, ok := strings.CutSuffix(bare, end); ok && wrapped && r.source.HasType(rows+affixes.Suffix) {
				return true
			}
		}
	}
	return false
}

// IsNode reports whether the rows have a global id: in the Relay schema, those with a primary
// key. A global id holds the key, so a role that may not read all of that in every row only has
// sealed ones.
func (t *Table) IsNode() bool {
	if !t.role.options.Relay || !metadata.KindNamed(t.Source.Kind).Can(metadata.Relay) || len(t.PrimaryKey) == 0 {
		return false
	}
	return t.readsWholeKey() || t.role.options.Seal != nil
}

// SealsKeys reports whether the global ids and the cursors of a table with IsNode are sealed.
func (t *Table) SealsKeys() bool { return !t.readsWholeKey() }

// IDSeal encrypts the global ids of a table with SealsKeys, CursorSeal its cursors. They are valid for
// one role, whose rules decide what can be done with them, and as long as the key has the same columns
// and types: errors of the database would show values that don't fit.
func (t *Table) IDSeal() *seal.Sealer {
	t.sealing.Do(t.makeSeals)
	return t.idSeal
}

// CursorSeal seals cursors: see IDSeal.
func (t *Table) CursorSeal() *seal.Sealer {
	t.sealing.Do(t.makeSeals)
	return t.cursorSeal
}

func (t *Table) makeSeals() {
	about := func(what string) *seal.Sealer {
		list := []string{what, t.role.Name, t.Source.Name, t.Catalog.Name.Schema, t.Catalog.Name.Name}
		for _, c := range t.PrimaryKey {
			list = append(list, c.Name, c.Type.Schema, c.Type.Name, strconv.Itoa(c.Type.Dims))
		}
		return t.role.options.Seal.For(list...)
	}
	t.idSeal, t.cursorSeal = about("id"), about("cursor")
}

// readsWholeKey reports whether the role sees all columns of the primary key in every row.
func (t *Table) readsWholeKey() bool {
	for _, c := range t.PrimaryKey {
		if seen, ok := t.Permission.Column(c.Name); !ok || seen.Hidden != nil {
			return false
		}
	}
	return len(t.PrimaryKey) > 0
}

// buildRelay makes a root of the Relay schema.
func (r *Role) buildRelay(root Root) []Field {
	fields := r.rootFields(string(root), func(s *resolve.Source) []Field {
		var fields []Field
		for _, t := range s.Tables {
			if seen := r.Table(t); seen != nil && seen.IsNode() && seen.has(root, "select") {
				fields = append(fields, seen.connectionField())
			}
		}
		for _, f := range s.Functions {
			if seen := r.Table(f.Returns); seen != nil && seen.IsNode() && !f.Mutation && r.allowed(f) && f.Catalog.ReturnsSet {
				fields = append(fields, seen.functionConnection(f))
			}
		}
		return fields
	})
	if len(fields) == 0 && !slices.ContainsFunc(r.nodes(), func(t *Table) bool { return t.foundByKey(root) }) {
		return nil
	}
	return append(fields, Field{
		Name: "node", Type: Named(r.node()), Meaning: Node{root},
		args: list{{Name: idField, Description: "A globally unique id", Type: NonNull(Named(r.scalar("ID"))), Meaning: ArgNodeID}},
	})
}

// node is the interface of the rows that have a global id.
func (r *Role) node() *Type {
	return r.named(nodeName, Interface, "An object with globally unique ID", func() content {
		c := content{kin: &kin{}, fields: []Field{{Name: idField, Type: NonNull(Named(r.scalar("ID"))), doc: words("A globally unique identifier")}}}
		for _, t := range r.nodes() {
			c.kin.possible = append(c.kin.possible, t.Type())
		}
		return c
	})
}

// nodes are the tables whose rows have a global id.
func (r *Role) nodes() []*Table {
	var nodes []*Table
	for _, s := range r.source.Sources {
		for _, t := range s.Tables {
			if seen := r.Table(t); seen != nil && seen.IsNode() {
				nodes = append(nodes, seen)
			}
		}
	}
	return nodes
}

// FindNode is the table of that schema and name whose rows a root finds by their global id, or
// nil. An id that isn't sealed does not name the source: where several have such a table, it is
// the first one's. It finds no rows of tables whose ids are sealed, so that keys can't be guessed.
func (r *Role) FindNode(root Root, schema, name string) *Table {
	for _, t := range r.nodes() {
		if n := t.Catalog.Name; n.Schema == schema && n.Name == name && !t.SealsKeys() {
			if t.foundByKey(root) {
				return t
			}
			return nil
		}
	}
	return nil
}

// OpenNode is the table whose rows a root finds by a sealed global id, and the text of the id; nil
// when it isn't an id of this role's.
func (r *Role) OpenNode(root Root, sealed []byte) (*Table, []byte) {
	for _, t := range r.nodes() {
		if !t.SealsKeys() || !t.foundByKey(root) {
			continue
		}
		if text, ok := t.IDSeal().Open(sealed); ok {
			return t, text
		}
	}
	return nil, nil
}

// TableOf is the table whose rows have that object type, or nil.
func (r *Role) TableOf(object *Type) *Table {
	part, ok := object.definition.(tablePart)
	if !ok {
		return nil
	}
	return part.Table
}

// Is reports whether a fragment for a type selects from an object of a type: one of that name,
// or one that has the interface of that name.
func (r *Role) Is(object, condition string) bool {
	if object == condition || r.isRemote(object, condition) {
		return true
	}
	return condition == nodeName && r.options.Relay &&
		slices.ContainsFunc(r.nodes(), func(t *Table) bool { return t.Type().Name == object })
}

// KeyType is the type of a column of the primary key.
func (t *Table) KeyType(c *resolve.Column) *Type { return t.columnType(c).Named }

// idOf is the field that takes the place of a column with its name.
func (t *Table) idOf() Field {
	return Field{Name: idField, Type: NonNull(Named(t.role.scalar("ID"))), Meaning: NodeID{t}}
}

func (t *Table) connectionField() Field {
	root := t.ConnectionField()
	return Field{
		Name: root.Name, Type: NonNull(Named(t.part(connection))), Meaning: Connection{t},
		doc: (*rootDoc)(&root), args: argsFunc(t.connectionArguments),
	}
}

func (t *Table) functionConnection(f *resolve.Function) Field {
	root := f.ConnectionField()
	return Field{
		Name: root.Name, Type: NonNull(Named(t.part(connection))), Meaning: FunctionConnection{f, t},
		doc: (*rootDoc)(&root),
		args: argsFunc(func() []Input {
			return append(t.role.functionArguments(f.Source, f.ArgsType, f.Args), t.connectionArguments()...)
		}),
	}
}

// relationConnection is the field next to an array relationship.
func (t *Table) relationConnection(r *Relation) Field {
	return Field{
		Name: t.naming.field(r.Name + "_connection"), Type: NonNull(Named(r.Target.part(connection))), Meaning: &RelationConnection{r},
		doc: words("An array relationship connection"), args: argsFunc(r.Target.connectionArguments),
	}
}

// connectionArguments are the arguments of a connection: the arguments of lists, except those that
// select a page.
func (t *Table) connectionArguments() []Input {
	var inputs []Input
	for _, in := range t.rowArguments() {
		if in.Meaning != ArgLimit && in.Meaning != ArgOffset {
			inputs = append(inputs, in)
		}
	}
	whole, text := Named(t.role.scalar("Int")), Named(t.role.scalar("String"))
	return append(
		inputs,
		Input{Name: "first", Type: whole, Meaning: ArgFirst},
		Input{Name: "last", Type: whole, Meaning: ArgLast},
		Input{Name: "after", Type: text, Meaning: ArgAfter},
		Input{Name: "before", Type: text, Meaning: ArgBefore},
	)
}

func (t *Table) buildConnection() content {
	return content{fields: []Field{
		{Name: "pageInfo", Type: NonNull(Named(t.role.pageInfo())), Meaning: PartPageInfo},
		{Name: "edges", Type: NonNull(listed(t.part(edge))), Meaning: PartEdges},
	}}
}

func (t *Table) buildEdge() content {
	return content{fields: []Field{
		{Name: "cursor", Type: NonNull(Named(t.role.scalar("String"))), Meaning: PartCursor},
		{Name: "node", Type: NonNull(Named(t.Type())), Meaning: PartNode},
	}}
}

func (r *Role) pageInfo() *Type {
	field := func(name, of string, means ConnectionPart) Field {
		return Field{Name: name, Type: r.plainType(of), Meaning: means}
	}
	return r.named("PageInfo", Object, "", func() content {
		return content{fields: []Field{
			field("startCursor", "String!", PartStartCursor),
			field("endCursor", "String!", PartEndCursor),
			field("hasNextPage", "Boolean!", PartHasNextPage),
			field("hasPreviousPage", "Boolean!", PartHasPreviousPage),
		}}
	})
}

// ConnectionType is the type of a page of the table's rows, EdgeType that of its items.
func (t *Table) ConnectionType() *Type { return t.part(connection) }

// EdgeType is the type of the items of a connection.
func (t *Table) EdgeType() *Type { return t.part(edge) }
