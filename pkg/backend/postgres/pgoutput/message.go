package pgoutput

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// LSN is a place in the log, in bytes from its beginning.
type LSN uint64

// String is the LSN as SQL has it: 16/B374D848.
func (l LSN) String() string { return fmt.Sprintf("%X/%X", uint64(l>>32), uint64(l&0xffffffff)) }

// ParseLSN is the reverse of String.
func ParseLSN(text string) (LSN, error) {
	high, low, ok := strings.Cut(text, "/")
	a, err := strconv.ParseUint(high, 16, 32)
	b, err2 := strconv.ParseUint(low, 16, 32)
	if !ok || err != nil || err2 != nil {
		return 0, fmt.Errorf("%q is no place in the log", text)
	}
	return LSN(a<<32 | b), nil
}

// Message is one of the types below.
type Message interface{ message() }

// Begin begins a transaction, which is committed.
type Begin struct {
	// Final is the place of the commit.
	Final LSN
	Time  time.Time
	XID   uint32
}

// Commit ends it.
type Commit struct {
	// Commit is the place of the commit, End that behind the transaction.
	Commit, End LSN
	Time        time.Time
}

// Origin tells that the transaction was replicated from another server.
type Origin struct {
	Commit LSN
	Name   string
}

// Relation describes a table before its first change, and again when it has changed.
type Relation struct {
	ID           uint32
	Schema, Name string
	Identity     Identity
	Columns      []Column
}

// Identity is a table's REPLICA IDENTITY: what is sent of rows before their change.
type Identity byte

// The kinds of Identity.
const (
	IdentityDefault Identity = 'd' // the primary key
	IdentityNothing Identity = 'n'
	IdentityFull    Identity = 'f' // whole rows
	IdentityIndex   Identity = 'i' // the columns of an index
)

// Column is a column of a Relation.
type Column struct {
	Name string
	// Key reports whether the column is part of the identity.
	Key bool
	// Type is the OID, Modifier the type's modifier, -1 for none.
	Type     uint32
	Modifier int32
}

// Type names a type that isn't built in, before its first use.
type Type struct {
	ID           uint32
	Schema, Name string
}

// Insert is a new row.
type Insert struct {
	Relation uint32
	New      Tuple
}

// Update is a changed row.
type Update struct {
	Relation uint32
	// Old is what the row was: nil unless the identity is full or has changed.
	Old *Old
	New Tuple
}

// Delete is a removed row.
type Delete struct {
	Relation uint32
	Old      Old
}

// Old is a row before its change. Unless it is Whole, the columns outside of the identity are null.
type Old struct {
	Whole bool
	Tuple Tuple
}

// Truncate tells that tables were emptied.
type Truncate struct {
	Relations                []uint32
	Cascade, RestartIdentity bool
}

// Tuple are the values of a row, in the order of the columns.
type Tuple []Value

// Value is the value of a column.
type Value struct {
	Kind ValueKind
	// Text is the value's text, when it has one. It belongs to the message that was decoded.
	Text []byte
}

// ValueKind tells what is known of a value.
type ValueKind byte

// The kinds of values.
const (
	Null ValueKind = 'n'
	// Unchanged is a large value that an update has left as it was; it isn't sent.
	Unchanged ValueKind = 'u'
	Text      ValueKind = 't'
	// Binary is sent only to those that ask for it.
	Binary ValueKind = 'b'
)

func (Begin) message()     {}
func (Commit) message()    {}
func (Origin) message()    {}
func (*Relation) message() {}
func (Type) message()      {}
func (*Insert) message()   {}
func (*Update) message()   {}
func (*Delete) message()   {}
func (*Truncate) message() {}
