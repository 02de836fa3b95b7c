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
	"queryengine/pkg/backend/mssql/mssqltest"
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
	w := &answer.Writer{Format: format{}}
	for _, row := range rows {
		if err := f(of.reply.handed.Of(w, answer.Cells{Values: row})); err != nil {
			return err
		}
	}
	return w.Err
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
		case text == readNumber("@@ROWCOUNT"):
			rows = [][][]byte{{strconv.AppendInt(nil, last, 10)}}
		case text == readNumber("@written"):
			rows = [][][]byte{{strconv.AppendInt(nil, sum, 10)}}
		default:
			// A statement has only those parameters here that it names.
			own, values := ownParams(mssqltest.WritingToPostgres(text), params)
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
	_, err = tx.rows(ctx, `DROP TABLE IF EXISTS "#written", "#given", "#given1", "#given2"`, nil)
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

// ownParams numbers the parameters of a text again.
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
