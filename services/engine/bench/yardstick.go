package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// healthPath answers 200, here and in the engine.
const healthPath = "/healthz"

// parameters are all variables of all queries.
type parameters struct {
	ID    int32  `json:"id"`
	City  string `json:"city"`
	Genre int32  `json:"genre"`
	Min   int32  `json:"min"`
	Limit int32  `json:"limit"`
	Name  string `json:"name"`

	Objects []invoice `json:"objects"`
}

// maxBody is enough for the largest request, 10,000 invoices with their lines.
const maxBody = 16 << 20

// statement is the hand-written form of a query.
type statement struct {
	// allowed reports whether the role may do this, nil that it may.
	allowed func(parameters) bool
	// run does it all where one statement doesn't.
	run func(ctx context.Context, pool *pgxpool.Pool, p parameters, out []byte) ([]byte, error)

	sql  string
	args func(parameters) []any
	// head and tail go around what the rows become.
	head, tail string
	// encode appends the rows to the answer.
	encode func(out []byte, rows pgx.Rows) ([]byte, error)
}

// Yardstick is a hand-written server that answers POST /QUERY with the query's variables as
// its body.
type Yardstick struct {
	kind    string
	pool    *pgxpool.Pool
	buffers sync.Pool
}

// NewYardstick makes the yardstick "json" or "rows", with that many connections to the
// database at most.
func NewYardstick(ctx context.Context, kind, databaseURL string, connections int) (*Yardstick, error) {
	if kind != "json" && kind != "rows" {
		return nil, fmt.Errorf("there is no yardstick %q", kind)
	}
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(connections) //nolint:gosec // a small number
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	y := &Yardstick{kind: kind, pool: pool}
	y.buffers.New = func() any { b := make([]byte, 0, 64<<10); return &b }
	return y, nil
}

// Close closes its connections to the database.
func (y *Yardstick) Close() { y.pool.Close() }

// Serve answers requests until ctx is done.
func (y *Yardstick) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: y, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

func (y *Yardstick) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == healthPath {
		return
	}
	s, ok := statementOf(y.kind, r.URL.Path[1:])
	if !ok {
		http.NotFound(w, r)
		return
	}
	var p parameters
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(body, &p)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if s.allowed != nil && !s.allowed(p) {
		http.Error(w, "not allowed", http.StatusForbidden)
		return
	}
	buffer := y.buffers.Get().(*[]byte)
	defer y.buffers.Put(buffer)
	out, err := y.answer(r.Context(), s, p, (*buffer)[:0])
	*buffer = out
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	_, _ = w.Write(out) // the client is gone when it fails
}

func (y *Yardstick) answer(ctx context.Context, s statement, p parameters, out []byte) ([]byte, error) {
	if s.run != nil {
		return s.run(ctx, y.pool, p, out)
	}
	var args []any
	if s.args != nil {
		args = s.args(p)
	}
	rows, err := y.pool.Query(ctx, s.sql, args...)
	if err != nil {
		return out, err
	}
	defer rows.Close()
	out = append(out, s.head...)
	if out, err = s.encode(out, rows); err != nil {
		return out, err
	}
	rows.Close()
	return append(out, s.tail...), rows.Err()
}
