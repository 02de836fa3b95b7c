package mssql

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/session"
)

// Mutate runs batches statement by statement, and keeps the numbers of rows that SQL Server keeps in variables.
func (s *overPostgres) Mutate(ctx context.Context, _ *session.Session, f func(backend.Tx) error) error {
	if _, err := s.rows(ctx, "BEGIN", nil); err != nil {
		return err
	}
	end := "COMMIT"
	err := f(&txOver{overPostgres: s})
	if err != nil {
		end = "ROLLBACK"
	}
	_, ended := s.rows(ctx, end, nil)
	return errors.Join(err, ended)
}

type txOver struct {
	backend.Tx
	*overPostgres
}

func (tx *txOver) Query(ctx context.Context, st backend.Statement, a backend.Args, out *backend.Answer) error {
	of := st.(*statement)
	if of.reply.kind == replyList || of.reply.kind == replyOne {
		return tx.overPostgres.Query(ctx, st, a, out)
	}
	rows, err := tx.batch(ctx, of, a)
	if err != nil {
		return err
	}
	w := &answer.Writer{Format: format{}}
	outcome, affected := of.reply.output.Begin(), int64(len(rows))
	if of.reply.kind == replyCount {
		affected, err = strconv.ParseInt(string(rows[0][0]), 10, 64)
	} else {
		for _, row := range rows {
			outcome.Add(w, answer.Cells{Values: row})
		}
	}
	out.Buf = outcome.Append(out.Buf, affected)
	return errors.Join(err, w.Err)
}

func (tx *txOver) Exec(ctx context.Context, st backend.Statement, a backend.Args, f func([][]byte) error) error {
	of := st.(*statement)
	rows, err := tx.batch(ctx, of, a)
	if err != nil || of.reply.kind == replyCount {
		return err
	}
	for _, row := range rows {
		if err := f(row[:of.reply.columns]); err != nil {
			return err
		}
	}
	return nil
}

// batch runs the statements of a mutation and gives the rows of the last one.
func (tx *txOver) batch(ctx context.Context, of *statement, a backend.Args) ([][][]byte, error) {
	params, err := of.values(&a)
	if err != nil {
		return nil, err
	}
	var rows [][][]byte
	var last, sum int64
	for _, text := range strings.Split(strings.TrimSuffix(of.text, ";"), ";\n") {
		switch {
		case text == "SET NOCOUNT ON", strings.HasPrefix(text, "SET IDENTITY_INSERT "):
		case text == "DECLARE @written int = 0":
		case strings.Contains(text, "= @@ROWCOUNT"), strings.HasSuffix(text, "+ @@ROWCOUNT"):
			sum += last
		case text == "SELECT @@ROWCOUNT":
			rows = [][][]byte{{strconv.AppendInt(nil, last, 10)}}
		case text == "SELECT @written":
			rows = [][][]byte{{strconv.AppendInt(nil, sum, 10)}}
		default:
			// A statement has only those parameters here that it names.
			own, values := ownParams(writingToPostgres(text), params)
			read := tx.conn.ExecParams(ctx, own, values, nil, nil, nil).Read()
			if read.Err != nil {
				return nil, mutationError(own, read.Err)
			}
			if last = read.CommandTag.RowsAffected(); len(read.FieldDescriptions) > 0 {
				rows = read.Rows
			}
		}
	}
	if of.reply.check >= 0 {
		for _, row := range rows {
			if string(row[of.reply.check]) != "1" {
				return nil, apierror.New(apierror.PermissionError, "check constraint of an insert/update permission has failed")
			}
		}
	}
	_, err = tx.rows(ctx, "DROP TABLE IF EXISTS written, given, given1, given2", nil)
	return rows, err
}

// mutationError is a fault with the code and the words that the wire format has for it.
func mutationError(text string, err error) error {
	var fault *pgconn.PgError
	words := map[string]string{"23505": "Uniqueness violation. ", "23502": "Not-NULL violation. ", "23503": "Foreign key violation. "}
	if errors.As(err, &fault) && words[fault.Code] != "" {
		return apierror.New(apierror.ConstraintViolation, words[fault.Code]+fault.Message)
	}
	return &rewrittenError{text, err}
}

// ownParams numbers the parameters of a text anew.
func ownParams(text string, params [][]byte) (own string, values [][]byte) {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			return b.String() + text, values
		}
		end := i + 1
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(text[i+1 : end])
		if err != nil {
			b.WriteString(text[:end])
			text = text[end:]
			continue
		}
		values = append(values, params[n-1])
		b.WriteString(text[:i] + "$" + strconv.Itoa(len(values)))
		text = text[end:]
	}
}

// writingToPostgres is toPostgres for the statements of mutations.
func writingToPostgres(text string) string {
	nodes, _ := parseTSQL(strings.NewReplacer("#", "", " WITH (UPDLOCK, HOLDLOCK)", "").Replace(text))
	at := func(words ...string) int {
		for i := range nodes {
			found := true
			for j, w := range words {
				found = found && i+j < len(nodes) && nodes[i+j].is(w)
			}
			if found {
				return i
			}
		}
		return -1
	}
	if into := at("into"); nodes[0].is("select") && into > 0 {
		name := nodes[into+1]
		rest := append(append([]node{}, nodes[:into]...), nodes[into+2:]...)
		return "CREATE TEMP TABLE " + spell([]node{name}) + " ON COMMIT DROP AS " + spell(selects(rest))
	}
	output := at("output")
	var returning, names string
	if output > 0 {
		into := at("into", "written")
		returning, names = spell(nodes[output+1:into]), spell(nodes[into+2:into+3])
		nodes = append(append([]node{}, nodes[:output]...), nodes[into+3:]...)
	}
	var sql string
	switch from := at("from"); {
	case nodes[0].is("merge"):
		// MERGE INTO name AS t USING (...) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT (...) VALUES (...). The rows
		// are numbered as they come.
		using, insert := at("using"), at("insert")
		sql = "INSERT INTO " + spell(nodes[2:using-2]) + spell(nodes[insert+1:insert+2]) + " SELECT " + spell(selects(nodes[insert+3].group)) +
			" FROM " + spell(selects(nodes[using+1:using+2])) + " AS s ORDER BY s.n"
		returning = strings.Replace(returning, "s.\"n\"", "0", 1)
	case nodes[0].is("insert"):
		head := []node{}
		for i, n := range nodes {
			if n.is("select") {
				head = append(head, selects(nodes[i:])...)
				break
			}
			if n.group != nil {
				n.group = selects(n.group)
			}
			head = append(head, n)
		}
		sql = spell(head)
	case nodes[0].is("update"):
		set, where := at("set"), at("where")
		join, on := at("join"), at("on")
		if where < 0 {
			where = len(nodes)
		}
		if join < 0 {
			sql = "UPDATE " + spell(nodes[from+1:where]) + spell(selects(nodes[set:from])) + spell(selects(nodes[where:]))
		} else {
			sql = "UPDATE " + spell(nodes[from+1:join]) + spell(selects(nodes[set:from])) + " FROM " + spell(nodes[join+1:on]) +
				" WHERE (" + spell(nodes[on+1:where]) + ") AND " + spell(selects(nodes[where+1:]))
		}
	case nodes[0].is("delete"):
		sql = "DELETE FROM " + spell(nodes[from+1:from+4+2]) + spell(selects(nodes[from+4+2:]))
	default:
		return spell(selects(nodes))
	}
	if output < 0 {
		return sql
	}
	target := ""
	if nodes[0].is("update", "delete") {
		target = spell(nodes[1:2])
		target = strings.TrimSpace(target) + "."
	}
	returning = strings.NewReplacer("INSERTED.", target, "DELETED.", target).Replace(returning)
	return "WITH written_rows AS (" + sql + " RETURNING " + returning + ") INSERT INTO written " + names + " SELECT * FROM written_rows"
}
