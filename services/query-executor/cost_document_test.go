package queryexecutor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// draft is a document under construction: what a search changes step by step. It follows the schema, so
// that most of it is accepted.
type draft struct {
	random    *rand.Rand
	role      *schema.Role
	kind      string // "query" or "mutation"
	root      *draftSet
	fragments []*draftSet
	variables []draftVariable
	aliases   int
}

// draftSet is a selection set.
type draftSet struct {
	on      *schema.Type
	roots   []*schema.Field // that may be selected, those of the type when nil
	fields  []*draftField
	spreads []int // of fragments
	skipped bool  // inside of an inline fragment with a directive
}

type draftField struct {
	field *schema.Field
	alias string
	args  string
	set   *draftSet // nil for none
}

type draftVariable struct{ declaration, value string }

// newDraft begins with one root field.
func newDraft(r *rand.Rand, role *schema.Role, kind string, roots []*schema.Field) *draft {
	h := &draft{random: r, role: role, kind: kind}
	on := role.Query()
	if kind == "mutation" {
		on = role.Mutation()
	}
	h.root = &draftSet{on: on, roots: roots}
	h.grow(h.root)
	return h
}

func (h *draft) alias() string {
	h.aliases++
	return "a" + strconv.FormatInt(int64(h.aliases), 36)
}

// sets are all selection sets.
func (h *draft) sets() []*draftSet {
	var list []*draftSet
	var walk func(s *draftSet)
	walk = func(s *draftSet) {
		list = append(list, s)
		for _, f := range s.fields {
			if f.set != nil {
				walk(f.set)
			}
		}
	}
	walk(h.root)
	for _, f := range h.fragments {
		walk(f)
	}
	return list
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// grow adds a field to a set, with a selection set of its own where it needs one.
func (h *draft) grow(s *draftSet) {
	fields := s.roots
	if fields == nil {
		for i := range s.on.Fields() {
			fields = append(fields, &s.on.Fields()[i])
		}
	}
	var composite []*schema.Field
	for _, f := range fields {
		if f.Type.Named.IsComposite() {
			composite = append(composite, f)
		}
	}
	if len(composite) > 0 && h.random.IntN(4) > 0 {
		fields = composite
	}
	if len(fields) == 0 {
		return
	}
	f := &draftField{field: pick(h.random, fields), alias: h.alias()}
	f.args = h.arguments(f.field)
	if t := f.field.Type.Named; t.IsComposite() {
		f.set = &draftSet{on: t}
		if h.random.IntN(2) == 0 {
			h.grow(f.set)
		}
	}
	s.fields = append(s.fields, f)
}

// arguments are those that a field needs, and sometimes more of them.
func (h *draft) arguments(f *schema.Field) string {
	if f.Name == "__type" {
		return fmt.Sprintf("(name:%q)", pick(h.random, h.role.Enumerate()).Name)
	}
	for _, in := range f.Args() {
		if in.Type.NonNull() {
			return h.withVariables(f)
		}
	}
	if h.random.IntN(3) > 0 {
		return ""
	}
	return h.withVariables(f)
}

// withVariables gives arguments; one of them may be a variable.
func (h *draft) withVariables(f *schema.Field) string {
	g := &generator{random: h.random}
	inputs := f.Args()
	if len(inputs) == 0 {
		return ""
	}
	if known := len(h.variables); h.random.IntN(3) == 0 {
		in := pick(h.random, inputs)
		text := g.argument(&in)
		if op, err := parse.Parse("{f(v:"+text+")}", "", parse.Limits{}); err == nil {
			field, _ := op.Selections[0].(*parse.Field)
			h.variables = append(h.variables, draftVariable{
				fmt.Sprintf("$v%d:%s", known, in.Type), string(field.Arguments[0].Value.AppendJSON(nil, nil)),
			})
			return fmt.Sprintf("(%s:$v%d)", in.Name, known)
		}
	}
	return g.arguments(inputs)
}

// change makes one step.
func (h *draft) change() {
	set := pick(h.random, h.sets())
	switch h.random.IntN(8) {
	case 0, 1:
		h.grow(set)
	case 2: // another alias of a field
		if len(set.fields) > 0 {
			again := *pick(h.random, set.fields)
			again.alias = h.alias()
			set.fields = append(set.fields, &again)
		}
	case 3: // the selection of a field becomes a fragment
		if len(set.fields) > 0 {
			f := pick(h.random, set.fields)
			if f.set != nil && len(f.set.fields)+len(f.set.spreads) > 0 {
				h.fragments = append(h.fragments, f.set)
				f.set = &draftSet{on: f.set.on, spreads: []int{len(h.fragments) - 1}}
			}
		}
	case 4, 5: // a fragment is used once more; one that uses itself is refused
		var fitting []int
		for i, f := range h.fragments {
			if f.on == set.on && f != set {
				fitting = append(fitting, i)
			}
		}
		if len(fitting) > 0 {
			set.spreads = append(set.spreads, pick(h.random, fitting))
		}
	case 6:
		if n := len(set.fields); n > 0 {
			i := h.random.IntN(n)
			set.fields = slices.Delete(set.fields, i, i+1)
		}
	default:
		if len(set.fields) > 0 {
			f := pick(h.random, set.fields)
			f.args = h.arguments(f.field)
		}
		set.skipped = h.random.IntN(20) == 0
	}
}

// copy is another one that changes by itself.
func (h *draft) copy() *draft {
	c := *h
	known := map[*draftSet]*draftSet{}
	var clone func(s *draftSet) *draftSet
	clone = func(s *draftSet) *draftSet {
		if s == nil || known[s] != nil {
			return known[s]
		}
		n := &draftSet{on: s.on, roots: s.roots, spreads: slices.Clone(s.spreads), skipped: s.skipped}
		known[s] = n
		for _, f := range s.fields {
			g := *f
			g.set = clone(f.set)
			n.fields = append(n.fields, &g)
		}
		return n
	}
	c.root = clone(h.root)
	c.fragments = nil
	for _, f := range h.fragments {
		c.fragments = append(c.fragments, clone(f))
	}
	c.variables = slices.Clone(h.variables)
	return &c
}

// text is the document, and the values of the variables that it uses.
func (h *draft) text() (document, variables string) {
	var b strings.Builder
	h.write(&b, h.root)
	for i, f := range h.fragments {
		fmt.Fprintf(&b, "fragment f%d on %s", i, f.on.Name)
		h.write(&b, f)
	}
	document = b.String()
	var declared, values []string
	for i, v := range h.variables {
		name := fmt.Sprintf("$v%d", i)
		if strings.Contains(document, name+")") {
			declared = append(declared, v.declaration)
			values = append(values, fmt.Sprintf(`"v%d":%s`, i, v.value))
		}
	}
	if len(declared) > 0 {
		return h.kind + "(" + strings.Join(declared, ",") + ")" + document, "{" + strings.Join(values, ",") + "}"
	}
	return h.kind + document, ""
}

func (h *draft) write(b *strings.Builder, s *draftSet) {
	b.WriteByte('{')
	if s.skipped {
		b.WriteString("...@include(if:true){")
	}
	if len(s.fields)+len(s.spreads) == 0 {
		b.WriteString("__typename")
	}
	for _, f := range s.fields {
		b.WriteString(f.alias + ":" + f.field.Name + f.args)
		if f.set != nil {
			h.write(b, f.set)
		} else {
			b.WriteByte(' ')
		}
	}
	for _, i := range s.spreads {
		fmt.Fprintf(b, "...f%d ", i)
	}
	if s.skipped {
		b.WriteByte('}')
	}
	b.WriteByte('}')
}
