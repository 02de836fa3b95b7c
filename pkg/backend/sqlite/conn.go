package sqlite

import (
	"context"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"queryengine/pkg/backend/answer"
)

// maxPrepared bounds the statements that a connection keeps prepared.
const maxPrepared = 256

// conn is one connection to a file, for one goroutine at a time.
type conn struct {
	db *sqlite.Conn
	// prepared are statements by their texts, and their order of use: the last one is the newest.
	prepared map[string]*prepared
	order    []string
	// guard decides what texts may do.
	guard guard
	// fault is the error of a function of ours.
	fault functionFault
	// discarded connections are closed and not used again.
	discarded bool
	writer    answer.Writer
	cells     cells
	// cursor gets the last cell of the last row of a stream; nil for nowhere.
	cursor *[]byte
}

// prepared is a prepared statement.
type prepared struct {
	stmt *sqlite.Stmt
	// writes are the tables that it writes, through triggers and foreign keys too.
	writes []string
}

// dial opens the file.
func dial(ctx context.Context, o *Options, readOnly bool) (*conn, error) {
	flags := sqlite.OpenReadWrite
	switch {
	case readOnly:
		flags = sqlite.OpenReadOnly
	case o.Create:
		flags |= sqlite.OpenCreate
	}
	if !o.Create {
		// SQLite says no more than that it can't open the file.
		if _, err := os.Stat(o.Path); err != nil {
			return nil, openError(err)
		}
	}
	db, err := openDriver(o.Path, flags)
	if err != nil {
		return nil, openError(err)
	}
	c := &conn{db: db, prepared: map[string]*prepared{}}
	c.writer.Format = format{}
	if err := c.set(ctx, o, readOnly); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// set makes the settings of a connection.
func (c *conn) set(ctx context.Context, o *Options, readOnly bool) error {
	c.db.SetBusyTimeout(o.BusyTimeout)
	// Recursive triggers make REPLACE fire the triggers of the rows that it removes.
	settings := []string{"PRAGMA foreign_keys = ON", "PRAGMA recursive_triggers = ON", "PRAGMA trusted_schema = OFF"}
	if readOnly {
		settings = append(settings, "PRAGMA query_only = ON")
	} else {
		settings = append(settings, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL")
	}
	for _, setting := range settings {
		if err := c.exec(ctx, setting); err != nil {
			return err
		}
	}
	if err := registerFunctions(c.db, &c.fault); err != nil {
		return openError(err)
	}
	if err := c.db.SetAuthorizer(&c.guard); err != nil {
		return openError(err)
	}
	return nil
}

func (c *conn) close() {
	for _, p := range c.prepared {
		_ = p.stmt.Finalize()
	}
	c.prepared = nil
	closeDriver(c.db)
}

// lifetimes is held while a connection is opened or closed. The driver keeps what belongs to a connection,
// the guard among it, by the address that SQLite gave it, and forgets it a moment after SQLite has freed
// that address: a connection that was opened in that moment would have no guard.
var lifetimes sync.Mutex

func openDriver(path string, flags sqlite.OpenFlags) (*sqlite.Conn, error) {
	lifetimes.Lock()
	defer lifetimes.Unlock()
	return sqlite.OpenConn(path, flags)
}

func closeDriver(db *sqlite.Conn) {
	lifetimes.Lock()
	defer lifetimes.Unlock()
	_ = db.Close()
}

// within has statements stop when ctx ends, until the function that it returns is called.
func (c *conn) within(ctx context.Context) (leave func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	c.db.SetInterrupt(ctx.Done())
	return func() { c.db.SetInterrupt(nil) }
}

// prepare gives a statement without values.
func (c *conn) prepare(text string) (*prepared, error) {
	if p := c.prepared[text]; p != nil {
		i := slices.Index(c.order, text)
		c.order = append(slices.Delete(c.order, i, i+1), text)
		if err := p.stmt.ClearBindings(); err != nil {
			return nil, err
		}
		return p, nil
	}
	p := &prepared{}
	defer c.guard.record(&p.writes)()
	stmt, rest, err := c.db.PrepareTransient(text)
	if err != nil {
		return nil, c.guard.explain(err)
	}
	p.stmt = stmt
	if rest > 0 {
		_ = stmt.Finalize()
		return nil, errSeveral
	}
	if len(c.order) == maxPrepared {
		oldest := c.order[0]
		c.order = slices.Delete(c.order, 0, 1)
		_ = c.prepared[oldest].stmt.Finalize()
		delete(c.prepared, oldest)
	}
	c.prepared[text] = p
	c.order = append(c.order, text)
	return p, nil
}

// rows runs a statement and calls f for each row, whose cells are valid during the call only. It gives
// their number or, for a statement without any, the number of rows that it wrote.
func (c *conn) rows(ctx context.Context, text string, values []value, f func(row answer.Cells) error) (affected int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	defer c.within(ctx)()
	p, err := c.prepare(text)
	if err != nil {
		return 0, err
	}
	for i := range values {
		bind(p.stmt, i+1, &values[i])
	}
	// The database compiles the statement again when the schema has changed.
	defer c.guard.record(&p.writes)()
	rows := int64(0)
	err = c.step(p.stmt, func(row answer.Cells) error {
		rows++
		return f(row)
	})
	c.guard.wrote(p.writes)
	if p.stmt.ColumnCount() == 0 {
		rows = int64(c.db.Changes())
	}
	return rows, err
}

// step runs a statement to its end, and resets it in any case.
func (c *conn) step(stmt *sqlite.Stmt, f func(row answer.Cells) error) error {
	// What it returns is the error of the last step.
	defer func() { _ = stmt.Reset() }()
	for {
		row, err := stmt.Step()
		fault := c.fault.take()
		switch {
		case fault != nil:
			return fault
		case err != nil:
			return c.guard.explain(err)
		case !row:
			return nil
		}
		if err := f(c.cells.read(stmt)); err != nil {
			return err
		}
	}
}

// exec runs a statement whose rows no client reads.
func (c *conn) exec(ctx context.Context, text string) error {
	_, err := c.rows(ctx, text, nil, func(answer.Cells) error { return nil })
	return queryError(ctx, err, executed{SQL: text})
}

func bind(stmt *sqlite.Stmt, i int, v *value) {
	switch v.class {
	case classInteger:
		stmt.BindInt64(i, v.integer)
	case classReal:
		stmt.BindFloat(i, v.real)
	case classText:
		stmt.BindText(i, string(v.text))
	case classBlob:
		stmt.BindBytes(i, v.text)
	default:
		stmt.BindNull(i)
	}
}

// cells is memory for one row.
type cells struct {
	values [][]byte
	types  []uint32
	ends   []int
	data   []byte
}

// read reads the row of a statement. Numbers become text: an integer its digits, a real the shortest
// text that is that number.
func (c *cells) read(stmt *sqlite.Stmt) answer.Cells {
	n := stmt.ColumnCount()
	c.values, c.types, c.ends, c.data = c.values[:0], c.types[:0], c.ends[:0], c.data[:0]
	for i := range n {
		t := class(stmt.ColumnType(i))
		switch t {
		case classInteger:
			c.data = strconv.AppendInt(c.data, stmt.ColumnInt64(i), 10)
		case classReal:
			c.data = appendReal(c.data, stmt.ColumnFloat(i))
		case classText, classBlob:
			size, at := stmt.ColumnLen(i), len(c.data)
			c.data = slices.Grow(c.data, size)[:at+size]
			stmt.ColumnBytes(i, c.data[at:])
		default:
			t = classNull
		}
		c.types, c.ends = append(c.types, uint32(t)), append(c.ends, len(c.data))
	}
	begin := 0
	for i, end := range c.ends {
		v := c.data[begin:end:end]
		if class(c.types[i]) == classNull {
			v = nil
		} else if v == nil {
			v = []byte{}
		}
		c.values, begin = append(c.values, v), end
	}
	return answer.Cells{Values: c.values, Types: c.types}
}

// appendReal appends a number as text; what JSON has no number for, as the word that SQLite has for it.
func appendReal(dst []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

// rollback ends a transaction also when the caller is gone.
func (c *conn) rollback() {
	if c.db.AutocommitEnabled() {
		return
	}
	if err := c.exec(context.Background(), "ROLLBACK"); err != nil {
		c.discarded = true
	}
}

// defaultBusyTimeout is how long a statement waits for other processes that write to the file.
const defaultBusyTimeout = 5 * time.Second
