// Package backend defines what a kind of database must be able to do for the engine: introspect itself,
// explain its types and operators, turn a plan into its language and run it. One directory below
// implements it for each kind; the core never asks which one it talks to, only what its metadata.Kind
// can do.
package backend

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/session"
)

// Dialect is the pure part of a backend: no connection, no clock. It is safe for
// concurrent use.
type Dialect interface {
	TypeSystem
	Renderer
	Kind() string
}

// SessionBound is a Dialect of sources that set something for each session, by which policies of the database may decide: what is read then
// depends on more than the statement.
type SessionBound interface {
	// SessionSettings are what is set, as a text, and the session variables that it depends on, sorted. The text is empty where nothing is
	// set.
	SessionSettings() (settings string, variables []string)
}

// BoundBySession is SessionBound.SessionSettings of any dialect.
func BoundBySession(d Dialect) (settings string, variables []string) {
	if s, ok := d.(SessionBound); ok {
		return s.SessionSettings()
	}
	return "", nil
}

// KeyedWrites is a Dialect of databases that may not hand out rows as a whole when they write them, nor read others next to them. Rows are
// read again by their primary key there (ir.RowRef and ir.Written have it), what is to be removed is read before, and inserted rows are
// spelt one by one.
type KeyedWrites interface {
	KeyedWrites() bool
}

// TypeSystem explains the backend's types to the schema and to the rule parser.
type TypeSystem interface {
	// Scalar is the GraphQL scalar of a type (for an array: of its element).
	Scalar(t catalog.Type) Scalar
	// Operators are the comparison operators that a value of type t has, in the order of
	// the schema.
	Operators(t catalog.Type) []*Operator
	// Operator finds one by its GraphQL name without looking at types; nil when unknown.
	Operator(op ir.Op) *Operator
	// Joins reports whether columns of two types may be compared. False is certain, true may be a guess.
	Joins(a, b catalog.Type) bool
	// Tables say what there is next to operators.
	Tables() *Tables
	// ParseInput turns a JSON value for type t into the text form that is bound or
	// inlined, with the error texts of the wire format (path "$", relative). JSON null is
	// the caller's business.
	ParseInput(t catalog.Type, value json.RawMessage) (Input, error)
	// ParseList is ParseInput for a list of values of type t: the text is that of all of them, as
	// sqltext.Spelling.List makes it of their texts.
	ParseList(t catalog.Type, list json.RawMessage) (Input, error)
	// Builtin is the type that the database has for what every plan may need.
	Builtin(known BuiltinType) catalog.Type
	// NamedType is the built-in type of that name, as SQL spells it: integer, text[],
	// timestamp with time zone.
	NamedType(name string) (catalog.Type, bool)
	// CanCast reports whether `_cast` to the type named target exists, and which type it is.
	CanCast(t catalog.Type, target string) (catalog.Type, bool)
}

// BuiltinType is a type that is needed whatever types the columns have.
type BuiltinType uint8

// The types that are needed.
const (
	TypeText    BuiltinType = iota // String, and the values of enum tables
	TypeInt                        // a whole number of 32 bits: limits, positions
	TypeBigInt                     // a whole number of 64 bits: offsets, counts
	TypeDecimal                    // a number with any digits
	TypeJSON                       // any JSON value
)

// Is reports whether values of type t are of a well-known type, not lists of them.
func Is(d TypeSystem, t catalog.Type, known BuiltinType) bool {
	well := d.Builtin(known)
	return t.Name == well.Name && t.Schema == well.Schema && !t.IsArray()
}

// Input is a parsed input value.
type Input struct {
	Text string
	Wrap ir.Wrap
}

// Scalar is how a type looks in GraphQL.
type Scalar struct {
	Name string // Int, String, timestamptz, ...
	// Valid is false when the type's name isn't a GraphQL name.
	Valid      bool
	Numeric    bool // has sum, avg, _inc
	Comparable bool // has min and max
	JSON       bool // a JSON value, not a list of them: takes a path argument
	// Incomparable types have no equality: conditions of permissions can't be about them.
	Incomparable bool
	Mergeable    bool // has _append, _prepend and the operators that delete parts of a value
	// Stringified types become JSON strings under stringify-numeric-types.
	Stringified bool
	// Opaque types are known to the database only: text in, text out.
	Opaque bool
	// Text types have pattern operators.
	Text bool
	// SQL is the type's name in messages: integer, not int4.
	SQL string
	// SessionWrap makes a value of the text of a session variable.
	SessionWrap ir.Wrap
}

// Operand is the kind of operand that an operator takes.
type Operand int

// The kinds of operands.
const (
	OperandSame     Operand = iota // a value of the column's type
	OperandList                    // a list of values of the column's type (element type for arrays is the array)
	OperandText                    // a String
	OperandTextList                // [String!]
	OperandType                    // a value of Operator.Type
	OperandObject                  // an input object: Operator.Object
)

// Operator is one row of a backend's operator table. The schema, the rule parser and the
// renderer read the same row.
type Operator struct {
	Op      ir.Op
	Operand Operand
	// Type is the operand's type for OperandType.
	Type catalog.Type
	// Object names the input object for OperandObject, ObjectFields its fields in the
	// order of the operator's arguments.
	Object       string
	ObjectFields []ObjectField
	// Columns in words for the error of a wrong column type: `"varchar", "text", ...`;
	// empty when the operator fits every type.
	Columns string
	// SQL is the template: $l is the column, $1 is the operand, $* are all operands with
	// commas between them.
	SQL string
	// Nullable reports whether null is taken as an operand (and matches nothing).
	Nullable bool
	// Rule reports whether permission rules may use it.
	Rule bool
}

// ObjectField is one field of an operand object.
type ObjectField struct {
	Name     string
	Type     catalog.Type
	Scalar   string // GraphQL scalar when it isn't that of Type
	Required bool
	Default  string // GraphQL text, "" for none
}

// RenderOptions are the options of the server and the source that change statements.
type RenderOptions struct {
	// StringifyNumeric makes int8, numeric, float8 and money JSON strings.
	StringifyNumeric bool
	// NullChecksPass lets rows pass for which the check of a permission is NULL.
	NullChecksPass bool
	// Comment is added to the statements, nil for none.
	Comment *Comment
}

// Renderer turns plans into statements.
type Renderer interface {
	// RenderQuery renders one root field.
	RenderQuery(root ir.Root, o RenderOptions) (Statement, error)
	// RenderMutation renders one mutation step.
	RenderMutation(m ir.Mutation, o RenderOptions) (Statement, error)
	// RenderInsertOrder renders a statement for Tx.Defer that hands out a row when the order of
	// inserts can make a difference.
	RenderInsertOrder(o ir.InsertOrder) (Statement, error)
}

// Statement is a rendered plan. It is immutable and safe for concurrent use.
type Statement interface {
	// SQL is the text, with parameters.
	SQL() string
}

// Parameterized is a Statement that can tell what its parameters are in one run; nil is NULL.
type Parameterized interface {
	Parameters(a Args) ([][]byte, error)
}

// Args are the values of one run.
type Args struct {
	// Variables are the bound values, by ir.Variable.Index; nil is NULL.
	Variables [][]byte
	// Lists are the bound lists, by ir.Each.Index.
	Lists   [][][]byte
	Session *session.Session
	// Lookups are the values that were looked up, by LookupKey.
	Lookups map[string][][]byte
	// RequestID is for comments that name it.
	RequestID string
	// Operation is the name of the operation, "" for none.
	Operation string
	// Scan is nil where nothing is counted or bounded.
	Scan *Scan
	// ReadOnly has the database refuse the writes of what a statement calls, where the statement itself couldn't be kept from them. Query then
	// fails with WriteRefused.
	ReadOnly bool
}

// WriteRefused is the error of a statement that writes although Args.ReadOnly is set; detail is the database's.
func WriteRefused(detail any) *apierror.Error {
	return apierror.New(apierror.NotSupported, writeRefused).WithInternal(detail)
}

// WasWriteRefused reports whether an error is that of WriteRefused.
func WasWriteRefused(err error) bool {
	e, ok := errors.AsType[*apierror.Error](err)
	return ok && e.Message == writeRefused
}

const writeRefused = "the field writes, but this request may only read: send the query by POST, or expose the function as a mutation"

// LookupKey identifies a lookup.
func LookupKey(l ir.Lookup) string {
	return strings.Join([]string{l.Source, l.Table.Schema, l.Table.Name, l.Column, l.Where}, "\x00")
}

// Source is an open source: its pools of connections. Safe for concurrent use.
type Source interface {
	// Query runs a statement of RenderQuery and appends the JSON of the root field to out.
	// It returns an *apierror.Error for faults of the statement. Cancelling ctx cancels
	// the statement in the database.
	Query(ctx context.Context, s Statement, a Args, out *Answer) error
	// Explain gives the statement with its values inlined, and the plan's lines.
	Explain(ctx context.Context, s Statement, a Args) (sql string, plan []string, err error)
	// Mutate opens a read-write transaction, runs f in it, and commits when f returns nil. f
	// may be called again after what it did was rolled back: it keeps nothing of a call
	// before.
	Mutate(ctx context.Context, s *session.Session, f func(Tx) error) error
	// RunSQL runs statements as they are.
	RunSQL(ctx context.Context, r RawSQL) (*RawResult, error)
	// Introspect reads the catalog. The rows of enum tables become Enums.
	Introspect(ctx context.Context, enums []catalog.Name) (*catalog.Source, error)
	// Ping runs a trivial statement.
	Ping(ctx context.Context) error
	Close()
}

// PartIntrospector is a Source that can read single tables and functions, at a cost that
// follows their number and not the size of the database.
type PartIntrospector interface {
	// IntrospectPart reads the objects that part names; what doesn't exist is omitted. Of the enum
	// tables it reads those in part.
	IntrospectPart(ctx context.Context, part Part, enums []catalog.Name) (*catalog.Source, error)
}

// TableDescriber is a Source that can describe what the catalog leaves out of a table, because nothing is
// planned by it.
type TableDescriber interface {
	// DescribeTable reads the columns, constraints, indexes and triggers of a table; there are none of one that doesn't exist.
	DescribeTable(ctx context.Context, table catalog.Name) (*catalog.Details, error)
}

// Dumper is a Source whose schema can be written as statements that recreate it.
type Dumper interface {
	// Dump runs the dump program of the database with these arguments and writes its output.
	// Arguments that choose a server, a file of this one or the format are refused.
	Dump(ctx context.Context, arguments []string, w io.Writer) error
}

// QueryValidator is a Source that can check whether its database accepts a native query.
type QueryValidator interface {
	// ValidateNativeQuery fails when the statement, or what it returns, isn't as it should be.
	// Nothing is executed.
	ValidateNativeQuery(ctx context.Context, q ir.NativeQuery) error
}

// Part names tables and functions of a source.
type Part struct {
	Tables    []catalog.Name
	Functions []catalog.Name
}

// Tx is an open transaction of a mutation.
type Tx interface {
	Query(ctx context.Context, s Statement, a Args, out *Answer) error
	// Exec runs a mutation statement and gives its rows to f as they are (text form).
	Exec(ctx context.Context, s Statement, a Args, f func(row [][]byte) error) error
	// Defer has a mutation statement run before the next one, in the same round trip. Statements
	// run in the order of the calls. Nothing is committed before the results of all of them were
	// read, except certain ones. A statement that fails fails the call that sends it.
	Defer(ctx context.Context, d Deferred) error
	// Flush sends deferred statements, in one round trip.
	Flush(ctx context.Context) error
}

// Deferred is a mutation statement whose result nothing waits for.
type Deferred struct {
	Statement Statement
	Args      Args
	// Row gets each row, as in Exec.
	Row func(row [][]byte) error
	// Certain reports whether Row never fails. Without a check, too, the transaction may be committed
	// in the same round trip.
	Certain bool
	// Failed may add detail to the fault of the statement, for example the position of its rows.
	Failed func(error) error
}

// Last marks the next statement of a transaction as its last one, or statements that wait for a Flush. Where a backend can, it commits in
// the same round trip; f of Mutate then can't undo it any more.
func Last(tx Tx) {
	if l, ok := tx.(interface{ Last() }); ok {
		l.Last()
	}
}

// Conflict is why a statement failed for no other reason than what other transactions did at the
// same time.
type Conflict int

// The conflicts.
const (
	NoConflict    Conflict = iota
	Serialization          // the isolation level could not be kept
	Deadlock               // transactions waited for each other
)

// ConflictOf returns whether a statement failed because of a conflict, and of which kind. What is
// rolled back because of a conflict can be repeated.
func ConflictOf(err error) Conflict {
	var e *apierror.Error
	if !errors.As(err, &e) {
		return NoConflict
	}
	if c, ok := e.Internal.(interface{ Conflict() Conflict }); ok {
		return c.Conflict()
	}
	return NoConflict
}

// RawSQL is text for run_sql.
type RawSQL struct {
	SQL string
	// ReadOnly holds against text that tries to leave the read-only transaction.
	ReadOnly      bool
	NoTransaction bool
	// AllResults has the result of each statement returned, instead of that of the last one.
	AllResults bool
	// MaxRows bounds how many rows of each of these results are kept, 0 for no bound.
	MaxRows int
	Session *session.Session
	// Check, when set, is called inside the transaction after the text ran; when it
	// fails, everything is rolled back. It may introspect through the given function,
	// which sees the uncommitted state.
	Check func(ctx context.Context, introspect IntrospectFunc) error
	// EventTriggers, when set, says after Check what follows for event triggers: that is
	// done in the same transaction. It is for a Source with EventTriggers.
	EventTriggers func() EventTriggerChanges
	// Before, when set, is called inside the transaction before the text runs.
	Before func(ctx context.Context, introspect IntrospectFunc) error
}

// SQLRehearser is a Source that can try a RawSQL: it runs in a transaction that is rolled back, after
// Check has looked at what it did. A text that could end that transaction is refused. EventTriggers and
// NoTransaction must not be set.
type SQLRehearser interface {
	RehearseSQL(ctx context.Context, r RawSQL) (*RawResult, error)
}

// IntrospectFunc reads the catalog as a transaction sees it.
type IntrospectFunc func(ctx context.Context, enums []catalog.Name) (*catalog.Source, error)

// RawResult is the result of the last statement of a RawSQL.
type RawResult struct {
	// Rows is nil for a command; else its first row holds the column names. SQL NULL is
	// the text NULL.
	Rows [][]string
	// Values are the same rows as JSON values, for kinds whose results have types; nil for others.
	Values [][]json.RawMessage
	// Statements are the results of all statements, of a request with AllResults; Rows and Values are nil then.
	Statements []RawStatement
}

// RawStatement is the result of one statement of a RawSQL.
type RawStatement struct {
	// Command is what the database calls it, as INSERT 0 3; "" where it doesn't say.
	Command string `json:"command,omitempty"`
	// Columns is nil for a statement that returns no rows.
	Columns []string `json:"columns,omitempty"`
	// Rows are JSON values: numbers and booleans where the results of a kind have types, else texts, and null.
	Rows [][]json.RawMessage `json:"rows,omitempty"`
	// Count is how many rows it returned, including rows that aren't kept, or how many it wrote; nil where that isn't known.
	Count *int64 `json:"row_count,omitempty"`
}

// Returns adds a row, unless there are as many as a request wants. The row must not change any more.
func (s *RawStatement) Returns(r RawSQL, row func() []json.RawMessage) {
	if s.Count == nil {
		s.Count = new(int64)
	}
	if *s.Count++; r.MaxRows == 0 || *s.Count <= int64(r.MaxRows) {
		s.Rows = append(s.Rows, row())
	}
}

// Counts sets how many rows a statement returned or wrote.
func (s *RawStatement) Counts(rows int64) { s.Count = &rows }

// CheckFailed returns the error of a written row that the permission doesn't allow.
func CheckFailed() error {
	return apierror.New(apierror.PermissionError, "check constraint of an insert/update permission has failed")
}
