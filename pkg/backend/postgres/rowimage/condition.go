package rowimage

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Comparison is what a column's texts have to be compared for. For a collated column it says what its collation has
// to be like.
type Comparison uint8

// The comparisons; each includes those before it.
const (
	// None is for a column that isn't compared, or whose type has one order.
	None Comparison = iota
	// Equality takes a collation in which texts are equal only if their bytes are.
	Equality
	// Order takes one whose order is that of the bytes.
	Order
)

// Column is a column that an image is needed of.
type Column struct {
	Name string
	Type catalog.Type
	// Collation is what the texts have to be compared for.
	Collation Comparison
	kind      *kind
}

// Columns are those that are needed of rows; the values of a row are in their order.
type Columns []Column

// Add adds a column, unless it is there, and returns its place.
func (c *Columns) Add(column ir.Column, needed Comparison) int {
	i := slices.IndexFunc(*c, func(known Column) bool { return known.Name == column.Name })
	if i < 0 {
		i = len(*c)
		*c = append(*c, Column{Name: column.Name, Type: column.Type, kind: kindOf(column.Type)})
	}
	if k := (*c)[i].kind; k != nil && k.collated {
		(*c)[i].Collation = max((*c)[i].Collation, needed)
	}
	return i
}

// Comparable reports whether values of a type are compared here.
func Comparable(t catalog.Type) bool { return kindOf(t) != nil }

// Value is the value of a column by its text.
func (c *Column) Value(text string) Value { return valueOf(text, c.kind) }

// Operand gives the texts of an operand for a cohort: one, or those of a list. A nil text is NULL; ok is false when
// they aren't known.
type Operand func(cohort [][]byte) (texts [][]byte, ok bool)

// Condition is a condition on one row. It is immutable and safe for concurrent use.
type Condition struct {
	root node
	// operands are what differs between cohorts, or is constant.
	operands []slot
	// leaves is the number of comparisons.
	leaves int
}

// slot is an operand and what it is compared with.
type slot struct {
	of   Operand
	kind *kind
}

// Compile compiles a condition on rows with columns, to which it adds those that it needs. find gives an operand, or
// nil.
func Compile(e ir.BoolExp, columns *Columns, find func(v ir.Value, list bool) Operand) *Condition {
	c := &compiler{columns: columns, find: find, condition: &Condition{}}
	c.condition.root = c.node(e)
	return c.condition
}

// Operands are the operands of a cohort.
type Operands []operand

// operand is not known without values.
type operand struct {
	values []Value
	known  bool
}

// Cost is how many comparisons a test takes at most.
func (c *Condition) Cost(o Operands) int {
	cost := c.leaves
	for i := range o {
		cost += len(o[i].values)
	}
	return cost
}

// Bind gives the operands of a cohort by its values.
func (c *Condition) Bind(cohort [][]byte) Operands {
	operands := make(Operands, len(c.operands))
	for i, s := range c.operands {
		operands[i] = s.bind(cohort)
	}
	return operands
}

func (s slot) bind(cohort [][]byte) operand {
	texts, ok := s.of(cohort)
	if !ok {
		return operand{}
	}
	values := make([]Value, len(texts))
	for i, text := range texts {
		if values[i] = NullValue; text != nil {
			values[i] = valueOf(string(text), s.kind)
		}
	}
	return operand{values, true}
}

// Test is what is known of the condition on a row.
func (c *Condition) Test(row []Value, o Operands) Truth { return c.root.test(row, o) }

type compiler struct {
	columns   *Columns
	find      func(v ir.Value, list bool) Operand
	condition *Condition
}

func (c *compiler) node(e ir.BoolExp) node {
	c.condition.leaves++
	switch e := e.(type) {
	case nil:
		return constant(True)
	case ir.And:
		return conjunction(c.nodes(e.Exps))
	case ir.Or:
		return disjunction(c.nodes(e.Exps))
	case ir.Not:
		return negation{c.node(e.Exp)}
	case ir.Rule:
		return c.node(e.Exp)
	case ir.IsNull:
		if column, ok := e.Expr.(ir.Column); ok {
			return isNull{c.columns.Add(column, None), e.Not}
		}
	case ir.Compare:
		return c.compare(e)
	case ir.CompareColumn:
		return c.compareColumn(e)
	}
	return constant(Unknown)
}

func (c *compiler) nodes(list []ir.BoolExp) []node {
	nodes := make([]node, len(list))
	for i, e := range list {
		nodes[i] = c.node(e)
	}
	return nodes
}

func (c *compiler) compare(e ir.Compare) node {
	column, ok := e.Left.(ir.Column)
	k, list := kindOf(column.Type), e.Op == ir.OpIn || e.Op == ir.OpNin
	if !ok || k == nil || len(e.Args) != 1 || kindOf(typeOf(e.Args[0])) != k {
		return constant(Unknown)
	}
	test, needed := testOf(e.Op)
	operand := c.find(e.Args[0], list)
	if test == nil || operand == nil {
		return constant(Unknown)
	}
	place := len(c.condition.operands)
	c.condition.operands = append(c.condition.operands, slot{operand, k})
	left := c.columns.Add(column, needed)
	if list {
		return membership{left, place, e.Op == ir.OpNin}
	}
	return comparison{left, place, test, nullSafe(e.Op, e.NullSafe)}
}

func (c *compiler) compareColumn(e ir.CompareColumn) node {
	left, ok := e.Left.(ir.Column)
	test, needed := testOf(e.Op)
	k := kindOf(left.Type)
	// Two texts may have two collations.
	if !ok || test == nil || k == nil || kindOf(e.Right.Type) != k || k.collated && needed == Order {
		return constant(Unknown)
	}
	return columnComparison{c.columns.Add(left, needed), c.columns.Add(e.Right, needed), test, nullSafe(e.Op, e.NullSafe)}
}

// nullSafe is the operator that takes NULL for a value, empty for none.
func nullSafe(op ir.Op, safe bool) ir.Op {
	if safe && (op == ir.OpEq || op == ir.OpNeq) {
		return op
	}
	return ""
}

// typeOf is the type of an operand, or of those in a list.
func typeOf(v ir.Value) catalog.Type {
	switch v := v.(type) {
	case ir.Literal:
		return v.Type
	case ir.Variable:
		return v.Type
	case ir.SessionVar:
		return v.Type
	}
	return catalog.Type{}
}

// testOf is what an operator asks of the order of two values, nil for an operator that isn't known here.
func testOf(op ir.Op) (test func(order int) bool, needed Comparison) {
	switch op {
	case ir.OpEq, ir.OpIn, ir.OpNin:
		return equal, Equality
	case ir.OpNeq:
		return func(order int) bool { return order != 0 }, Equality
	case ir.OpGt:
		return func(order int) bool { return order > 0 }, Order
	case ir.OpLt:
		return func(order int) bool { return order < 0 }, Order
	case ir.OpGte:
		return func(order int) bool { return order >= 0 }, Order
	case ir.OpLte:
		return func(order int) bool { return order <= 0 }, Order
	}
	return nil, None
}

func equal(order int) bool { return order == 0 }
