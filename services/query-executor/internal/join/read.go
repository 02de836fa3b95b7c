package join

import (
	"bytes"
	"slices"

	"queryengine/pkg/jsonwalk"
)

// reader finds the joins in one text.
type reader struct {
	*level
	text   []byte
	cursor jsonwalk.Cursor
	// places are those of the members of the objects that the reader is in.
	places  []place
	scratch []byte
}

// place is where the value of a member is, and the cut that takes its place. The zero place is
// that of a member that isn't there.
type place struct{ start, end, cut int }

// value reads the objects of a value, at any depth of lists.
func (r *reader) value(members []Member) error {
	switch r.cursor.Kind() {
	case jsonwalk.Array:
		return r.cursor.Array(func() error { return r.value(members) })
	case jsonwalk.Object:
		return r.object(members)
	}
	return r.cursor.Skip()
}

func (r *reader) object(members []Member) error {
	base, first, begin := len(r.places), len(r.cuts), r.cursor.At()
	for range members {
		r.places = append(r.places, place{})
	}
	// A member that is left out takes the comma in front of it along; or the one behind it,
	// as long as there is nothing in front that stays.
	kept, last, open := false, 0, -1
	err := r.cursor.Object(func(key []byte) error {
		if open >= 0 {
			r.cuts[open].end, open = r.cursor.KeyAt(), -1
		}
		begin := r.cursor.KeyAt()
		i := find(members, key)
		var err error
		switch {
		case i < 0:
			err = r.cursor.Skip()
		case members[i].Join == nil && !members[i].Hidden:
			err = r.value(members[i].Below)
		default:
			p := place{start: r.cursor.At(), cut: len(r.cuts)}
			err = r.cursor.Skip()
			p.end = r.cursor.At()
			r.places[base+i] = p
			c := cut{start: p.start, end: p.end, key: noKey, hidden: members[i].Hidden, as: members[i].As}
			if c.as != "" {
				c.start = begin
			}
			if c.hidden {
				c.start = begin
				if kept {
					c.start = last
				} else {
					open = len(r.cuts)
				}
			}
			r.cuts = append(r.cuts, c)
		}
		kept = kept || i < 0 || !members[i].Hidden
		last = r.cursor.At()
		return err
	})
	places := r.places[base:]
	for i := range members {
		if places[i].end == 0 {
			continue
		}
		if members[i].Whole {
			r.cuts = append(r.cuts[:first], cut{start: begin, end: r.cursor.At(), key: noKey})
			places[i].cut = first
		}
		if j := members[i].Join; j != nil {
			if parts := places[i : i+j.Parts]; all(parts) {
				r.want(j, places[i].cut, parts)
			}
		}
	}
	r.places = r.places[:base]
	return err
}

// all reports whether all members of a key are there.
func all(parts []place) bool {
	return !slices.ContainsFunc(parts, func(p place) bool { return p.end == 0 })
}

func find(members []Member, key []byte) int {
	for i := range members {
		if members[i].Key == string(key) {
			return i
		}
	}
	return -1
}

// want adds a key to the question of a join.
func (r *reader) want(j *Join, cut int, parts []place) {
	q := r.question(j)
	r.cuts[cut].question = q
	r.scratch = r.scratch[:0]
	for _, p := range parts {
		v := r.text[p.start:p.end]
		if !j.Nulls && bytes.Equal(v, []byte("null")) {
			return
		}
		// No JSON text has this character.
		r.scratch = append(append(r.scratch, v...), 0)
	}
	id, known := q.ids[string(r.scratch)]
	if !known {
		id = q.keys.count
		q.ids[string(r.scratch)] = id
		q.keys.count++
		for _, p := range parts {
			q.keys.values = append(q.keys.values, r.text[p.start:p.end])
		}
	}
	r.cuts[cut].key = id
}
