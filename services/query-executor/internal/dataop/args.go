package dataop

import (
	"encoding/json"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/jsonwalk"
)

// request is an operation with its arguments: one of *selectArgs, *insertArgs, *updateArgs,
// *deleteArgs, *countArgs and *explainArgs.
type request struct {
	target
	// jsonAsText reports whether values of columns of JSON are texts that hold it, in the request and in its answer.
	jsonAsText bool
	args       any
}

// target is the table of an operation.
type target struct {
	source string
	table  catalog.Name
}

// selection selects what is read of a table.
type selection struct {
	columns []columnItem
	where   []byte // nil for all rows
	order   []orderItem
	limit   *int64
	offset  *int64
}

type selectArgs struct{ selection }

// columnItem is one item of "columns". Exactly one of stars, name and nested is set.
type columnItem struct {
	// stars is 1 for "*", 2 for "*.*", and so on.
	stars int
	// name is a column or scalar computed field.
	name string
	// nested are related rows, by the name of their relationship.
	nested *nestedItem
	// asText reports whether its values are the texts by which the database writes them.
	asText bool
	alias  string
}

type nestedItem struct {
	relationship string
	selection
}

// orderItem is one item of "order_by"; its path leads along object relationships to a
// column.
type orderItem struct {
	path       []string
	desc       bool
	nullsFirst bool
}

type insertArgs struct {
	objects    [][]byte
	onConflict *conflict
	returning  []string // nil for none
}

type conflict struct {
	update     bool
	constraint string
	columns    []string // nil when not given
}

type updateArgs struct {
	where     []byte
	set       []assignments
	defaults  []string
	returning []string
}

// assignments are the columns of one operator: $set, $inc or $mul.
type assignments struct {
	operator string
	columns  object
}

type deleteArgs struct {
	where     []byte
	returning []string
}

type countArgs struct {
	distinct []string
	where    []byte
	// limit is how many rows are counted at most, nil for all.
	limit *int64
}

// readRequest reads {"type", "args"}. Paths of its errors are relative to args.
func readRequest(body []byte) (*request, error) {
	if !json.Valid(body) {
		return nil, apierror.New(apierror.InvalidJSON, "Error in $: the request is not JSON")
	}
	envelope, err := readObject("Object", body)
	if err != nil {
		return nil, err
	}
	operation, err := envelope.required("type")
	if err != nil {
		return nil, err
	}
	name, err := readText(operation)
	if err != nil {
		return nil, apierror.At(err, "type")
	}
	if version := envelope.optional("version"); version != nil && string(version) != "1" {
		return nil, wrongVersion(name, version)
	}
	raw, err := envelope.required("args")
	if err != nil {
		return nil, err
	}
	args, err := readObject("args", raw)
	if err != nil {
		return nil, err
	}
	r := &request{}
	if r.target, err = readTarget(args); err != nil {
		return nil, err
	}
	if r.jsonAsText, err = readOptional(args, "json_as_text", readTruth); err != nil {
		return nil, err
	}
	r.args, err = readArgs(name, args)
	return r, err
}

// wrongVersion is the fault of a version that has no data operations.
func wrongVersion(operation string, version []byte) error {
	if string(version) == "2" {
		return apierror.Newf(apierror.ParseFailed, "unknown operation %q of version 2", operation)
	}
	return apierror.At(apierror.Newf(apierror.ParseFailed, "expected 1 or 2, encountered %s", version), "version")
}

// ExplainPermissions is the operation that explains what a role may do with a row. Admin alone may call it.
const ExplainPermissions = "explain_permissions"

func readArgs(operation string, args object) (any, error) {
	switch operation {
	case "select":
		s, err := readSelection(args, true)
		return &selectArgs{s}, err
	case "insert":
		return readInsert(args)
	case "update":
		return readUpdate(args)
	case "delete":
		where, err := args.required("where")
		if err != nil {
			return nil, err
		}
		returning, err := readReturning(args)
		return &deleteArgs{where, returning}, err
	case "count":
		distinct, err := readOptional(args, "distinct", readTexts)
		if err != nil {
			return nil, err
		}
		limit, err := readOptional(args, "limit", readNumber)
		return &countArgs{distinct, args.optional("where"), limit}, err
	case ExplainPermissions:
		return readExplain(args)
	}
	return nil, apierror.Newf(apierror.ParseFailed, "unknown data operation %q", operation)
}

func readTarget(args object) (t target, err error) {
	t.source = "default"
	if raw := args.optional("source"); raw != nil {
		if t.source, err = readText(raw); err != nil {
			return t, apierror.At(err, "source")
		}
	}
	raw, err := args.required("table")
	if err != nil {
		return t, err
	}
	t.table, err = readTable(raw)
	return t, apierror.At(err, "table")
}

// readOptional reads the value of a key with read; a missing one is the zero value.
func readOptional[T any](o object, key string, read func([]byte) (T, error)) (T, error) {
	raw := o.optional(key)
	if raw == nil {
		var zero T
		return zero, nil
	}
	v, err := read(raw)
	return v, apierror.At(err, key)
}

func readTexts(raw []byte) ([]string, error) { return readListOf("[]", raw, readText) }

// readSelection reads the arguments of a select, or of related rows.
func readSelection(args object, columnsRequired bool) (s selection, err error) {
	raw := args.optional("columns")
	switch {
	case raw != nil:
		if s.columns, err = readListOf("[]", raw, readColumn); err != nil {
			return s, apierror.At(err, "columns")
		}
	case columnsRequired:
		return s, missingKey("columns")
	}
	s.where = args.optional("where")
	if s.order, err = readOptional(args, "order_by", readOrder); err != nil {
		return s, err
	}
	if s.limit, err = readOptional(args, "limit", readNumber); err != nil {
		return s, err
	}
	s.offset, err = readOptional(args, "offset", readNumber)
	return s, err
}

func readNumber(raw []byte) (*int64, error) {
	n, err := readInt(raw)
	return &n, err
}

func readColumn(raw []byte) (c columnItem, err error) {
	if jsonwalk.KindOf(raw) == jsonwalk.String {
		name, err := readText(raw)
		if err != nil {
			return c, err
		}
		if stars := starDepth(name); stars > 0 {
			return columnItem{stars: stars}, tooDeep(stars)
		}
		return columnItem{name: name, alias: name}, nil
	}
	o, err := readObject("column", raw)
	if err != nil {
		return c, err
	}
	rawName, err := o.required("name")
	if err != nil {
		return c, err
	}
	name, err := readText(rawName)
	if err != nil {
		return c, apierror.At(err, "name")
	}
	if c.alias, err = readOptional(o, "alias", readText); err != nil {
		return c, err
	}
	if c.alias == "" {
		c.alias = name
	}
	s, err := readSelection(o, false)
	if err != nil {
		return c, err
	}
	c.asText, err = readOptional(o, "as_text", readTruth)
	if s.columns == nil {
		c.name = name
	} else {
		c.nested = &nestedItem{name, s}
	}
	return c, err
}

// maxStars bounds "*.*...": each level multiplies what is read by the relationships of a
// table.
const maxStars = 6

// starDepth is 1 for "*", 2 for "*.*", and so on; 0 for a name.
func starDepth(name string) int {
	if name == "*" {
		return 1
	}
	if rest, ok := strings.CutPrefix(name, "*."); ok {
		if depth := starDepth(rest); depth > 0 {
			return depth + 1
		}
	}
	return 0
}

func tooDeep(stars int) error {
	if stars > maxStars {
		return apierror.Newf(apierror.ParseFailed, "at most %d levels of \"*\" are supported", maxStars)
	}
	return nil
}

// readOrder reads one item, or a list of them.
func readOrder(raw []byte) ([]orderItem, error) {
	if jsonwalk.KindOf(raw) == jsonwalk.Array {
		return readListOf("[]", raw, readOrderItem)
	}
	item, err := readOrderItem(raw)
	return []orderItem{item}, err
}

func readOrderItem(raw []byte) (i orderItem, err error) {
	if jsonwalk.KindOf(raw) == jsonwalk.String {
		text, err := readText(raw)
		name := strings.TrimPrefix(text, "+")
		if rest, ok := strings.CutPrefix(text, "-"); ok {
			name, i.desc = rest, true
		}
		i.nullsFirst = i.desc
		i.path = strings.Split(name, ".")
		return i, err
	}
	o, err := readObject("order_by", raw)
	if err != nil {
		return i, err
	}
	column, err := o.required("column")
	if err != nil {
		return i, err
	}
	name, err := readText(column)
	if err != nil {
		return i, apierror.At(err, "column")
	}
	i.path = strings.Split(name, ".")
	if i.desc, err = readChoice(o, "type", "desc", "asc", false); err != nil {
		return i, err
	}
	i.nullsFirst, err = readChoice(o, "nulls", "first", "last", i.desc)
	return i, err
}

// readChoice reads one of two texts, and reports whether it is the first.
func readChoice(o object, key, first, second string, otherwise bool) (bool, error) {
	raw := o.optional(key)
	if raw == nil {
		return otherwise, nil
	}
	text, err := readText(raw)
	if err == nil && text != first && text != second {
		err = apierror.Newf(apierror.ParseFailed, "expected %q or %q, but found %q", second, first, text)
	}
	return text == first, apierror.At(err, key)
}

func readInsert(args object) (*insertArgs, error) {
	raw, err := args.required("objects")
	if err != nil {
		return nil, err
	}
	a := &insertArgs{}
	if a.objects, err = readList("[]", raw); err != nil {
		return nil, apierror.At(err, "objects")
	}
	if a.onConflict, err = readOptional(args, "on_conflict", readConflict); err != nil {
		return nil, err
	}
	a.returning, err = readReturning(args)
	return a, err
}

func readConflict(raw []byte) (*conflict, error) {
	o, err := readObject("on_conflict", raw)
	if err != nil {
		return nil, err
	}
	if o.optional("action") == nil {
		return nil, apierror.New(apierror.ParseFailed, "the key 'action' was not present")
	}
	c := &conflict{}
	if c.update, err = readChoice(o, "action", "update", "ignore", false); err != nil {
		return nil, err
	}
	if c.constraint, err = readOptional(o, "constraint", readText); err != nil {
		return nil, err
	}
	c.columns, err = readOptional(o, "constraint_on", readTexts)
	return c, err
}

func readUpdate(args object) (*updateArgs, error) {
	where, err := args.required("where")
	if err != nil {
		return nil, err
	}
	a := &updateArgs{where: where}
	for _, key := range []string{"$set", "values", "$inc", "$mul"} {
		if raw := args.optional(key); raw != nil {
			columns, err := readObject(key, raw)
			if err != nil {
				return nil, apierror.At(err, key)
			}
			a.set = append(a.set, assignments{key, columns})
		}
	}
	if a.defaults, err = readOptional(args, "$default", readTexts); err != nil {
		return nil, err
	}
	a.returning, err = readReturning(args)
	return a, err
}

// readReturning reads a list of columns, or "*".
func readReturning(args object) ([]string, error) {
	return readOptional(args, "returning", func(raw []byte) ([]string, error) {
		if jsonwalk.KindOf(raw) == jsonwalk.String {
			name, err := readText(raw)
			return []string{name}, err
		}
		return readTexts(raw)
	})
}
