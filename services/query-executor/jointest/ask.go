package jointest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Question is an operation with its answer.
type Question struct {
	Text      string
	Variables []byte
	// Answer is the body of the answer, without blanks.
	Answer []byte
	// Calls is how often each place is called, and Keys for how many keys of joins the remote
	// schemas are, altogether.
	Calls, Keys map[string]int
}

// Ask writes the n-th operation for a role.
func (w *World) Ask(role string, n uint64) *Question {
	a := &asker{World: w, view: w.roles[role], random: rand.New(rand.NewPCG(w.seed, n)), values: map[string]any{}} //nolint:gosec // G404: a test that can be repeated
	var fields []string
	var members []member
	for range 1 + a.random.IntN(3) {
		text, m := a.root()
		fields, members = append(fields, text), append(members, m)
	}
	q := &Question{Calls: map[string]int{}, Keys: map[string]int{}}
	var b bytes.Buffer
	b.WriteString(`{"data":`)
	writeRow(&b, nil, members)
	b.WriteByte('}')
	q.Answer = b.Bytes()
	looked := map[string]bool{}
	for _, asked := range a.asked {
		if asked.dropped {
			continue
		}
		if rests := asked.of.rests; rests != "" && !looked[rests] {
			looked[rests] = true
			q.Calls[rests]++
		}
		if len(asked.keys) == 0 {
			continue
		}
		place := asked.of.place
		q.Calls[place]++
		if asked.join && (place == Alpha || place == Beta) {
			q.Keys[place] += len(asked.keys)
		}
	}
	q.Text = "query"
	if len(a.declared) > 0 {
		q.Text += "(" + strings.Join(a.declared, ", ") + ")"
	}
	q.Text += " { " + strings.Join(fields, " ") + " } " + strings.Join(a.fragments, " ")
	q.Variables, _ = json.Marshal(a.values) // of numbers, texts and truth values
	return q
}

// asker writes one operation.
type asker struct {
	*World
	view      *view
	random    *rand.Rand
	keys      int
	declared  []string
	values    map[string]any
	fragments []string
	asked     []*asked
}

// asked is what a place is requested one field.
type asked struct {
	of   *kind
	join bool
	// dropped reports whether a directive switches the field off.
	dropped bool
	keys    map[string]bool
}

func (a *asker) ask(of *kind, join bool) *asked {
	one := &asked{of: of, join: join, keys: map[string]bool{}}
	a.asked = append(a.asked, one)
	return one
}

// chance is true one time out of n.
func (a *asker) chance(n int) bool { return a.random.IntN(n) == 0 }

func (a *asker) alias() string {
	a.keys++
	return "x" + strconv.Itoa(a.keys)
}

// spell spells a value, or a variable that has it. Null is always a variable: the library that the
// remote schemas of the test are made with can't read it in a document.
func (a *asker) spell(of string, value any) string {
	if value == nil || a.chance(2) {
		name := "v" + strconv.Itoa(len(a.declared))
		a.declared = append(a.declared, "$"+name+": "+of)
		if value != nil || a.chance(2) || strings.HasSuffix(of, "!") {
			a.values[name] = value
		}
		return "$" + name
	}
	text, _ := json.Marshal(value) // of numbers, lists of them and truth values
	return string(text)
}

// root is a field of the query root.
func (a *asker) root() (string, member) {
	r := a.view.roots[a.random.IntN(len(a.view.roots))]
	place := a.ask(r.to, false)
	place.keys["root"] = true
	key := a.alias()
	text, arguments, value := key+": "+r.name, "", (func(*bytes.Buffer))(nil)
	switch r.argument {
	case "id":
		id := 1 + a.random.IntN(18)
		selection, members := a.selection(r.to, 0)
		arguments = "(id: " + a.spell("Int!", id) + ") " + selection
		value = func(b *bytes.Buffer) { a.writeOne(b, a.related(&r.hop, &Row{Number: &id}), members) }
	case "ids":
		var ids []int
		for range 1 + a.random.IntN(6) {
			ids = append(ids, 1+a.random.IntN(12))
		}
		selection, members := a.selection(r.to, 0)
		arguments = "(ids: " + a.spell("[Int!]!", ids) + ") " + selection
		value = func(b *bytes.Buffer) {
			var rows []*Row
			for _, id := range ids {
				rows = append(rows, a.Rows[Maker][id-1])
			}
			writeRows(b, rows, members)
		}
	default:
		options, choose := a.options(&r.hop)
		selection, members := a.selection(r.to, 0)
		arguments = options + " " + selection
		value = func(b *bytes.Buffer) { writeRows(b, choose(a.related(&r.hop, &Row{})), members) }
	}
	if r.under == "" {
		return text + arguments, member{key: key, write: func(b *bytes.Buffer, _ *Row) { value(b) }}
	}
	outer := a.alias()
	return outer + ": " + r.under + " { " + text + arguments + " }", member{key: outer, write: func(b *bytes.Buffer, _ *Row) {
		b.WriteString(`{"` + key + `":`)
		value(b)
		b.WriteByte('}')
	}}
}

// options are arguments of a list, and which rows they choose.
func (a *asker) options(h *hop) (string, func([]*Row) []*Row) {
	switch h.options {
	case tableOptions:
		return a.tableOptions(h.to.limit)
	case remoteOptions, whereOption, limitOption:
		return a.remoteOptions(h)
	}
	return "", func(rows []*Row) []*Row { return rows }
}

func (a *asker) tableOptions(permitted int) (string, func([]*Row) []*Row) {
	order := "asc"
	if a.chance(2) {
		order = "desc"
	}
	list := []string{"order_by: {id: " + order + "}"}
	least, limit, offset := 0, 1000, 0
	if a.chance(2) {
		least = a.random.IntN(12)
		list = append(list, "where: {id: {_gt: "+a.spell("Int", least)+"}}")
	}
	if a.chance(2) {
		limit = a.random.IntN(6)
		list = append(list, "limit: "+a.spell("Int", limit))
	}
	if a.chance(4) {
		offset = a.random.IntN(3)
		list = append(list, "offset: "+a.spell("Int", offset))
	}
	a.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if permitted > 0 {
		limit = min(limit, permitted)
	}
	return "(" + strings.Join(list, ", ") + ")", func(rows []*Row) []*Row {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool { return r.ID <= least })
		if order == "desc" {
			slices.Reverse(rows)
		}
		rows = rows[min(offset, len(rows)):]
		return rows[:min(limit, len(rows))]
	}
}

func (a *asker) remoteOptions(h *hop) (string, func([]*Row) []*Row) {
	var list []string
	least, limit := 0, 1000
	if h.options != limitOption && a.chance(2) {
		least = a.random.IntN(12)
		list = append(list, "least: "+a.spell("Int", least))
	} else if h.options == remoteOptions && a.chance(4) {
		list = append(list, "least: "+a.spell("Int", nil))
	}
	if h.preset > 0 {
		limit = h.preset
	} else if a.chance(2) {
		limit = a.random.IntN(6)
		list = append(list, "limit: "+a.spell("Int", limit))
	}
	text := strings.Join(list, ", ")
	if h.options == whereOption && text != "" {
		text = "where: {" + text + "}"
	}
	if text != "" {
		text = "(" + text + ")"
	}
	return text, func(rows []*Row) []*Row {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool { return r.ID <= least })
		return rows[:min(limit, len(rows))]
	}
}

func (q *Question) String() string { return fmt.Sprintf("%s\n%s", q.Text, q.Variables) }
