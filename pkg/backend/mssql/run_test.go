package mssql

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/mssql/tdstest"
	"queryengine/pkg/catalog"
)

// words is a statement whose rows have one text.
func words(kind replyKind, text string) *statement {
	return &statement{text: text, reply: reply{kind: kind, shape: answer.Whole(cellOf(catalog.Type{Name: "text"})), handed: answer.Handed{Columns: 1}, check: -1}}
}

// column is a result of one column of texts.
func texts(values ...string) tdstest.Result {
	return tdstest.Result{Columns: []tdstest.Column{{Name: "c", Type: "nvarchar"}}, Rows: func(yield func([]*string) bool) {
		for _, v := range values {
			if !yield([]*string{&v}) {
				return
			}
		}
	}}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	var result tdstest.Result
	server := newScript(t, func(_ context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) { yield(result) })
	source := server.source(t, nil)
	for _, c := range []struct {
		kind   replyKind
		rows   []string
		answer string
	}{
		{replyList, nil, `[]`},
		{replyList, []string{"a", "b"}, `["a", "b"]`},
		{replyOne, nil, `null`},
		{replyOne, []string{"a", "b"}, `"a"`},
	} {
		result = texts(c.rows...)
		out := backend.NewAnswer([]byte("before: "), nil, 0)
		out.Buf = append(out.Buf, "before: "...)
		err := source.Query(t.Context(), words(c.kind, "SELECT c"), backend.Args{}, out)
		require.NoError(t, err, "%#v", err)
		require.Equal(t, "before: "+c.answer, string(out.Buf))
	}
	result = texts("a", "b")
	result.Err = &tdstest.Error{Number: 8134, Message: "Divide by zero error encountered."}
	out := backend.NewAnswer(nil, nil, 0)
	out.Buf = append(out.Buf, "before"...)
	err := source.Query(t.Context(), words(replyList, "SELECT c"), backend.Args{Session: role("clerk")}, out)
	requireCode(t, err, apierror.DataException, "Data exception. Division by zero.")
	require.Equal(t, "before", string(out.Buf), "an answer that failed leaves nothing")
}

func TestQueriesReadWithTheIsolationOfTheSource(t *testing.T) {
	t.Parallel()
	for level, want := range map[sql.IsolationLevel]string{
		sql.LevelReadCommitted: "SELECT c",
		sql.LevelSnapshot:      "SET TRANSACTION ISOLATION LEVEL SNAPSHOT;\nSELECT c",
	} {
		server := newScript(t, func(_ context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) { yield(texts()) })
		require.NoError(t, server.source(t, isolation(level)).Query(t.Context(), words(replyList, "SELECT c"), backend.Args{}, backend.NewAnswer(nil, nil, 0)))
		require.Equal(t, []string{want}, server.texts())
	}
}

func TestTransactionIsOneOfTheServer(t *testing.T) {
	t.Parallel()
	server := newScript(t, func(_ context.Context, r tdstest.Request, yield func(tdstest.Result) bool) {
		switch {
		case strings.HasSuffix(r.SQL, "fail"):
			yield(fault(2627, "Violation of PRIMARY KEY constraint."))
		case strings.HasSuffix(r.SQL, "check"):
			yield(tdstest.Result{
				Columns: []tdstest.Column{{Name: readColumn, Type: "int"}, {Name: "ok", Type: "int"}},
				Rows:    tdstest.Rows([]*string{tdstest.Text("7"), tdstest.Text("0")}),
			})
		case strings.HasSuffix(r.SQL, "nothing"):
			yield(texts("what a trigger gives"))
		default:
			yield(texts("what a trigger gives"))
			yield(ofMutation(texts("7", "8")))
		}
	})
	source := server.source(t, isolation(sql.LevelSerializable))
	var rows []string
	require.NoError(t, source.Mutate(t.Context(), role("admin"), func(tx backend.Tx) error {
		return tx.Exec(t.Context(), words(replyMutation, "write"), backend.Args{}, func(row [][]byte) error {
			rows = append(rows, string(row[0]))
			return nil
		})
	}))
	require.Equal(t, []string{"7", "8"}, rows)
	require.Equal(t, []string{"begin serializable", abort + "write", "commit"}, server.texts())

	require.ErrorContains(t, source.Mutate(t.Context(), role("admin"), func(tx backend.Tx) error {
		return tx.Query(t.Context(), words(replyMutation, "nothing"), backend.Args{}, backend.NewAnswer(nil, nil, 0))
	}), "database query error", "no result is no answer")

	// Nothing is committed after a fault, whatever the function returns.
	err := source.Mutate(t.Context(), role("admin"), func(tx backend.Tx) error {
		require.Error(t, tx.Exec(t.Context(), words(replyMutation, "fail"), backend.Args{Session: role("clerk")}, nil))
		return nil
	})
	requireCode(t, err, apierror.ConstraintViolation, "Constraint violation. Uniqueness violation.")
	checked := words(replyMutation, "check")
	checked.reply.check = 1
	err = source.Mutate(t.Context(), role("clerk"), func(tx backend.Tx) error {
		return tx.Query(t.Context(), checked, backend.Args{}, backend.NewAnswer(nil, nil, 0))
	})
	requireCode(t, err, apierror.PermissionError, "check constraint of an insert/update permission has failed")
	refused := errors.New("refused")
	require.ErrorIs(t, source.Mutate(t.Context(), role("admin"), func(backend.Tx) error { return refused }), refused)
	ends := strings.Join(server.texts(), " ")
	require.Equal(t, 1, strings.Count(ends, "commit"))
	require.Equal(t, 4, strings.Count(ends, "rollback"))
	require.Equal(t, 1, server.Opened(), "all used one connection")
}

func TestSnapshotConflictIsTriedAgainAndDeadlockIsNot(t *testing.T) {
	t.Parallel()
	number, left := 3960, 2
	server := newScript(t, func(_ context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) {
		if left > 0 {
			left--
			yield(fault(number, "Snapshot isolation transaction aborted due to update conflict."))
			return
		}
		yield(ofMutation(texts()))
	})
	source := server.source(t, isolation(sql.LevelSnapshot))
	write := func(tx backend.Tx) error {
		return tx.Exec(t.Context(), words(replyMutation, "write"), backend.Args{}, nil)
	}
	require.NoError(t, source.Mutate(t.Context(), role("admin"), write))
	require.Equal(t, 3, strings.Count(strings.Join(server.texts(), " "), "begin snapshot"))
	number, left = 1205, 1
	require.Equal(t, backend.Deadlock, backend.ConflictOf(source.Mutate(t.Context(), role("admin"), write)), "the executor does it again")
}

func TestCancelledMutationIsRolledBack(t *testing.T) {
	t.Parallel()
	server, began := stuck(t)
	source := server.source(t, func(e *Endpoint) { e.Connections = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		failed <- source.Mutate(ctx, role("admin"), func(tx backend.Tx) error {
			return tx.Exec(ctx, words(replyMutation, "write"), backend.Args{}, nil)
		})
	}()
	<-began
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	require.NoError(t, source.Ping(t.Context()))
	require.Equal(t, []string{"begin read committed", abort + "write", "rollback", "SELECT 1"}, server.texts())
}

func TestRunSQL(t *testing.T) {
	t.Parallel()
	depth := "1"
	server := newScript(t, func(_ context.Context, r tdstest.Request, yield func(tdstest.Result) bool) {
		switch r.SQL {
		case "SELECT @@TRANCOUNT":
			yield(row("int", depth))
		case "SELECT rows":
			yield(row("int", "1"))
			yield(tdstest.Result{
				Columns: []tdstest.Column{{Name: "n", Type: "int"}, {Name: "b", Type: "bit"}, {Name: "d", Type: "decimal", Scale: 1}, {Name: "s", Type: "nvarchar"}},
				Rows: tdstest.Rows(
					[]*string{tdstest.Text("7"), tdstest.Text("1"), tdstest.Text("1.5"), tdstest.Text(`7"`)},
					[]*string{nil, nil, nil, nil}),
			})
		case "SOME\n", "SOME RANDOM":
			yield(fault(2812, "Could not find stored procedure 'SOME'."))
		case "drop it":
			yield(fault(4924, "ALTER TABLE DROP COLUMN failed because column 'x' does not exist in table 'author'."))
		default:
			yield(tdstest.Result{})
		}
	})
	source := server.source(t, nil)
	run := func(r backend.RawSQL) (*backend.RawResult, error) { return source.RunSQL(t.Context(), r) }
	result, err := run(backend.RawSQL{SQL: "SELECT rows"})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"n", "b", "d", "s"}, {"7", "true", "1.5", `7"`}, {"NULL", "NULL", "NULL", "NULL"}}, result.Rows)
	require.Len(t, result.Values, 3)
	require.Equal(t, []string{`7`, `true`, `1.5`, `"7\""`}, strs(result.Values[1]))
	require.Equal(t, []string{`null`, `null`, `null`, `null`}, strs(result.Values[2]))
	result, err = run(backend.RawSQL{SQL: "CREATE SCHEMA s CREATE TABLE s.t (n int)"})
	require.NoError(t, err)
	require.Nil(t, result.Rows)
	require.Contains(t, server.texts(), "CREATE SCHEMA s CREATE TABLE s.t (n int)", "the text is a batch of its own")

	_, err = run(backend.RawSQL{SQL: "SOME RANDOM"})
	requireCode(t, err, apierror.BadRequest, "Syntax error or access violation. "+driverPrefix+"Could not find stored procedure 'SOME'.")
	_, err = run(backend.RawSQL{SQL: "SOME"})
	requireCode(t, err, apierror.BadRequest, "Syntax error or access violation. "+driverPrefix+"Could not find stored procedure 'SOME'.")
	_, err = run(backend.RawSQL{SQL: "drop it"})
	requireCode(t, err, apierror.NotFound, "Syntax error or access violation. Column not found. "+driverPrefix+
		"ALTER TABLE DROP COLUMN failed because column 'x' does not exist in table 'author'.")
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 400, e.Status)
	require.Equal(t, detail{Query: "drop it", number: 4924}, e.Internal)

	depth = "0"
	_, err = run(backend.RawSQL{SQL: "COMMIT"})
	requireCode(t, err, apierror.BadRequest, "the text must not begin or end the transaction that it runs in")
	depth = "1"
	refused := errors.New("refused")
	before := len(server.texts())
	_, err = run(backend.RawSQL{SQL: "drop t", Check: func(context.Context, backend.IntrospectFunc) error { return refused }})
	require.ErrorIs(t, err, refused)
	require.Equal(t, []string{"begin read committed", "drop t", "SELECT @@TRANCOUNT", "rollback"}, server.texts()[before:])
	before = len(server.texts())
	_, err = run(backend.RawSQL{SQL: "SELECT rows", ReadOnly: true})
	require.NoError(t, err)
	require.Equal(t, "rollback", server.texts()[len(server.texts())-1])
	_, err = run(backend.RawSQL{SQL: "drop t", ReadOnly: true})
	requireCode(t, err, apierror.BadRequest, "a text that only reads can't contain DROP")
	require.Len(t, server.texts(), before+4, "it was not sent")
	_, err = run(backend.RawSQL{SQL: "ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON", NoTransaction: true})
	require.NoError(t, err)
	require.Equal(t, "ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON", server.texts()[len(server.texts())-1])
}

func strs[T ~[]byte](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

func TestWordsThatWrite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT 1": "",
		"SELECT [update], \"delete\", 'drop ''it' FROM t -- insert\nWHERE a = /* merge /* into */ exec */ 1": "",
		"WITH x AS (SELECT 1 AS a) SELECT updated, insert_at, @delete FROM x":                                "",
		"SELECT 1; UPDATE t SET a = 1":                   "UPDATE",
		"select * into copy from t":                      "INTO",
		"sp_who":                                         "SP_WHO",
		"[sp_sqlexec] 'DROP TABLE t'":                    quotedName,
		" /* c */ [master].[dbo].[xp_cmdshell] 'whoami'": quotedName,
		`"sp_who"`:                                       quotedName,
		"; [sp_who]":                                     quotedName,
		"SELECT 1 -- a\rDELETE FROM t":                   oddLineEnd,
		"SELECT 1 -- a\u2028DROP TABLE t":                oddLineEnd,
		"SELECT 1 -- a\r\nFROM t":                        "",
		"WITH x AS (SELECT 1) delete t":                  "DELETE",
		"SELECT 'open":                                   "",
		"SELECT 1 /* open":                               "",
		"DECLARE @x int = 1; EXEC sp_who":                "EXEC",
	} {
		require.Equal(t, want, writingWord(text), text)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	server := newScript(t, func(_ context.Context, r tdstest.Request, yield func(tdstest.Result) bool) {
		if strings.HasPrefix(r.SQL, "SET ") {
			yield(tdstest.Result{})
			return
		}
		yield(texts(r.SQL))
		yield(texts("  |--Nested Loops(Inner Join)", "       |--Index Seek(OBJECT:([t]))   "))
	})
	source := server.source(t, func(e *Endpoint) { e.Connections = 1 })
	stmt := words(replyList, "SELECT 1")
	shown, plan, err := source.Explain(t.Context(), stmt, backend.Args{})
	require.NoError(t, err)
	require.Equal(t, "SELECT 1", shown)
	require.Equal(t, []string{"  |--Nested Loops(Inner Join)", "       |--Index Seek(OBJECT:([t]))"}, plan)
	require.NoError(t, source.Ping(t.Context()))
	require.Equal(t, 2, server.Opened(), "the connection that explains isn't used for anything else")
	require.Equal(t, "DECLARE @p1 nvarchar(max) = N'it''s';\nDECLARE @p2 nvarchar(max) = NULL;\n", declared([][]byte{[]byte("it's"), nil}))
}

func TestRunSQLChangesEventTriggersInItsTransaction(t *testing.T) {
	t.Parallel()
	server := newScript(t, func(_ context.Context, r tdstest.Request, yield func(tdstest.Result) bool) {
		switch {
		case r.SQL == "SELECT @@TRANCOUNT":
			yield(row("int", "1"))
		case strings.HasPrefix(r.SQL, "SELECT s.name, t.name FROM sys.triggers"):
			yield(table("dbo | notify_engine_old_INSERT"))
		case strings.HasPrefix(r.SQL, "DROP TRIGGER"):
			yield(fault(3701, "Cannot drop the trigger."))
		default:
			yield(tdstest.Result{})
		}
	})
	source := server.source(t, nil)
	_, err := source.RunSQL(t.Context(), backend.RawSQL{
		SQL: "DROP TABLE t", EventTriggers: func() backend.EventTriggerChanges { return backend.EventTriggerChanges{Drop: []string{"old"}} },
	})
	requireCode(t, err, apierror.NotFound, "Syntax error or access violation. Base table or view not found. "+driverPrefix+"Cannot drop the trigger.")
	sent := server.texts()
	require.Equal(t, []string{"begin read committed", "DROP TABLE t", "SELECT @@TRANCOUNT"}, sent[:3])
	require.Equal(t, []string{"DROP TRIGGER [dbo].[notify_engine_old_INSERT]", "rollback"}, sent[len(sent)-2:])
}

func TestLogOfEventsReadsCommittedRows(t *testing.T) {
	t.Parallel()
	server := newScript(t, func(_ context.Context, r tdstest.Request, yield func(tdstest.Result) bool) { yield(tdstest.Result{}) })
	source := server.source(t, isolation(sql.LevelSnapshot))
	require.ErrorContains(t, source.RedeliverEvent(t.Context(), "none"), "event not found")
	require.Equal(t, "begin read committed", server.texts()[0])
}
