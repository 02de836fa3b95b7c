package postgres

import (
	"math"
	"strconv"
	"strings"

	"queryengine/pkg/catalog"
)

// The bits of pg_relation_is_updatable. A view that can be deleted from but not inserted
// into has no delete fields: the wire format gates them by the insertable flag, which is
// the reader's business.
const (
	updatableBit  = 1 << 2
	insertableBit = 1 << 3
	deletableBit  = 1 << 4
)

var tableKinds = map[string]catalog.TableKind{
	"r": catalog.KindTable,
	"v": catalog.KindView,
	"m": catalog.KindMaterializedView,
	"f": catalog.KindForeignTable,
	"p": catalog.KindPartitioned,
}

func (in *introspection) relation(row [][]byte) error {
	oid, err := parseOID(row[0])
	if err != nil {
		return err
	}
	estimate, err := strconv.ParseFloat(string(row[4]), 64)
	if err != nil {
		return err
	}
	t := &catalog.Table{
		Name:        catalog.Name{Schema: string(row[1]), Name: string(row[2])},
		ID:          string(row[0]),
		Kind:        tableKinds[string(row[3])],
		Comment:     optionalText(row[5]),
		RowEstimate: roundEstimate(estimate),
		Unlisted:    isTrue(row[7]),
		Policies:    isTrue(row[8]),
	}
	switch t.Kind {
	case catalog.KindMaterializedView:
	case catalog.KindView:
		bits, err := strconv.Atoi(string(row[6]))
		if err != nil {
			return err
		}
		t.Insertable = bits&insertableBit != 0
		t.Updatable = bits&updatableBit != 0
		t.Deletable = bits&deletableBit != 0
	default:
		t.Insertable, t.Updatable, t.Deletable = true, true, true
	}
	in.byOID[oid] = t
	return nil
}

// roundEstimate rounds to a power of two. The estimate chooses between plans, for which its
// order of magnitude is enough; each digit more would be a change of the catalog whenever
// the server vacuums a table.
func roundEstimate(rows float64) float64 {
	if rows < 1 {
		return rows
	}
	return math.Exp2(math.Round(math.Log2(rows)))
}

// columnRow is a column whose type isn't resolved yet.
type columnRow struct {
	position int
	column   catalog.Column
	typ      uint32
	notNull  bool
}

func (in *introspection) column(row [][]byte) error {
	relation, err := parseOID(row[0])
	if err != nil {
		return err
	}
	position, err := strconv.Atoi(string(row[1]))
	if err != nil {
		return err
	}
	typ, err := parseOID(row[3])
	if err != nil {
		return err
	}
	r := columnRow{position: position, typ: typ, notNull: isTrue(row[4])}
	r.column = catalog.Column{
		Name:      string(row[2]),
		ID:        string(row[1]),
		Default:   isTrue(row[5]),
		Generated: string(row[7]) == "s",
		Comment:   optionalText(row[8]),
	}
	switch string(row[6]) {
	case "a":
		r.column.Identity = "always"
	case "d":
		r.column.Identity = "by_default"
	}
	in.columns[relation] = append(in.columns[relation], r)
	in.types.use(typ)
	return nil
}

// constraintRow is a key with its columns by number.
type constraintRow struct {
	relation, target uint32
	kind             string // p, u, f as in pg_constraint; i for a unique index
	id, name         string
	columns, targets []int
	deferrable       bool
}

func (in *introspection) constraint(row [][]byte) error {
	var k constraintRow
	var err error
	if k.relation, err = parseOID(row[0]); err != nil {
		return err
	}
	k.kind = string(row[1])
	k.id, k.name = string(row[2]), string(row[3])
	if k.columns, err = parseNumbers(row[4]); err != nil {
		return err
	}
	if k.target, err = parseOID(row[5]); err != nil {
		return err
	}
	if k.targets, err = parseNumbers(row[6]); err != nil {
		return err
	}
	k.deferrable = string(row[7]) == "t"
	in.keys = append(in.keys, k)
	return nil
}

// addConstraint adds a key to its table. A foreign key to a table that isn't the user's is
// left out: nothing could be related by it.
func (in *introspection) addConstraint(k constraintRow) {
	t := in.byOID[k.relation]
	if t == nil {
		return
	}
	key := catalog.Constraint{Name: k.name, ID: k.id, Columns: namesAt(t, k.columns), Deferrable: k.deferrable && k.kind != "f"}
	switch k.kind {
	case "p":
		t.PrimaryKey = &key
	case "u":
		t.Uniques = append(t.Uniques, key)
	case "i":
		key.Index = true
		t.Uniques = append(t.Uniques, key)
	case "f":
		target := in.byOID[k.target]
		if target == nil {
			return
		}
		t.ForeignKeys = append(t.ForeignKeys, catalog.ForeignKey{
			Name: k.name, ID: k.id, Columns: key.Columns,
			Target: target.Name, TargetColumns: namesAt(target, k.targets),
		})
	}
}

// namesAt are the names of columns by number. Dropped columns leave gaps, so a number is
// not an index.
func namesAt(t *catalog.Table, numbers []int) []string {
	names := make([]string, len(numbers))
	for i, number := range numbers {
		id := strconv.Itoa(number)
		for _, c := range t.Columns {
			if c.ID == id {
				names[i] = c.Name
			}
		}
	}
	return names
}

func parseOID(text []byte) (uint32, error) {
	n, err := strconv.ParseUint(string(text), 10, 32)
	return uint32(n), err
}

// parseNumbers reads {1,2}; NULL is none.
func parseNumbers(text []byte) ([]int, error) {
	s := strings.Trim(string(text), "{}")
	if s == "" {
		return nil, nil
	}
	var numbers []int
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

func isTrue(text []byte) bool { return string(text) == "t" }

func optionalText(text []byte) *string {
	if text == nil {
		return nil
	}
	s := string(text)
	return &s
}
