package insert

import (
	"cmp"
	"slices"

	"queryengine/pkg/catalog"
)

// Arrange puts the relations of each node in the order that their rows are written in: rows that foreign keys
// of others lead to before those, and else by name. Input objects have no order, so that of their keys doesn't
// count.
func (i *Tree) Arrange() {
	for _, n := range i.Nodes {
		if len(n.Relations) > 1 {
			i.arrange(n)
		}
	}
}

func (i *Tree) arrange(n *Node) {
	left := make([]*branch, len(n.Relations))
	for at, r := range n.Relations {
		left[at] = &branch{relation: r, tables: map[catalog.Name]bool{}, references: map[catalog.Name]bool{}}
		i.collect(left[at], r.Node)
	}
	slices.SortStableFunc(left, func(a, b *branch) int {
		switch {
		case a.relation.Array == b.relation.Array:
			return cmp.Compare(a.relation.Name, b.relation.Name)
		case a.relation.Array:
			return 1
		}
		return -1
	})
	arranged := make([]*Relation, 0, len(left))
	for len(left) > 0 {
		// Where keys lead around in a circle, no order is right.
		first := max(slices.IndexFunc(left, func(b *branch) bool { return !b.refersTo(left) }), 0)
		arranged = append(arranged, left[first].relation)
		left = slices.Delete(left, first, first+1)
	}
	n.Relations = arranged
}

// branch is a relation with the tables below it, and those that these refer to.
type branch struct {
	relation           *Relation
	tables, references map[catalog.Name]bool
}

func (i *Tree) collect(b *branch, node int) {
	n := i.Nodes[node]
	b.tables[n.Table] = true
	for _, t := range n.References {
		b.references[t] = true
	}
	for _, r := range n.Relations {
		i.collect(b, r.Node)
	}
}

// refersTo reports whether rows of the branch may need rows of another one that isn't of the same tables.
func (b *branch) refersTo(others []*branch) bool {
	return slices.ContainsFunc(others, func(o *branch) bool {
		if o == b {
			return false
		}
		for t := range b.references {
			if o.tables[t] && !b.tables[t] {
				return true
			}
		}
		return false
	})
}
