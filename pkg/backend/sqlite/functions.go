package sqlite

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"zombiezen.com/go/sqlite"

	"queryengine/pkg/apierror"
)

// The functions that connections have besides those of SQLite. Only statements can call them, not what
// is part of the schema.
const (
	functionRow      = "engine_row"      // its arguments as a record
	functionList     = "engine_list"     // aggregate: the records of the rows as a list
	functionCell     = "engine_cell"     // a cell of a record, by its place
	functionLike     = "engine_like"     // text, pattern
	functionILike    = "engine_ilike"    // text, pattern
	functionRegex    = "engine_regex"    // text, expression
	functionIRegex   = "engine_iregex"   // text, expression
	functionContains = "engine_contains" // JSON, JSON
	functionHasKey   = "engine_has_key"  // JSON, text
	functionHasAny   = "engine_has_any"  // JSON, JSON array of texts
	functionHasAll   = "engine_has_all"  // JSON, JSON array of texts
	functionHash     = "engine_hash"     // text
	functionEmail    = "engine_email"    // text
	functionPath     = "engine_path"     // JSON, JSON array of texts
	functionUpdated  = "engine_updated"  // its argument; notes that the row is updated
	functionInserted = "engine_inserted" // whether functionUpdated wasn't called since the last call
)

// scalarFunction is the body of a function of one row. It isn't called with NULL.
type scalarFunction func(args []sqlite.Value) (sqlite.Value, error)

// functionFault keeps the error of a function until its statement has made a step. The driver takes the
// text of such an error as the function's value, so that a condition on it would be just another one.
type functionFault struct{ err error }

func (f *functionFault) set(err error) {
	if f.err == nil {
		f.err = err
	}
}

// take gives the error and forgets it.
func (f *functionFault) take() error {
	err := f.err
	f.err = nil
	return err
}

// registerFunctions adds the functions to a connection. Their errors go to fault.
func registerFunctions(c *sqlite.Conn, fault *functionFault) error {
	expressions := &expressionCache{compiled: map[string]*regexp.Regexp{}}
	for _, f := range []struct {
		name string
		args int
		call scalarFunction
	}{
		{functionCell, 2, cellValue},
		{functionLike, 2, truth(func(text, pattern string) (bool, error) { return like(text, pattern, false), nil })},
		{functionILike, 2, truth(func(text, pattern string) (bool, error) { return like(text, pattern, true), nil })},
		{functionRegex, 2, truth(func(text, expression string) (bool, error) { return expressions.match(text, expression) })},
		{functionIRegex, 2, truth(func(text, expression string) (bool, error) { return expressions.match(text, "(?i)"+expression) })},
		{functionContains, 2, truth(jsonContains)},
		{functionHasKey, 2, truth(jsonHasKey)},
		{functionHasAny, 2, truth(jsonHasAny)},
		{functionHasAll, 2, truth(jsonHasAll)},
		{functionPath, 2, jsonPath},
		{functionHash, 1, hashMask},
		{functionEmail, 1, emailMask},
	} {
		err := c.CreateFunction(f.name, &sqlite.FunctionImpl{NArgs: f.args, Deterministic: true, Scalar: strict(f.call, fault)})
		if err != nil {
			return err
		}
	}
	if err := c.CreateFunction(functionRow, &sqlite.FunctionImpl{NArgs: -1, Deterministic: true, Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
		return sqlite.BlobValue(appendRecord(nil, args)), nil
	}}); err != nil {
		return err
	}
	if err := c.CreateFunction(functionList, &sqlite.FunctionImpl{NArgs: -1, MakeAggregate: func(sqlite.Context) (sqlite.AggregateFunction, error) {
		return &listAggregate{}, nil
	}}); err != nil {
		return err
	}
	if err := registerStatistics(c); err != nil {
		return err
	}
	return registerUpsert(c)
}

// hashMask is backend.MaskHash.
func hashMask(args []sqlite.Value) (sqlite.Value, error) {
	sum := sha256.Sum256([]byte(args[0].Text()))
	return sqlite.TextValue(hex.EncodeToString(sum[:])), nil
}

// emailMask is backend.MaskEmail.
func emailMask(args []sqlite.Value) (sqlite.Value, error) {
	text := args[0].Text()
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return sqlite.TextValue("***"), nil
	}
	_, first := utf8.DecodeRuneInString(text)
	return sqlite.TextValue(text[:first] + "***" + text[at:]), nil
}

// registerUpsert adds the functions that tell rows that a conflict clause updated from inserted ones.
// RETURNING is computed for each row right after it was written.
func registerUpsert(c *sqlite.Conn) error {
	updated := false
	if err := c.CreateFunction(functionUpdated, &sqlite.FunctionImpl{NArgs: 1, Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
		updated = true
		return args[0], nil
	}}); err != nil {
		return err
	}
	return c.CreateFunction(functionInserted, &sqlite.FunctionImpl{NArgs: 1, Scalar: func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
		inserted := !updated
		updated = false
		return boolean(inserted), nil
	}})
}

// strict is a function that gives NULL where an argument is NULL, and where it fails.
func strict(f scalarFunction, fault *functionFault) func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
	return func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
		for _, a := range args {
			if a.Type() == sqlite.TypeNull {
				return sqlite.Value{}, nil
			}
		}
		v, err := f(args)
		if err != nil {
			fault.set(err)
			return sqlite.Value{}, nil
		}
		return v, nil
	}
}

// truth is a condition on two texts.
func truth(f func(a, b string) (bool, error)) scalarFunction {
	return func(args []sqlite.Value) (sqlite.Value, error) {
		holds, err := f(args[0].Text(), args[1].Text())
		return boolean(holds), err
	}
}

func boolean(b bool) sqlite.Value {
	if b {
		return sqlite.IntegerValue(1)
	}
	return sqlite.IntegerValue(0)
}

// appendRecord appends the cells of a record: see format.
func appendRecord(dst []byte, args []sqlite.Value) []byte {
	var number [40]byte
	for _, a := range args {
		text := number[:0]
		c := class(a.Type())
		switch a.Type() {
		case sqlite.TypeInteger:
			text = strconv.AppendInt(text, a.Int64(), 10)
		case sqlite.TypeFloat:
			text = appendReal(text, a.Float())
		case sqlite.TypeText:
			text = append(text, a.Text()...)
		case sqlite.TypeBlob:
			text = a.Blob()
		default:
			c = classNull
		}
		dst = binary.AppendUvarint(append(dst, byte(c)), uint64(len(text)))
		dst = append(dst, text...)
	}
	return dst
}

// listAggregate collects the records of rows.
type listAggregate struct {
	count  uint64
	list   []byte
	record []byte
}

// Step adds a row.
func (l *listAggregate) Step(_ sqlite.Context, args []sqlite.Value) error {
	if l.list == nil {
		l.list = make([]byte, listHead, 256)
	}
	l.count++
	l.record = appendRecord(l.record[:0], args)
	l.list = binary.AppendUvarint(l.list, uint64(len(l.record)))
	l.list = append(l.list, l.record...)
	return nil
}

// WindowInverse implements sqlite.AggregateFunction.
func (*listAggregate) WindowInverse(sqlite.Context, []sqlite.Value) error {
	return errors.New("this is no function of windows")
}

// WindowValue gives the list, NULL without rows.
func (l *listAggregate) WindowValue(sqlite.Context) (sqlite.Value, error) {
	if l.list == nil {
		return sqlite.Value{}, nil
	}
	binary.BigEndian.PutUint64(l.list, l.count)
	return sqlite.BlobValue(l.list), nil
}

// Finalize implements sqlite.AggregateFunction.
func (*listAggregate) Finalize(sqlite.Context) {}

// cellValue is a cell of a record.
func cellValue(args []sqlite.Value) (sqlite.Value, error) {
	values, types, ok := format{}.Record(nil, nil, args[0].Blob())
	i := args[1].Int()
	if !ok || i < 0 || i >= len(values) {
		return sqlite.Value{}, errors.New("malformed record")
	}
	text := string(values[i])
	switch class(types[i]) {
	case classInteger:
		n, err := strconv.ParseInt(text, 10, 64)
		return sqlite.IntegerValue(n), err
	case classReal:
		f, err := strconv.ParseFloat(text, 64)
		return sqlite.FloatValue(f), err
	case classText:
		return sqlite.TextValue(text), nil
	case classBlob:
		return sqlite.BlobValue(values[i]), nil
	case classNull:
	}
	return sqlite.Value{}, nil
}

// maxExpressions bounds the regular expressions that a connection keeps.
const maxExpressions = 64

// expressionCache keeps regular expressions, for one goroutine at a time.
type expressionCache struct{ compiled map[string]*regexp.Regexp }

func (c *expressionCache) match(text, expression string) (bool, error) {
	e := c.compiled[expression]
	if e == nil {
		var err error
		if e, err = regexp.Compile(expression); err != nil {
			return false, apierror.New(apierror.DataException, "invalid regular expression: "+err.Error())
		}
		if len(c.compiled) >= maxExpressions {
			clear(c.compiled)
		}
		c.compiled[expression] = e
	}
	return e.MatchString(text), nil
}

// like matches a text with a pattern of SQL: % is any text, _ one character, and a backslash takes the
// meaning from what follows it. It takes time in proportion to the product of the lengths at most.
func like(text, pattern string, fold bool) bool {
	if fold {
		text, pattern = strings.ToLower(text), strings.ToLower(pattern)
	}
	t, p := 0, 0
	star, from := -1, 0 // behind the last %, and where its text ends at present
	for {
		if p < len(pattern) && pattern[p] == '%' {
			p++
			star, from = p, t
			continue
		}
		if t == len(text) {
			if p == len(pattern) {
				return true
			}
		} else if next, size, ok := step(text[t:], pattern[p:]); ok {
			t, p = t+size, p+next
			continue
		}
		if star < 0 || from == len(text) {
			return false
		}
		_, size := utf8.DecodeRuneInString(text[from:])
		from += size
		t, p = from, star
	}
}

// step matches one character of a text with the beginning of a pattern.
func step(text, pattern string) (inPattern, inText int, ok bool) {
	if pattern == "" {
		return 0, 0, false
	}
	c, size := utf8.DecodeRuneInString(text)
	if pattern[0] == '_' {
		return 1, size, true
	}
	escape := 0
	if pattern[0] == '\\' && len(pattern) > 1 {
		escape = 1
	}
	want, length := utf8.DecodeRuneInString(pattern[escape:])
	if c == unicode.ReplacementChar || want == unicode.ReplacementChar {
		return escape + length, size, text[:size] == pattern[escape:escape+length]
	}
	return escape + length, size, c == want
}
