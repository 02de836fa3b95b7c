package queryv1

import (
	"bytes"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// An ExecuteRequest goes with each request of a client from a gateway to an executor, so it is written and read by code
// for it: by reflection, its maps above all, that takes ten times as long. The bytes are those of the .proto.

// AppendWire appends what proto.Marshal gives for the request. It is false for one that proto.Marshal refuses, or that has
// fields of a later version.
func (x *ExecuteRequest) AppendWire(b []byte) ([]byte, bool) {
	if len(x.unknownFields) > 0 || !valid(x.Query, x.OperationName, x.RequestId) || !validMap(x.ClientHeaders) {
		return nil, false
	}
	if s := x.Session; s != nil {
		if len(s.unknownFields) > 0 || !valid(s.Role) || !validMap(s.Variables) {
			return nil, false
		}
		b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.BytesType), uint64(s.wireSize()))
		b = appendString(b, 1, s.Role)
		b = appendMap(b, 2, s.Variables)
		b = appendBool(b, 3, s.BackendOnly)
		b = appendBool(b, 4, s.Trusted)
	}
	b = appendString(b, 2, x.Query)
	b = appendString(b, 3, x.OperationName)
	if len(x.Variables) > 0 {
		b = protowire.AppendBytes(protowire.AppendTag(b, 4, protowire.BytesType), x.Variables)
	}
	if x.MinVersion != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 5, protowire.VarintType), uint64(x.MinVersion)) //nolint:gosec // as two's complement
	}
	b = appendBool(b, 6, x.Relay)
	b = appendString(b, 7, x.RequestId)
	b = appendMap(b, 8, x.ClientHeaders)
	b = appendBool(b, 9, x.ReadOnly)
	b = appendBool(b, 10, x.Describe)
	return appendBool(b, 11, x.WritesNothing), true
}

// ReadWire reads what AppendWire and proto.Marshal give, into an empty request. It is false for what is left to
// proto.Unmarshal: fields of a later version, and errors.
func (x *ExecuteRequest) ReadWire(b []byte) bool {
	return readFields(b, func(number protowire.Number, v []byte) bool {
		switch number {
		case 1:
			if x.Session != nil {
				return false
			}
			x.Session = &Session{}
			return x.Session.readWire(v)
		case 2:
			return readString(&x.Query, v)
		case 3:
			return readString(&x.OperationName, v)
		case 4:
			x.Variables = bytes.Clone(v)
			return true
		case 7:
			return readString(&x.RequestId, v)
		case 8:
			return readEntry(&x.ClientHeaders, v)
		}
		return false
	}, func(number protowire.Number, v uint64) bool {
		switch number {
		case 5:
			x.MinVersion = int64(v) //nolint:gosec // as two's complement
		case 6:
			x.Relay = protowire.DecodeBool(v)
		case 9:
			x.ReadOnly = protowire.DecodeBool(v)
		case 10:
			x.Describe = protowire.DecodeBool(v)
		case 11:
			x.WritesNothing = protowire.DecodeBool(v)
		default:
			return false
		}
		return true
	})
}

func (x *Session) readWire(b []byte) bool {
	return readFields(b, func(number protowire.Number, v []byte) bool {
		switch number {
		case 1:
			return readString(&x.Role, v)
		case 2:
			return readEntry(&x.Variables, v)
		}
		return false
	}, func(number protowire.Number, v uint64) bool {
		switch number {
		case 3:
			x.BackendOnly = protowire.DecodeBool(v)
		case 4:
			x.Trusted = protowire.DecodeBool(v)
		default:
			return false
		}
		return true
	})
}

// wireSize is the size of the session without its own tag.
func (x *Session) wireSize() int {
	n := 0
	if x.Role != "" {
		n = 1 + protowire.SizeBytes(len(x.Role))
	}
	for k, v := range x.Variables {
		n += 1 + protowire.SizeBytes(entrySize(k, v))
	}
	for _, set := range []bool{x.BackendOnly, x.Trusted} {
		if set {
			n += 2
		}
	}
	return n
}

// entrySize is the size of an entry of a map, which always has both its fields.
func entrySize(k, v string) int {
	return 2 + protowire.SizeBytes(len(k)) + protowire.SizeBytes(len(v))
}

func appendMap(b []byte, number protowire.Number, m map[string]string) []byte {
	for k, v := range m {
		b = protowire.AppendVarint(protowire.AppendTag(b, number, protowire.BytesType), uint64(entrySize(k, v)))
		b = protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), k)
		b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), v)
	}
	return b
}

func appendString(b []byte, number protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), s)
}

func appendBool(b []byte, number protowire.Number, v bool) []byte {
	if !v {
		return b
	}
	return append(protowire.AppendTag(b, number, protowire.VarintType), 1)
}

// readFields calls text and number for the fields of a message, until one of them is false.
func readFields(b []byte, text func(protowire.Number, []byte) bool, number func(protowire.Number, uint64) bool) bool {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		ok := false
		switch kind {
		case protowire.BytesType:
			var v []byte
			if v, n = protowire.ConsumeBytes(b); n >= 0 {
				ok = text(field, v)
			}
		case protowire.VarintType:
			var v uint64
			if v, n = protowire.ConsumeVarint(b); n >= 0 {
				ok = number(field, v)
			}
		}
		if !ok {
			return false
		}
		b = b[n:]
	}
	return true
}

// readEntry adds an entry to a map.
func readEntry(to *map[string]string, b []byte) bool {
	var k, v string
	ok := readFields(b, func(number protowire.Number, text []byte) bool {
		switch number {
		case 1:
			return readString(&k, text)
		case 2:
			return readString(&v, text)
		}
		return false
	}, func(protowire.Number, uint64) bool { return false })
	if !ok {
		return false
	}
	if *to == nil {
		*to = make(map[string]string)
	}
	(*to)[k] = v
	return true
}

func readString(to *string, b []byte) bool {
	*to = string(b)
	return utf8.ValidString(*to)
}

func valid(texts ...string) bool {
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return false
		}
	}
	return true
}

func validMap(m map[string]string) bool {
	for k, v := range m {
		if !valid(k, v) {
			return false
		}
	}
	return true
}
