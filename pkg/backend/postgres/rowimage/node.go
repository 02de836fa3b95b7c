package rowimage

import "queryengine/pkg/ir"

// node is a part of a condition.
type node interface {
	test(row []Value, o Operands) Truth
}

type constant Truth

func (c constant) test([]Value, Operands) Truth { return Truth(c) }

type conjunction []node

func (n conjunction) test(row []Value, o Operands) Truth {
	all := True
	for _, part := range n {
		if all = and(all, part.test(row, o)); all == False {
			break
		}
	}
	return all
}

type disjunction []node

func (n disjunction) test(row []Value, o Operands) Truth {
	one := False
	for _, part := range n {
		if one = or(one, part.test(row, o)); one == True {
			break
		}
	}
	return one
}

type negation struct{ node }

func (n negation) test(row []Value, o Operands) Truth { return not(n.node.test(row, o)) }

type isNull struct {
	column int
	not    bool
}

func (n isNull) test(row []Value, _ Operands) Truth {
	t := missing(row[n.column])
	if n.not {
		return not(t)
	}
	return t
}

// missing is whether a value is NULL.
func missing(v Value) Truth {
	if !v.IsKnown() {
		return True | False
	}
	return truth(v.IsNull())
}

// comparison compares a column with an operand.
type comparison struct {
	column, operand int
	holds           func(order int) bool
	nullSafe        ir.Op
}

func (n comparison) test(row []Value, o Operands) Truth {
	right := Value{}
	if operand := o[n.operand]; operand.known && len(operand.values) == 1 {
		right = operand.values[0]
	}
	return compare(row[n.column], right, n.holds, n.nullSafe)
}

// columnComparison compares two columns.
type columnComparison struct {
	left, right int
	holds       func(order int) bool
	nullSafe    ir.Op
}

func (n columnComparison) test(row []Value, _ Operands) Truth {
	return compare(row[n.left], row[n.right], n.holds, n.nullSafe)
}

// compare compares two values. A null-safe operator takes two NULLs as equal, and NULL on the right as different from
// any value.
func compare(left, right Value, holds func(order int) bool, nullSafe ir.Op) Truth {
	plain := Unknown
	if left.IsNull() || right.IsNull() {
		plain = Null
	} else if order, ok := Compare(left, right); ok {
		plain = truth(holds(order))
	} else if left.IsKnown() && right.IsKnown() {
		plain = True | False
	}
	switch nullSafe {
	case ir.OpEq:
		return or(plain, and(missing(left), missing(right)))
	case ir.OpNeq:
		return or(plain, and(not(missing(left)), missing(right)))
	}
	return plain
}

// membership looks for a column's value in a list.
type membership struct {
	column, operand int
	not             bool
}

func (n membership) test(row []Value, o Operands) Truth {
	list := o[n.operand]
	if !list.known {
		return Unknown
	}
	found := False
	for _, v := range list.values {
		if found = or(found, compare(row[n.column], v, equal, "")); found == True {
			break
		}
	}
	if n.not {
		return not(found)
	}
	return found
}
