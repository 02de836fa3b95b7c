package tdstest

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// The types of values.
const (
	typeNull           = 0x1F
	typeGUID           = 0x24
	typeIntN           = 0x26
	typeDate           = 0x28
	typeTime           = 0x29
	typeDateTime2      = 0x2A
	typeDateTimeOffset = 0x2B
	typeBitN           = 0x68
	typeDecimalN       = 0x6A
	typeFloatN         = 0x6D
	typeMoneyN         = 0x6E
	typeDateTimeN      = 0x6F
	typeVarBinary      = 0xA5
	typeNVarChar       = 0xE7
)

const (
	collationSize = 5
	unlimited     = 0xFFFF
	precision     = 38
	ticks         = 7 // digits of a second
	plpNull       = math.MaxUint64
)

// sizes are the types whose values have a fixed number of bytes.
var sizes = map[string]struct{ typ, size byte }{
	"tinyint": {typeIntN, 1}, "smallint": {typeIntN, 2}, "int": {typeIntN, 4}, "bigint": {typeIntN, 8},
	"bit": {typeBitN, 1}, "real": {typeFloatN, 4}, "float": {typeFloatN, 8}, "money": {typeMoneyN, 8},
	"uniqueidentifier": {typeGUID, 16}, "datetime": {typeDateTimeN, 8}, "smalldatetime": {typeDateTimeN, 4},
}

func (w *writer) typeInfo(c Column) {
	if s, fixed := sizes[c.Type]; fixed {
		w.byte(s.typ, s.size)
		return
	}
	switch c.Type {
	case "decimal":
		w.byte(typeDecimalN, 17, precision, byte(c.Scale))
	case "date":
		w.byte(typeDate)
	case "time":
		w.byte(typeTime, ticks)
	case "datetime2":
		w.byte(typeDateTime2, ticks)
	case "datetimeoffset":
		w.byte(typeDateTimeOffset, ticks)
	case "varbinary":
		w.byte(typeVarBinary)
		w.uint16(unlimited)
	default:
		w.byte(typeNVarChar)
		w.uint16(unlimited)
		w.byte(make([]byte, collationSize)...)
	}
}

// value writes the value that a text stands for.
func (w *writer) value(c Column, text *string) error {
	long := c.Type == "varbinary" || c.Type == "nvarchar"
	if text == nil {
		if long {
			w.uint64(plpNull)
		} else {
			w.byte(0)
		}
		return nil
	}
	b, err := encode(c, *text)
	if err != nil {
		return fmt.Errorf("column %s: %w", c.Name, err)
	}
	if !long {
		w.byte(byte(len(b)))
		w.byte(b...)
		return nil
	}
	w.uint64(uint64(len(b)))
	if len(b) > 0 {
		w.uint32(uint32(len(b))) //nolint:gosec // of a test
		w.byte(b...)
	}
	w.uint32(0)
	return nil
}

func encode(c Column, text string) ([]byte, error) {
	switch c.Type {
	case "tinyint", "smallint", "int", "bigint":
		n, err := strconv.ParseInt(text, 10, 64)
		return little(uint64(n), int(sizes[c.Type].size)), err //nolint:gosec // two's complement
	case "bit":
		return []byte{text[0] & 1}, nil // "0", "1"
	case "real":
		f, err := strconv.ParseFloat(text, 32)
		return little(uint64(math.Float32bits(float32(f))), 4), err
	case "float":
		f, err := strconv.ParseFloat(text, 64)
		return little(math.Float64bits(f), 8), err
	case "money":
		n, err := scaled(text, 4)
		v := uint64(n.Int64()) //nolint:gosec // two's complement
		return append(little(v>>32, 4), little(v, 4)...), err
	case "decimal":
		n, err := scaled(text, c.Scale)
		b := make([]byte, 17)
		if n.Sign() >= 0 {
			b[0] = 1
		}
		n.Abs(n).FillBytes(b[1:])
		for i, j := 1, 16; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		return b, err
	case "uniqueidentifier":
		b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		if err != nil || len(b) != 16 {
			return nil, fmt.Errorf("%q is no uniqueidentifier", text)
		}
		return []byte{b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]}, nil
	case "varbinary":
		return base64.StdEncoding.DecodeString(text)
	case "nvarchar":
		return encodeText(text), nil
	}
	return encodeTime(c.Type, text)
}

func little(n uint64, size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	return b
}

// scaled is a decimal number without its point.
func scaled(text string, scale int) (*big.Int, error) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return new(big.Int), fmt.Errorf("%q is no number", text)
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	return new(big.Int).Quo(r.Num(), r.Denom()), nil
}

// layouts are the texts of times.
var layouts = map[string]string{
	"date": "2006-01-02", "time": "15:04:05", "datetime2": "2006-01-02T15:04:05", "datetime": "2006-01-02T15:04:05",
	"smalldatetime": "2006-01-02T15:04:05", "datetimeoffset": "2006-01-02T15:04:05Z07:00",
}

func encodeTime(typ, text string) ([]byte, error) {
	layout, known := layouts[typ]
	if !known {
		return nil, fmt.Errorf("the type %s is not known", typ)
	}
	at, err := time.Parse(layout, text)
	if err != nil {
		return nil, err
	}
	const day = 24 * 60 * 60
	_, offset := at.Zone()
	at = at.UTC()
	days := at.Unix()/day - time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()/day
	if at.Unix() < 0 && at.Unix()%day != 0 {
		days--
	}
	seconds := int64(at.Hour()*3600 + at.Minute()*60 + at.Second())
	clock, date := little(uint64(seconds*1e7+int64(at.Nanosecond())/100), 5), little(uint64(days), 3) //nolint:gosec // of a day
	const from1900 = 693595
	switch typ {
	case "date":
		return date, nil
	case "time":
		return clock, nil
	case "datetime2":
		return append(clock, date...), nil
	case "datetimeoffset":
		return append(append(clock, date...), little(uint64(offset/60), 2)...), nil //nolint:gosec // two's complement
	case "smalldatetime":
		return append(little(uint64(days-from1900), 2), little(uint64(seconds/60), 2)...), nil //nolint:gosec // of a day
	}
	parts := seconds*300 + int64(at.Nanosecond())*300/1e9
	return append(little(uint64(days-from1900), 4), little(uint64(parts), 4)...), nil //nolint:gosec // two's complement
}
