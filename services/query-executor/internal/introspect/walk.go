package introspect

import (
	"context"
	"math"
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/jsontext"
	"queryengine/services/query-executor/internal/schema"
)

// walker goes through an answer: without out it counts it, otherwise it writes it, so that both agree.
// An answer can be larger than the document by any factor, because types refer to each other and a
// document selects once for all of them; so each selection set is counted once for each type, which is
// never more work than writing it.
type walker struct {
	*Questions
	// out takes what is written, as long as ctx goes on. items counts those of lists, err is why
	// writing has ended.
	out   *backend.Answer
	ctx   context.Context //nolint:containedctx // a walker lives as long as the call that it is made for
	items int
	err   error
	// spent is the count so far; known holds the counts of selection sets on types. left is how many
	// more members may be looked at: when it is negative the answer is larger than allowed.
	spent cost
	known map[place]cost
	left  int
	text  []byte
}

// cost is what an answer is made of.
type cost struct{ members, bytes int }

// unlimited is more than anything costs, and little enough to be added up.
const unlimited = math.MaxInt / 4

func (c *cost) add(d cost) {
	c.members = min(c.members+d.members, unlimited)
	c.bytes = min(c.bytes+d.bytes, unlimited)
}

// place is a selection set on a type.
type place struct {
	t   *schema.Type
	set *Field
}

// cost is what the value of a field costs, unlimited when it has more than most members.
func (q *Questions) cost(f *Field, most int) cost {
	w := &walker{Questions: q, known: map[place]cost{}, left: most}
	w.root(f)
	if w.left < 0 {
		return cost{unlimited, unlimited}
	}
	return w.spent
}

// Write writes the value of one of the fields. It ends early when ctx does.
func (q *Questions) Write(ctx context.Context, f *Field, out *backend.Answer) error {
	write := func(out *backend.Answer) error {
		w := &walker{Questions: q, ctx: ctx, out: out}
		w.root(f)
		return w.err
	}
	switch {
	case q.kept != nil:
		return q.cache.write(ctx, q.kept[f], out)
	case q.cache != nil:
		return q.cache.keep(f, out, write)
	}
	return write(out)
}

func (w *walker) root(f *Field) {
	switch f.Name {
	case "__schema":
		w.schema(f.Fields)
	case "_service":
		w.object(f.Fields, func(*Field) { w.bytes(w.schemaText()) })
	default:
		w.named(w.byName[f.Argument], f.Fields)
	}
}

// checkEvery is after how many items of lists a writer checks whether the caller still waits.
const checkEvery = 64

// goesOn reports whether there is more to count or to write.
func (w *walker) goesOn() bool { return w.err == nil && w.left >= 0 }

// handOn sends what is written.
func (w *walker) handOn() {
	if w.out == nil || w.err != nil {
		return
	}
	if w.items++; w.items%checkEvery == 0 {
		if w.err = w.ctx.Err(); w.err != nil {
			return
		}
	}
	w.err = w.out.Flush()
}

// object is an object with the selected keys; value is the value of one.
func (w *walker) object(fields []Field, value func(f *Field)) {
	if w.out == nil {
		w.spent.add(cost{members: len(fields)})
		w.left -= len(fields)
	}
	w.raw("{")
	for i := range fields {
		if !w.goesOn() {
			return
		}
		if i > 0 {
			w.raw(",")
		}
		w.string(fields[i].Alias)
		w.raw(":")
		if fields[i].Name == "__typename" {
			w.string(fields[i].Argument)
			continue
		}
		value(&fields[i])
	}
	w.raw("}")
}

// inList is a list in the order that it has.
func inList[T any](w *walker, items []T, item func(*T)) {
	w.raw("[")
	for i := range items {
		if i > 0 {
			w.raw(",")
		}
		item(&items[i])
		if w.handOn(); !w.goesOn() {
			return
		}
	}
	w.raw("]")
}

// inOrder is a list in the order of names, which doesn't matter as long as it is only counted.
func inOrder[T any](w *walker, items []T, name func(*T) string, item func(*T)) {
	if w.out == nil {
		inList(w, items, item)
		return
	}
	order := make([]*T, len(items))
	for i := range items {
		order[i] = &items[i]
	}
	slices.SortFunc(order, func(a, b *T) int { return strings.Compare(name(a), name(b)) })
	inList(w, order, func(p **T) { item(*p) })
}

func (w *walker) raw(s string) {
	if w.out == nil {
		w.spent.add(cost{bytes: len(s)})
		return
	}
	w.out.Buf = append(w.out.Buf, s...)
}

// bytes is JSON that may be large.
func (w *walker) bytes(b []byte) {
	if w.out == nil {
		w.spent.add(cost{bytes: len(b)})
	} else if err := w.out.Append(b); err != nil && w.err == nil {
		w.err = err
	}
}

func (w *walker) string(s string) {
	if w.out == nil {
		w.text = jsontext.AppendString(w.text[:0], s)
		w.spent.add(cost{bytes: len(w.text)})
		return
	}
	w.out.Buf = jsontext.AppendString(w.out.Buf, s)
}

func (w *walker) null() { w.raw("null") }

// orNull is a text that is null when there is none.
func (w *walker) orNull(s string) {
	if s == "" {
		w.null()
		return
	}
	w.string(s)
}
