package e2e

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// liveSchema are the tables of the random subscriptions.
const liveSchema = `CREATE TABLE kind (name text PRIMARY KEY, rank int);
	CREATE TABLE item (id int PRIMARY KEY, owner int, kind text REFERENCES kind ON UPDATE CASCADE, n int NOT NULL,
		price numeric, done boolean, day timestamptz, note text);
	CREATE TABLE tag (id int PRIMARY KEY, item int NOT NULL, label text);
	CREATE TABLE parcel (id int, region text, n int NOT NULL, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
	CREATE TABLE parcel_a PARTITION OF parcel FOR VALUES IN ('a');
	CREATE TABLE parcel_rest PARTITION OF parcel DEFAULT;
	CREATE TABLE entry (id int PRIMARY KEY, owner int, kind text, n int NOT NULL);
	CREATE VIEW open_item AS SELECT id, owner, kind, n, price FROM item WHERE done IS NOT TRUE;`

// liveFill makes the rows with which everything begins.
const liveFill = `TRUNCATE item, kind, tag, parcel, entry;
	INSERT INTO kind VALUES ('a', 1), ('b', 2), ('c', 3), ('d', NULL);
	INSERT INTO item SELECT i, nullif(i % 6, 5), nullif(chr(97 + i % 5), 'e'), i % 20, i % 7 + 0.50, nullif(i % 3, 2)::bool,
		timestamptz '2020-01-01Z' + i * interval '1 day', nullif('note ' || i % 4, 'note 3') FROM generate_series(1, 60) i;
	INSERT INTO tag SELECT i, 1 + i % 40, 'l' || i % 3 FROM generate_series(1, 50) i;
	INSERT INTO parcel SELECT i, chr(97 + i % 3), i % 10 FROM generate_series(1, 30) i;
	INSERT INTO entry SELECT i, i % 5, chr(97 + i % 3), 0 FROM generate_series(1, 12) i;`

// liveColumns are the columns of tables that conditions are made of.
var liveColumns = map[string][]liveColumn{
	"item": {
		{"id", "Int", func(r *rand.Rand) any { return 1 + r.IntN(65) }},
		{"owner", "Int", func(r *rand.Rand) any { return r.IntN(6) }},
		{"kind", "String", func(r *rand.Rand) any { return kindName(r) }},
		{"n", "Int", func(r *rand.Rand) any { return r.IntN(25) }},
		{"price", "numeric", func(r *rand.Rand) any { return float64(r.IntN(16)) / 2 }},
		{"done", "Boolean", func(r *rand.Rand) any { return r.IntN(2) == 0 }},
		{"day", "timestamptz", func(r *rand.Rand) any { return liveDay(r) }},
		{"note", "String", func(r *rand.Rand) any { return fmt.Sprintf("note %d", r.IntN(5)) }},
	},
	"open_item": {
		{"owner", "Int", func(r *rand.Rand) any { return r.IntN(6) }},
		{"n", "Int", func(r *rand.Rand) any { return r.IntN(25) }},
	},
	"parcel": {
		{"id", "Int", func(r *rand.Rand) any { return 1 + r.IntN(35) }},
		{"region", "String", func(r *rand.Rand) any { return kindName(r) }},
		{"n", "Int", func(r *rand.Rand) any { return r.IntN(12) }},
	},
	"tag": {
		{"item", "Int", func(r *rand.Rand) any { return 1 + r.IntN(40) }},
		{"label", "String", func(r *rand.Rand) any { return fmt.Sprintf("l%d", r.IntN(4)) }},
	},
	"kind": {
		{"name", "String", func(r *rand.Rand) any { return kindName(r) }},
		{"rank", "Int", func(r *rand.Rand) any { return r.IntN(5) }},
	},
	"entry": { // of these, no update changes one
		{"owner", "Int", func(r *rand.Rand) any { return r.IntN(5) }},
		{"kind", "String", func(r *rand.Rand) any { return kindName(r) }},
	},
}

// liveColumn is a column with its type in GraphQL, and values that it may have.
type liveColumn struct {
	name, kind string
	value      func(r *rand.Rand) any
}

func kindName(r *rand.Rand) string { return string(rune('a' + r.IntN(4))) }

func liveDay(r *rand.Rand) string {
	return time.Date(2020, 1, 1+r.IntN(70), 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
}

// liveRoles are the rules of item by roles; all other tables are theirs as a whole, but the columns of open_item and entry
// with an owner.
var liveRoles = map[string]map[string]any{
	"owner": {"owner": map[string]any{"_eq": "X-Engine-User-Id"}},
	"team": {"_or": []any{
		map[string]any{"owner": map[string]any{"_eq": "X-Engine-User-Id"}}, map[string]any{"kind": map[string]any{"_in": "X-Engine-Kinds"}},
	}},
	"low": {"n": map[string]any{"_lt": "X-Engine-Limit"}},
	"band": {"_and": []any{
		map[string]any{"n": map[string]any{"_gte": "X-Engine-Low"}},
		map[string]any{"_or": []any{map[string]any{"n": map[string]any{"_lt": "X-Engine-High"}}, map[string]any{"owner": map[string]any{"_is_null": true}}}},
		map[string]any{"_not": map[string]any{"_and": []any{
			map[string]any{"price": map[string]any{"_gt": "X-Engine-Price"}}, map[string]any{"done": map[string]any{"_is_null": false}},
		}}},
	}},
	"ranked": {"of": map[string]any{"rank": map[string]any{"_lte": "X-Engine-Rank"}}},
}

// liveHeader is a session of a role, or of the administrator.
func liveHeader(r *rand.Rand) map[string]string {
	switch r.IntN(9) {
	case 0:
		return as("owner", "X-Engine-User-Id", strconv.Itoa(r.IntN(5)))
	case 1:
		return as("team", "X-Engine-User-Id", strconv.Itoa(r.IntN(5)), "X-Engine-Kinds", "{"+kindName(r)+","+kindName(r)+"}")
	case 2:
		return as("low", "X-Engine-Limit", strconv.Itoa(2+r.IntN(15)))
	case 4:
		low := r.IntN(12)
		return as("band", "X-Engine-Low", strconv.Itoa(low), "X-Engine-High", strconv.Itoa(low+r.IntN(10)), "X-Engine-Price", strconv.Itoa(r.IntN(7)))
	case 3:
		return as("ranked", "X-Engine-Rank", strconv.Itoa(1+r.IntN(3)))
	}
	return asAdmin
}

// liveDocument is a field of a subscription, with variables v0, v1 and so on.
type liveDocument struct {
	field string
	// kinds are the types of the variables, values give some.
	kinds  []string
	values []func(r *rand.Rand) any
}

// declarations are those of the variables, whose names have a prefix.
func (d *liveDocument) declarations(prefix string) string {
	list := make([]string, len(d.kinds))
	for i, kind := range d.kinds {
		list[i] = fmt.Sprintf("$%s%d: %s", prefix, i, kind)
	}
	return strings.Join(list, ", ")
}

// randomDocument is one of the shapes of a live query.
func randomDocument(r *rand.Rand) *liveDocument {
	d := &liveDocument{}
	tags := func() string {
		return `tags(where: ` + d.condition(r, "tag", 0) + `, order_by: {id: asc}, limit: 3) { id label }`
	}
	switch r.IntN(12) {
	case 0:
		d.field = `item_by_pk(id: ` + d.operand(r, liveColumns["item"][0]) + `) { id owner n of { rank } ` + tags() + ` }`
	case 1:
		d.field = `item_aggregate(where: ` + d.condition(r, "item", 2) + `) { aggregate { count sum { n } max { price day } min { n } } }`
	case 2:
		d.field = `item(where: ` + d.condition(r, "item", 1) + `, order_by: [{of: {rank: asc_nulls_last}}, {id: desc}], limit: 6) { id kind of { name rank } }`
	case 3:
		d.field = `item(where: ` + d.condition(r, "item", 1) + `, distinct_on: kind, order_by: [{kind: asc}, {n: desc}, {id: asc}]) { id kind n }`
	case 4:
		d.field = `item(where: ` + d.condition(r, "item", 2) + `, order_by: {id: asc}) { id tags_aggregate { aggregate { count } } ` + tags() + ` }`
	case 5:
		d.field = `open_item(where: ` + d.condition(r, "open_item", 1) + `, order_by: {id: asc}) { id n price }`
	case 6:
		d.field = `parcel(where: ` + d.condition(r, "parcel", 1) + `, order_by: [{id: asc}, {region: asc}]) { id region n }`
	case 7:
		d.field = `kind(where: ` + d.condition(r, "kind", 1) + `, order_by: {name: asc}) { name rank items_aggregate { aggregate { count sum { n } } } }`
	case 8:
		d.field = `item(where: ` + d.condition(r, "item", 1) + `, order_by: [{n: desc}, {id: asc}], limit: 4, offset: 1) { id n }`
	default:
		d.field = `item(where: ` + d.condition(r, "item", 2) + `, order_by: {id: asc}) { id owner kind n price done day note }`
	}
	return d
}

// operand is a literal or a variable.
func (d *liveDocument) operand(r *rand.Rand, c liveColumn) string {
	if r.IntN(3) == 0 {
		return literal(c.value(r))
	}
	return d.variable(c.kind+"!", c.value)
}

func (d *liveDocument) list(r *rand.Rand, c liveColumn) string {
	length := r.IntN(4)
	value := func(r *rand.Rand) any {
		list := []any{}
		for range length {
			list = append(list, c.value(r))
		}
		return list
	}
	if r.IntN(3) == 0 {
		return literal(value(r))
	}
	return d.variable("["+c.kind+"!]!", value)
}

func (d *liveDocument) variable(kind string, value func(r *rand.Rand) any) string {
	d.kinds, d.values = append(d.kinds, kind), append(d.values, value)
	return fmt.Sprintf("$v%d", len(d.kinds)-1)
}

func literal(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case []any:
		list := make([]string, len(v))
		for i := range v {
			list[i] = literal(v[i])
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// condition is a random one on rows of a table.
func (d *liveDocument) condition(r *rand.Rand, table string, depth int) string {
	if depth > 0 {
		switch r.IntN(8) {
		case 0:
			return `{_or: [` + d.condition(r, table, depth-1) + `, ` + d.condition(r, table, depth-1) + `]}`
		case 1, 2:
			return `{_and: [` + d.condition(r, table, depth-1) + `, ` + d.condition(r, table, depth-1) + `]}`
		case 3:
			return `{_not: ` + d.condition(r, table, depth-1) + `}`
		case 5: // an order or a test for NULL next to what is nested
			columns := liveColumns[table]
			c := columns[r.IntN(len(columns))]
			return `{_and: [{` + c.name + `: {` + d.ranged(r, c) + `}}, {_or: [` + d.condition(r, table, depth-1) + `, {_not: ` + d.condition(r, table, depth-1) + `}]}]}`
		case 4:
			switch table {
			case "item":
				if r.IntN(2) == 0 {
					return `{tags: ` + d.condition(r, "tag", 0) + `}`
				}
				return `{of: ` + d.condition(r, "kind", 0) + `}`
			case "kind":
				return `{items: ` + d.condition(r, "item", 0) + `}`
			}
		}
	}
	columns := liveColumns[table]
	c := columns[r.IntN(len(columns))]
	return `{` + c.name + `: {` + d.comparison(r, c) + `}}`
}

// ranged is a range, or a test for NULL.
func (d *liveDocument) ranged(r *rand.Rand, c liveColumn) string {
	switch r.IntN(4) {
	case 0:
		return `_is_null: ` + literal(r.IntN(2) == 0)
	case 1:
		return `_gt: ` + d.operand(r, c)
	case 2:
		return `_lte: ` + d.operand(r, c)
	}
	return `_gte: ` + d.operand(r, c) + `, _lt: ` + d.operand(r, c)
}

func (d *liveDocument) comparison(r *rand.Rand, c liveColumn) string {
	switch r.IntN(11) {
	case 0, 1, 2:
		return `_eq: ` + d.operand(r, c)
	case 3:
		return `_neq: ` + d.operand(r, c)
	case 4:
		return `_in: ` + d.list(r, c)
	case 5:
		return `_nin: ` + d.list(r, c)
	case 6:
		return `_is_null: ` + d.operand(r, liveColumn{kind: "Boolean", value: func(r *rand.Rand) any { return r.IntN(2) == 0 }})
	case 7:
		return `_gte: ` + d.operand(r, c) + `, _lt: ` + d.operand(r, c)
	case 8:
		return `_lte: ` + d.operand(r, c)
	case 9:
		if c.kind == "String" {
			return `_like: "%` + string(rune('a'+r.IntN(4))) + `%"`
		}
	}
	return `_gt: ` + d.operand(r, c)
}

// randomStream is a stream of entry, with the condition as a function of a row.
func randomStream(r *rand.Rand) (field string, wanted func(owner int, kind string) bool) {
	owner, kind := r.IntN(5), kindName(r)
	where, wanted := "{}", func(int, string) bool { return true }
	switch r.IntN(4) {
	case 0:
		where, wanted = fmt.Sprintf(`{owner: {_eq: %d}}`, owner), func(o int, _ string) bool { return o == owner }
	case 1:
		where, wanted = fmt.Sprintf(`{owner: {_gte: %d}}`, owner), func(o int, _ string) bool { return o >= owner }
	case 2:
		where, wanted = fmt.Sprintf(`{_or: [{owner: {_eq: %d}}, {kind: {_eq: %q}}]}`, owner, kind), func(o int, k string) bool { return o == owner || k == kind }
	}
	return fmt.Sprintf(`entry_stream(batch_size: %d, cursor: {initial_value: {id: 0}}, where: %s) { id n }`, 1+r.IntN(4), where), wanted
}
