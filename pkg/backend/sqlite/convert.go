package sqlite

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
)

// converter makes what is bound of the text of a parameter. It refuses what isn't a value of the type:
// the database would take it as some other value.
func converter(as sqltext.As) func([]byte) (value, error) {
	if as.List {
		return func(text []byte) (value, error) { return convertList(as.Type, text) }
	}
	return func(text []byte) (value, error) { return convert(as.Type, text) }
}

func convert(t catalog.Type, text []byte) (value, error) {
	row := rowOf(t)
	switch row.family {
	case familyInteger:
		return convertInteger(row, t, text)
	case familyFloat, familyNumeric:
		return convertNumber(row, t, text)
	case familyBoolean:
		return convertBoolean(text)
	case familyTime:
		return convertTime(t, text)
	case familyUUID:
		return convertUUID(text)
	case familyJSON:
		return convertJSON(text)
	case familyBytes:
		return convertBytes(text)
	case familyText:
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return value{}, apierror.New(apierror.DataException, "a text can't hold the character U+0000")
	}
	return value{class: classText, text: text}, nil
}

// invalid is the error of a text that isn't one of a type's values.
func invalid(name string, text []byte) error {
	return apierror.Newf(apierror.DataException, "invalid input syntax for type %s: %s", name, strconv.Quote(string(text)))
}

func outOfRange(name string, text []byte) error {
	return apierror.Newf(apierror.DataException, "value %s is out of range for type %s", strconv.Quote(string(text)), name)
}

func nameOf(row typeRow, t catalog.Type) string {
	if row.sql != "" {
		return row.sql
	}
	return t.Name
}

func convertInteger(row typeRow, t catalog.Type, text []byte) (value, error) {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, row.bits)
	switch {
	case err == nil:
		return value{class: classInteger, integer: n}, nil
	case isNumber(text) && !bytes.ContainsAny(text, ".eE"):
		return value{}, outOfRange(nameOf(row, t), text)
	}
	return value{}, invalid(nameOf(row, t), text)
}

// convertNumber makes a whole number of a numeric that is one, and else the nearest real.
func convertNumber(row typeRow, t catalog.Type, text []byte) (value, error) {
	trimmed := bytes.TrimSpace(text)
	if row.family == familyNumeric {
		if n, err := strconv.ParseInt(string(trimmed), 10, 64); err == nil {
			return value{class: classInteger, integer: n}, nil
		}
	}
	if row.family == familyFloat {
		switch strings.ToLower(string(trimmed)) {
		case "infinity", "inf":
			return value{class: classReal, real: math.Inf(1)}, nil
		case "-infinity", "-inf":
			return value{class: classReal, real: math.Inf(-1)}, nil
		}
	}
	if !isNumber(trimmed) {
		return value{}, invalid(nameOf(row, t), text)
	}
	f, err := strconv.ParseFloat(string(trimmed), 64)
	if err != nil {
		return value{}, outOfRange(nameOf(row, t), text)
	}
	return value{class: classReal, real: f}, nil
}

// isNumber reports whether a text is a decimal number. Go reads more than those.
func isNumber(text []byte) bool {
	digits := false
	for _, c := range bytes.TrimSpace(text) {
		switch {
		case c >= '0' && c <= '9':
			digits = true
		case c == '.', c == '+', c == '-', (c == 'e' || c == 'E') && digits:
		default:
			return false
		}
	}
	return digits
}

// booleans are the words for truth values; the beginnings of words count as well.
var booleans = []struct {
	word  string
	least int
	value int64
}{{"true", 1, 1}, {"false", 1, 0}, {"yes", 1, 1}, {"no", 1, 0}, {"on", 2, 1}, {"off", 2, 0}, {"1", 1, 1}, {"0", 1, 0}}

func convertBoolean(text []byte) (value, error) {
	word := strings.ToLower(string(bytes.TrimSpace(text)))
	for _, b := range booleans {
		if len(word) >= b.least && strings.HasPrefix(b.word, word) {
			return value{class: classInteger, integer: b.value}, nil
		}
	}
	return value{}, invalid("boolean", text)
}

// convertUUID makes lower case of the digits, with dashes where they belong.
func convertUUID(text []byte) (value, error) {
	digits := strings.ReplaceAll(strings.Trim(string(bytes.TrimSpace(text)), "{}"), "-", "")
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != 16 {
		return value{}, invalid("uuid", text)
	}
	d := hex.EncodeToString(raw)
	return value{class: classText, text: []byte(d[:8] + "-" + d[8:12] + "-" + d[12:16] + "-" + d[16:20] + "-" + d[20:])}, nil
}

func convertJSON(text []byte) (value, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return value{}, invalid("json", text)
	}
	return value{class: classText, text: b.Bytes()}, nil
}

// bytesPrefix begins the digits of bytes.
const bytesPrefix = `\x`

func convertBytes(text []byte) (value, error) {
	digits, ok := strings.CutPrefix(string(text), bytesPrefix)
	raw, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return value{}, invalid("bytea", text)
	}
	return value{class: classBlob, text: raw}, nil
}

// convertList reads a list, which is a JSON array of texts (Spelling.List), or an array as PostgreSQL
// writes it: session variables have that form. It makes a JSON array of values.
func convertList(t catalog.Type, text []byte) (value, error) {
	values, err := input.ListValues(text)
	if err != nil {
		return value{}, err
	}
	list, err := appendList([]byte{}, values, func(int) catalog.Type { return t })
	return value{class: classText, text: list}, err
}

// appendList appends a JSON array of values of types.
func appendList(dst []byte, values [][]byte, of func(i int) catalog.Type) ([]byte, error) {
	dst = append(dst, '[')
	for i, text := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		if text == nil {
			dst = append(dst, "null"...)
			continue
		}
		v, err := convert(of(i), text)
		if err != nil {
			return nil, err
		}
		dst = v.appendJSON(dst)
	}
	return append(dst, ']'), nil
}

// appendJSON appends a value in JSON, from which element makes it again.
func (v *value) appendJSON(dst []byte) []byte {
	switch v.class {
	case classInteger:
		return strconv.AppendInt(dst, v.integer, 10)
	case classReal:
		switch {
		case math.IsInf(v.real, 1):
			return append(dst, "9e999"...) // SQLite's JSON reads it as infinity
		case math.IsInf(v.real, -1):
			return append(dst, "-9e999"...)
		}
		return strconv.AppendFloat(dst, v.real, 'e', -1, 64)
	case classText:
		return answer.AppendString(dst, v.text)
	case classBlob:
		dst = append(dst, '"')
		dst = hex.AppendEncode(dst, v.text)
		return append(dst, '"')
	case classNull:
	}
	return append(dst, "null"...)
}
