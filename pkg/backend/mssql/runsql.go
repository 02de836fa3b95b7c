package mssql

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
)

// RunSQL runs a batch unchanged and, unless the request sets NoTransaction, in one transaction. The
// connection is closed afterwards: what the text has set, temporary tables among it, must not reach the
// next user.
//
// SQL Server has no transactions that only read. A read-only text is refused when it holds a word that
// writes, and runs in a transaction that is rolled back; the hooks aren't called for it.
func (s *Source) RunSQL(ctx context.Context, r backend.RawSQL) (*backend.RawResult, error) {
	if r.ReadOnly {
		if word := writingWord(r.SQL); word != "" {
			return nil, apierror.Newf(apierror.BadRequest, "a text that only reads can't contain %s", word).WithInternal(detail{Query: r.SQL})
		}
	}
	c, err := s.primary.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release()
	c.discarded = true
	run := rawRun{c: c, request: r}
	if !r.ReadOnly && r.NoTransaction {
		result, err := run.withoutTransaction(ctx)
		if err != nil || r.EventTriggers == nil {
			return result, err
		}
		return result, s.ChangeEventTriggers(ctx, r.EventTriggers())
	}
	var result *backend.RawResult
	// A transaction that reads a snapshot takes no statements that define tables.
	err = c.inTransactionAt(ctx, sql.LevelReadCommitted, func() error {
		if !r.ReadOnly {
			if err := run.hook(ctx, r.Before); err != nil {
				return err
			}
		}
		var err error
		if result, err = run.text(ctx); err != nil {
			return err
		}
		if err := run.sameTransaction(ctx); err != nil {
			return err
		}
		if r.ReadOnly {
			return errReadOnly
		}
		if err := run.hook(ctx, r.Check); err != nil || r.EventTriggers == nil {
			return err
		}
		return s.Change(ctx, eventRunner{c}, r.EventTriggers())
	})
	if r.ReadOnly && err == errReadOnly { //nolint:errorlint // it is that value
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// errReadOnly has a transaction rolled back.
var errReadOnly = apierror.New(apierror.Unexpected, "the text only reads")

// rawRun is one run of a RawSQL.
type rawRun struct {
	c       *conn
	request backend.RawSQL
}

// withoutTransaction runs the text on its own. What it did can't be undone.
func (r *rawRun) withoutTransaction(ctx context.Context) (*backend.RawResult, error) {
	if err := r.hook(ctx, r.request.Before); err != nil {
		return nil, err
	}
	result, err := r.text(ctx)
	if err != nil {
		return nil, err
	}
	return result, r.hook(ctx, r.request.Check)
}

// sameTransaction refuses a text that has ended the transaction, or has begun one of its own: what comes
// after it would not be part of it.
func (r *rawRun) sameTransaction(ctx context.Context) error {
	depth := ""
	const text = "SELECT @@TRANCOUNT"
	_, err := r.c.rows(ctx, text, nil, func(row answer.Cells) error {
		depth = string(row.Values[0])
		return nil
	})
	if err != nil {
		return queryError(ctx, err, executed{SQL: text})
	}
	if depth != "1" {
		return apierror.New(apierror.BadRequest, "the text must not begin or end the transaction that it runs in").
			WithInternal(detail{Query: r.request.SQL})
	}
	return nil
}

// hook calls a hook with introspection as the open transaction sees the database.
func (r *rawRun) hook(ctx context.Context, hook func(context.Context, backend.IntrospectFunc) error) error {
	if hook == nil {
		return nil
	}
	return hook(ctx, func(ctx context.Context, enums []catalog.Name) (*catalog.Source, error) {
		return r.c.introspect(ctx, enums, nil)
	})
}

// text runs the text and returns its last result, or those of all statements that return rows.
func (r *rawRun) text(ctx context.Context) (*backend.RawResult, error) {
	if strings.ContainsRune(r.request.SQL, 0) {
		return nil, apierror.New(apierror.BadRequest, "the text holds a zero byte")
	}
	text := r.request.SQL
	if !strings.ContainsAny(text, " \n;'") {
		text += "\n" // the driver would call a procedure of this name
	}
	rows, err := r.c.QueryContext(ctx, text)
	if err != nil {
		return nil, rawError(ctx, err, r.request.SQL)
	}
	defer func() { _ = rows.Close() }()
	result := &backend.RawResult{}
	for more := true; more; more = rows.NextResultSet() {
		types, err := rows.ColumnTypes()
		if err != nil {
			return nil, rawError(ctx, err, r.request.SQL)
		}
		names, header := make([]string, len(types)), make([]json.RawMessage, len(types))
		for i, t := range types {
			names[i], header[i] = t.Name(), answer.AppendString(nil, t.Name())
		}
		statement := backend.RawStatement{Columns: names}
		if len(types) > 0 {
			statement.Counts(0)
		}
		var read reader
		var texts [][]string
		var values [][]json.RawMessage
		_, err = read.read(rows, func(row answer.Cells) error {
			if r.request.AllResults {
				statement.Returns(r.request, func() []json.RawMessage {
					line := make([]json.RawMessage, len(row.Values))
					for i, v := range row.Values {
						line[i] = shown(types[i].DatabaseTypeName(), v)
					}
					return line
				})
				return nil
			}
			text, line := make([]string, len(row.Values)), make([]json.RawMessage, len(row.Values))
			for i, v := range row.Values {
				if text[i] = "NULL"; v != nil {
					text[i] = string(v)
				}
				line[i] = shown(types[i].DatabaseTypeName(), v)
			}
			texts, values = append(texts, text), append(values, line)
			return nil
		})
		if err != nil {
			return nil, rawError(ctx, err, r.request.SQL)
		}
		if len(types) == 0 {
			continue
		}
		if r.request.AllResults {
			result.Statements = append(result.Statements, statement)
			continue
		}
		result.Rows, result.Values = append([][]string{names}, texts...), append([][]json.RawMessage{header}, values...)
	}
	return result, rawError(ctx, rows.Err(), r.request.SQL)
}

// shown is a value in the JSON of a result: numbers, booleans and NULL are what they are.
func shown(typeName string, v []byte) json.RawMessage {
	switch typeName {
	case "TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "NUMERIC", "MONEY", "SMALLMONEY", "FLOAT", "REAL", "BIT":
		return answer.JSONOf(v, true)
	}
	return answer.JSONOf(v, false)
}
