package jointest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// maxDepth is how many hops follow each other.
const maxDepth = 4

// member is a member of the answer for a row.
type member struct {
	key string
	// on is the type of the rows that have it, "" for all.
	on    string
	write func(*bytes.Buffer, *Row)
}

// selection is a selection set on a type, and what it answers.
func (a *asker) selection(k *kind, depth int) (string, []member) {
	var parts []string
	var members []member
	for range 1 + a.random.IntN(4) {
		if k.cases != nil && depth < maxDepth && a.chance(4) {
			text, pair := a.pair(k, depth)
			parts, members = append(parts, text), append(members, pair...)
			continue
		}
		on, of := "", k
		if k.cases != nil && a.chance(2) {
			of = k.cases[a.random.IntN(2)]
			on = of.name
		}
		before := len(a.asked)
		text, m := a.field(of, depth)
		text, dropped := a.wrap(text, of.name, on != "")
		parts = append(parts, text)
		if dropped {
			for _, asked := range a.asked[before:] {
				asked.dropped = true
			}
			continue
		}
		m.on = on
		members = append(members, m)
	}
	if len(members) == 0 {
		key := a.alias()
		parts = append(parts, key+": id")
		members = append(members, member{key: key, write: scalar(idField())})
	}
	return "{ " + strings.Join(parts, " ") + " }", members
}

// pair are different relationships of the two types of an interface under one name.
func (a *asker) pair(k *kind, depth int) (string, []member) {
	key := a.alias()
	even := k.cases[0].hops[a.random.IntN(len(k.cases[0].hops))]
	var odd *hop
	for odd == nil || odd.form != even.form || odd.own != even.own {
		odd = k.cases[1].hops[a.random.IntN(len(k.cases[1].hops))]
	}
	texts, members := make([]string, 2), make([]member, 2)
	for i, h := range []*hop{even, odd} {
		texts[i], members[i] = a.rows(h, key, depth)
		members[i].on = k.cases[i].name
		texts[i] = "... on " + members[i].on + " { " + texts[i] + " }"
	}
	if a.chance(2) {
		texts[0], texts[1] = texts[1], texts[0]
	}
	return strings.Join(texts, " "), members
}

// wrap puts a field into a fragment, or under a condition; dropped reports that it doesn't hold.
func (a *asker) wrap(text, of string, must bool) (wrapped string, dropped bool) {
	condition := ""
	if a.chance(8) {
		dropped = a.chance(2)
		directive, value := "@include", !dropped
		if a.chance(2) {
			directive, value = "@skip", dropped
		}
		condition = " " + directive + "(if: " + a.spell("Boolean!", value) + ")"
	}
	choice := a.random.IntN(6)
	switch {
	case choice == 0:
		name := "part" + strconv.Itoa(len(a.fragments))
		a.fragments = append(a.fragments, "fragment "+name+" on "+of+" { "+text+" }")
		return "..." + name + condition, dropped
	case choice == 1 || must:
		return "... on " + of + condition + " { " + text + " }", dropped
	case choice == 2 || condition != "":
		return "..." + condition + " { " + text + " }", dropped
	}
	return text, dropped
}

// field is a field of a type.
func (a *asker) field(k *kind, depth int) (string, member) {
	if depth < maxDepth && len(k.hops) > 0 && a.random.IntN(depth+3) < 2 {
		return a.hop(k.hops[a.random.IntN(len(k.hops))], depth)
	}
	key := a.alias()
	if a.chance(6) {
		return key + ": __typename", member{key: key, write: func(b *bytes.Buffer, r *Row) { fmt.Fprintf(b, "%q", typeOf(k, r)) }}
	}
	f := k.fields[a.random.IntN(len(k.fields))]
	return key + ": " + f.name, member{key: key, write: scalar(f)}
}

func typeOf(k *kind, r *Row) string {
	if k.cases != nil {
		return k.cases[r.ID%2].name
	}
	return k.name
}

func scalar(f field) func(*bytes.Buffer, *Row) {
	return func(b *bytes.Buffer, r *Row) {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		_ = e.Encode(f.value(r)) // a number or a text
		b.Write(bytes.TrimSpace(text.Bytes()))
	}
}

// hop is a field that leads to other rows.
func (a *asker) hop(h *hop, depth int) (string, member) {
	if h.aggregate && a.chance(4) {
		return a.aggregate(h, a.alias())
	}
	return a.rows(h, a.alias(), depth)
}

// rows is a field for the rows themselves.
func (a *asker) rows(h *hop, key string, depth int) (string, member) {
	place := &asked{keys: map[string]bool{}}
	if !h.own {
		place = a.ask(h.to, true)
	}
	options, choose := a.options(h)
	field := key + ": " + h.name + options + " "
	selection, members := a.selection(h.to, depth+1)
	text := field + selection
	if a.chance(6) { // two selection sets are one
		more, others := a.selection(h.to, depth+1)
		text, members = text+" "+field+more, append(members, others...)
	}
	return text, member{key: key, write: func(b *bytes.Buffer, r *Row) {
		k := h.key(r)
		if k == "" {
			b.WriteString("null")
			return
		}
		place.keys[k] = true
		rows := choose(a.related(h, r))
		switch h.form {
		case one:
			a.writeOne(b, rows, members)
		case many:
			writeRows(b, rows, members)
		case grid:
			b.WriteByte('[')
			for i := 0; i < len(rows); i += 2 {
				if i > 0 {
					b.WriteByte(',')
				}
				writeRows(b, rows[i:min(i+2, len(rows))], members)
			}
			b.WriteByte(']')
		}
	}}
}

func (a *asker) aggregate(h *hop, key string) (string, member) {
	place := a.ask(h.to, true)
	return key + ": " + h.name + "_aggregate { aggregate { count most: max { id } } }", member{key: key, write: func(b *bytes.Buffer, r *Row) {
		k := h.key(r)
		if k == "" {
			b.WriteString("null")
			return
		}
		place.keys[k] = true
		rows, most := a.related(h, r), "null"
		if len(rows) > 0 {
			most = strconv.Itoa(rows[len(rows)-1].ID)
		}
		fmt.Fprintf(b, `{"aggregate":{"count":%d,"most":{"id":%s}}}`, len(rows), most)
	}}
}

// related are the rows that a hop leads to, by their ids.
func (a *asker) related(h *hop, from *Row) []*Row {
	var list []*Row
	for _, to := range a.Rows[h.to.place] {
		if h.match(from, to) && h.to.visible(to) {
			list = append(list, to)
		}
	}
	return list
}

func (a *asker) writeOne(b *bytes.Buffer, rows []*Row, members []member) {
	if len(rows) == 0 {
		b.WriteString("null")
		return
	}
	writeRow(b, rows[0], members)
}

// writeRow writes an object; r is nil for that of the root fields.
func writeRow(b *bytes.Buffer, r *Row, members []member) {
	separator := byte('{')
	for _, m := range members {
		if m.on != "" && m.on != []string{"Even", "Odd"}[r.ID%2] {
			continue
		}
		b.WriteByte(separator)
		separator = ','
		b.WriteString(`"` + m.key + `":`)
		m.write(b, r)
	}
	if separator == '{' {
		b.WriteByte('{')
	}
	b.WriteByte('}')
}

func writeRows(b *bytes.Buffer, rows []*Row, members []member) {
	b.WriteByte('[')
	for i, r := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		writeRow(b, r, members)
	}
	b.WriteByte(']')
}
