package jointest

import (
	"math/rand/v2"
	"strconv"
)

// Places where rows are.
const (
	Left  = "left_node"
	Right = "right_node"
	Alpha = "alpha"
	Beta  = "beta"
	Maker = "maker"
)

// Roles that ask.
const (
	Admin = "admin"
	User  = "user"
)

// Row is a row of a table, or an object of a remote schema or an action. Nil is null.
type Row struct {
	ID     int
	Number *int
	Word   *string
}

// World are the rows of all places, by their ids.
type World struct {
	Rows map[string][]*Row
	// Most is the largest id of Left that User sees: the value of X-Engine-Most.
	Most  int
	roles map[string]*view
	seed  uint64
	// leftColumns are the columns of Left that User sees, and aggregations says whether it may aggregate them.
	leftColumns  []string
	aggregations bool
	// limit bounds the rows of Right that User gets. The presets bound lists of Alpha.
	limit, preset, wherePreset int
}

// words are hard to spell in one language or another.
var words = []string{"plain", `"quoted"`, `back\slash`, "new\nline", "é", "<&>", "", "$number", "1"}

// New makes a world from a seed.
func New(seed uint64) *World {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // G404: a test that can be repeated
	w := &World{Rows: map[string][]*Row{}, seed: seed}
	for _, place := range []string{Left, Right, Alpha, Beta, Maker} {
		for id := range 12 + random.IntN(8) {
			row := &Row{ID: id + 1}
			if random.IntN(6) > 0 {
				number := random.IntN(18)
				row.Number = &number
			}
			if random.IntN(6) > 0 {
				row.Word = &words[random.IntN(len(words))]
			}
			w.Rows[place] = append(w.Rows[place], row)
		}
	}
	w.Most, w.limit, w.preset, w.wherePreset = 4+random.IntN(12), 1+random.IntN(5), 1+random.IntN(4), 1+random.IntN(4)
	w.leftColumns, w.aggregations = []string{"id", "number", "word"}[:2+random.IntN(2)], random.IntN(2) == 0
	w.roles = map[string]*view{Admin: newView(Admin, w), User: newView(User, w)}
	return w
}

// kind is a type of rows as a role sees it.
type kind struct {
	place string
	// name is the name of the type for clients.
	name   string
	fields []field
	hops   []*hop
	// cases are the types of an interface, for even and for odd ids.
	cases []*kind
	// visible reports which rows exist for the role.
	visible func(*Row) bool
	// rests is the place whose values decide by a rule what is visible, "" for none.
	rests string
	// limit is the greatest number of rows of the table that the role gets, 0 for all.
	limit int
}

type field struct {
	name  string
	value func(*Row) any
}

func idField() field { return field{"id", func(r *Row) any { return r.ID }} }

func numberField(name string) field {
	return field{name, func(r *Row) any {
		if r.Number == nil {
			return nil
		}
		return *r.Number
	}}
}

func wordField() field {
	return field{"word", func(r *Row) any {
		if r.Word == nil {
			return nil
		}
		return *r.Word
	}}
}

// form is what a hop leads to.
type form int

const (
	one form = iota
	many
	grid // lists of at most two rows
)

// options are what arguments a hop takes.
type options int

const (
	plain        options = iota
	tableOptions         // where, order_by, limit and offset
	remoteOptions
	limitOption
	whereOption // those of remoteOptions as an object
)

// hop is a field that leads to other rows.
type hop struct {
	name string
	to   *kind
	form form
	// number and word report whether the key has them as a part.
	number, word bool
	match        func(from, to *Row) bool
	options      options
	aggregate    bool
	// own reports whether the place itself answers, as a part of its answer.
	own bool
	// nulls reports whether a key with a null is one that nothing matches.
	nulls bool
	// preset is the limit that the role can't change, 0 for none.
	preset int
}

// key is what h joins by, "" for nothing.
func (h *hop) key(r *Row) string {
	key := "key"
	if h.number {
		if r.Number == nil && !h.nulls {
			return ""
		}
		if r.Number != nil {
			key += " " + strconv.Itoa(*r.Number)
		}
	}
	if h.word {
		if r.Word == nil {
			return ""
		}
		key += " " + *r.Word
	}
	return key
}

func byID(from, to *Row) bool     { return from.Number != nil && *from.Number == to.ID }
func byNumber(from, to *Row) bool { return equal(from.Number, to.Number) }
func byWord(from, to *Row) bool   { return equal(from.Word, to.Word) }
func byBoth(from, to *Row) bool   { return byNumber(from, to) && byWord(from, to) }
func follows(from, to *Row) bool  { return to.ID == from.ID+1 }

func equal[T comparable](a, b *T) bool { return a != nil && b != nil && *a == *b }
