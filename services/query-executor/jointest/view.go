package jointest

import "slices"

// view is what a role sees.
type view struct {
	role  string
	kinds map[string]*kind
	roots []*root
}

// root is a field of the query root.
type root struct {
	hop
	// under is the field that it is a field of, "" for the root itself.
	under string
	// argument is one that selects rows: "id" or "ids", "" for none.
	argument string
}

// newView lists what the role sees. It must agree with the metadata.
func newView(role string, w *World) *view {
	v := &view{role: role}
	all := func(*Row) bool { return true }
	left := &kind{place: Left, name: "left_node", visible: all, fields: []field{idField(), numberField("number")}}
	right := &kind{place: Right, name: "right_node", visible: all, fields: []field{idField(), numberField("number"), wordField()}}
	alpha := &kind{place: Alpha, name: "AlphaNode", visible: all, fields: []field{idField(), numberField("amount")}}
	itemFields := []field{idField(), numberField("number"), wordField()}
	even := &kind{place: Beta, name: "Even", visible: all, fields: itemFields}
	odd := &kind{place: Beta, name: "Odd", visible: all, fields: itemFields}
	item := &kind{place: Beta, name: "Item", visible: all, fields: itemFields, cases: []*kind{even, odd}}
	made := &kind{place: Maker, name: "Made", visible: all, fields: itemFields}
	v.kinds = map[string]*kind{Left: left, Right: right, Alpha: alpha, Beta: item, Maker: made}
	if role == Admin {
		left.fields = append(left.fields, wordField())
		alpha.fields = append(alpha.fields, wordField())
	} else {
		if slices.Contains(w.leftColumns, "word") {
			left.fields = append(left.fields, wordField())
		}
		left.visible = func(r *Row) bool { return r.ID <= w.Most }
		right.visible = func(r *Row) bool {
			return slices.ContainsFunc(w.Rows[Left], func(l *Row) bool { return byID(r, l) && l.Word != nil })
		}
		right.rests = Left
		right.limit = w.limit
	}
	v.own(left, alpha, item, even, odd)
	for _, from := range []*kind{left, right, alpha, even, odd} {
		v.toTables(from, w)
		v.toAlpha(from, w)
		v.toBeta(from)
	}
	v.fromMade(made, w)
	v.setRoots(w)
	return v
}

// own are the relationships inside of a place.
func (v *view) own(left, alpha, item, even, odd *kind) {
	left.hops = append(left.hops, &hop{name: "peers", to: left, form: many, match: byNumber, options: tableOptions, own: true})
	alpha.hops = append(alpha.hops,
		&hop{name: "next", to: alpha, match: follows, own: true},
		&hop{name: "peers", to: alpha, form: many, match: byNumber, options: limitOption, own: true})
	next := &hop{name: "next", to: item, match: follows, own: true}
	for _, k := range []*kind{item, even, odd} {
		k.hops = append(k.hops, next)
	}
}

// toTables are the relationships to the two tables. Those of Odd lead to the other table than their
// names suggest.
func (v *view) toTables(from *kind, w *World) {
	for _, name := range []string{"left", "right"} {
		to := v.kinds[Left]
		if (name == "right") != (from.name == "Odd") {
			to = v.kinds[Right]
		}
		aggregate := v.role == Admin || to.place == Left && w.aggregations
		from.hops = append(from.hops,
			&hop{name: name + "_one", to: to, number: true, match: byID},
			&hop{name: name + "_many", to: to, form: many, number: true, match: byNumber, options: tableOptions, aggregate: aggregate},
			&hop{name: name + "_pairs", to: to, form: many, number: true, word: true, match: byBoth, options: tableOptions, aggregate: aggregate})
	}
}

func (v *view) toAlpha(from *kind, w *World) {
	to, limit, whereLimit := v.kinds[Alpha], 0, 0
	if v.role == User {
		limit, whereLimit = w.preset, w.wherePreset
	}
	from.hops = append(from.hops,
		&hop{name: "alpha_one", to: to, number: true, match: byID},
		&hop{name: "alpha_many", to: to, form: many, number: true, match: byNumber, options: remoteOptions, preset: limit},
		&hop{name: "alpha_found", to: to, form: many, number: true, match: byNumber, options: whereOption, preset: whereLimit})
	if v.role == Admin {
		from.hops = append(from.hops,
			&hop{name: "alpha_pairs", to: to, form: many, number: true, word: true, match: byBoth, options: remoteOptions},
			&hop{name: "alpha_words", to: to, form: many, word: true, match: byWord, options: remoteOptions},
			&hop{name: "alpha_path", to: to, form: many, number: true, word: true, match: byBoth, options: remoteOptions})
	}
}

func (v *view) toBeta(from *kind) {
	to := v.kinds[Beta]
	from.hops = append(from.hops,
		&hop{name: "beta_one", to: to, number: true, match: byID},
		&hop{name: "beta_words", to: to, form: many, word: true, match: byWord, options: remoteOptions})
	if v.role == Admin {
		from.hops = append(from.hops, &hop{name: "beta_grid", to: to, form: grid, number: true, match: byNumber})
	}
}

func (v *view) fromMade(made *kind, w *World) {
	to := v.kinds[Left]
	made.hops = append(made.hops,
		&hop{name: "left_one", to: to, number: true, match: byID},
		&hop{name: "left_many", to: to, form: many, number: true, match: byNumber, options: tableOptions, aggregate: v.role == Admin || w.aggregations, nulls: true})
}

func (v *view) setRoots(w *World) {
	every := func(*Row, *Row) bool { return true }
	limit := 0
	if v.role == User {
		limit = w.preset
	}
	v.roots = []*root{
		{hop: hop{name: "left_node", to: v.kinds[Left], form: many, match: every, options: tableOptions}},
		{hop: hop{name: "left_node_by_pk", to: v.kinds[Left], match: byID}, argument: "id"},
		{hop: hop{name: "right_node", to: v.kinds[Right], form: many, match: every, options: tableOptions}},
		{hop: hop{name: "alpha_nodes", to: v.kinds[Alpha], form: many, match: every, options: remoteOptions, preset: limit}},
		{hop: hop{name: "alpha_node", to: v.kinds[Alpha], match: byID}, argument: "id"},
		{hop: hop{name: "items", to: v.kinds[Beta], form: many, match: every, options: remoteOptions}, under: "beta"},
		{hop: hop{name: "item", to: v.kinds[Beta], match: byID}, under: "beta", argument: "id"},
		{hop: hop{name: "make", to: v.kinds[Maker], form: many}, argument: "ids"},
	}
}
