package mssql

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/mssql/tdstest"
)

// lines runs a text and gives its rows, with null for NULL.
func lines(t testing.TB, s *Source, text string, values ...[]byte) ([]string, error) {
	t.Helper()
	c, err := s.primary.acquire(t.Context())
	require.NoError(t, err)
	defer c.release()
	var lines []string
	_, err = c.rows(t.Context(), text, values, func(row answer.Cells) error {
		var cells []string
		for _, v := range row.Values {
			if v == nil {
				v = []byte("null")
			}
			cells = append(cells, string(v))
		}
		lines = append(lines, strings.Join(cells, " | "))
		return nil
	})
	return lines, err
}

func TestLogin(t *testing.T) {
	t.Parallel()
	server := newScript(t, func(_ context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) { yield(row("int", "1")) })
	require.NoError(t, server.source(t, nil).Ping(t.Context()))
	require.Equal(t, []tdstest.Login{{User: "sa", Password: "Pass;word", Database: "shop", Application: "the test"}}, server.logins)
}

func TestCellsOfAllTypes(t *testing.T) {
	t.Parallel()
	cells := []struct{ typ, value, want string }{
		{"tinyint", "255", "255"},
		{"smallint", "-32768", "-32768"},
		{"int", "2147483647", "2147483647"},
		{"bigint", "-9223372036854775808", "-9223372036854775808"},
		{"bit", "1", "true"},
		{"bit", "0", "false"},
		{"real", "0.1", "0.1"},
		{"real", "1.18e-38", "1.18e-38"},
		{"float", "0.1", "0.1"},
		{"float", "2.23e-308", "2.23e-308"},
		{"money", "123.45", "123.4500"},
		{"money", "-922337203685477.5808", "-922337203685477.5808"},
		{"decimal", "123.45", "123.45"},
		{"decimal", "-0.05", "-0.05"},
		{"decimal", "123456789012345678901234567890.12", "123456789012345678901234567890.12"},
		{"nvarchar", "", ""},
		{"nvarchar", "Grüße 🎻", "Grüße 🎻"},
		{"uniqueidentifier", "0E984725-C51C-4BF4-9960-E1C80E27ABA0", "0E984725-C51C-4BF4-9960-E1C80E27ABA0"},
		{"date", "0001-01-01", "0001-01-01"},
		{"date", "9999-12-31", "9999-12-31"},
		{"time", "11:09:23.1234567", "11:09:23.1234567"},
		{"datetime", "1996-04-15T04:00:00", "1996-04-15T04:00:00"},
		{"smalldatetime", "1955-12-13T12:43:00", "1955-12-13T12:43:00"},
		{"datetime2", "9999-04-15T23:59:59.9999999", "9999-04-15T23:59:59.9999999"},
		{"datetimeoffset", "2007-05-08T12:35:29.1234567+12:15", "2007-05-08T12:35:29.1234567+12:15"},
		{"datetimeoffset", "2007-05-08T12:35:29Z", "2007-05-08T12:35:29+00:00"},
		{"varbinary", "AAHiQA==", "AAHiQA=="},
		{"varbinary", "", ""},
	}
	var columns []tdstest.Column
	var values, nulls []*string
	var want, none []string
	for i, c := range cells {
		columns = append(columns, tdstest.Column{Name: "c" + strconv.Itoa(i), Type: c.typ, Scale: 2})
		values, nulls = append(values, &c.value), append(nulls, nil)
		want, none = append(want, c.want), append(none, "null")
	}
	server := newScript(t, func(_ context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) {
		yield(tdstest.Result{Columns: columns, Rows: tdstest.Rows(values, nulls, values)})
	})
	got, err := lines(t, server.source(t, nil), "SELECT everything")
	require.NoError(t, err)
	all := strings.Join(want, " | ")
	require.Equal(t, []string{all, strings.Join(none, " | "), all}, got)
}

func TestParametersAreTexts(t *testing.T) {
	t.Parallel()
	server := newScript(t, func(_ context.Context, r tdstest.Request, yield func(tdstest.Result) bool) {
		var columns []tdstest.Column
		for range r.Params {
			columns = append(columns, tdstest.Column{Type: "nvarchar"})
		}
		yield(tdstest.Result{}) // a statement before, without rows
		yield(tdstest.Result{Columns: columns, Rows: tdstest.Rows(r.Params)})
	})
	long := strings.Repeat("ü", 100_000)
	got, err := lines(t, server.source(t, nil), "SELECT @p1, @p2, @p3", []byte(long), nil, []byte{})
	require.NoError(t, err)
	require.Equal(t, []string{long + " | null | "}, got)
	require.Equal(t, "SELECT @p1, @p2, @p3", server.requests[0].SQL)
	require.Equal(t, "@p1 nvarchar(max),@p2 nvarchar(4000),@p3 nvarchar(max)", server.requests[0].Declared)
}

func TestLargeResultIsReadRowByRow(t *testing.T) {
	t.Parallel()
	const rows = 50_000
	server := newScript(t, func(ctx context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) {
		yield(tdstest.Result{
			Columns: []tdstest.Column{{Name: "n", Type: "int"}, {Name: "s", Type: "nvarchar"}},
			Rows: func(yield func([]*string) bool) {
				for i := range rows {
					if ctx.Err() != nil || !yield([]*string{tdstest.Text(strconv.Itoa(i)), tdstest.Text(strings.Repeat("x", i%300))}) {
						return
					}
				}
			},
		})
	})
	source := server.source(t, nil)
	c, err := source.primary.acquire(t.Context())
	require.NoError(t, err)
	defer c.release()
	i := 0
	n, err := c.rows(t.Context(), "SELECT many", nil, func(row answer.Cells) error {
		require.Equal(t, strconv.Itoa(i), string(row.Values[0]))
		require.Len(t, row.Values[1], i%300)
		i++
		return nil
	})
	require.NoError(t, err)
	require.EqualValues(t, rows, n)
}

func TestErrorAfterRowsIsTheErrorOfTheStatement(t *testing.T) {
	t.Parallel()
	server := newScript(t, func(_ context.Context, r tdstest.Request, yield func(tdstest.Result) bool) {
		if r.SQL == "SELECT rows, then fail" {
			result := row("int", "1")
			result.Err = &tdstest.Error{Number: 8134, Message: "Divide by zero error encountered."}
			yield(result)
			return
		}
		yield(row("int", "1"))
		yield(fault(547, "The INSERT statement conflicted."))
		yield(fault(3621, "The statement has been terminated."))
	})
	source := server.source(t, nil)
	for text, want := range map[string]string{"SELECT rows, then fail": "Divide by zero error encountered.", "SELECT 1; INSERT": "The INSERT statement conflicted."} {
		got, err := lines(t, source, text)
		require.Equal(t, []string{"1"}, got)
		found, said := faultOf(err)
		require.True(t, said, text)
		require.Equal(t, want, found.Message, text)
	}
}

// stuck is a server whose statements end when they are cancelled.
func stuck(t *testing.T) (*script, chan struct{}) {
	began := make(chan struct{}, 100)
	return newScript(t, func(ctx context.Context, r tdstest.Request, yield func(tdstest.Result) bool) {
		if r.SQL == "SELECT 1" {
			yield(row("int", "1"))
			return
		}
		began <- struct{}{}
		<-ctx.Done()
	}), began
}

func TestCancellationEndsTheStatementInTheDatabase(t *testing.T) {
	t.Parallel()
	server, began := stuck(t)
	source := server.source(t, func(e *Endpoint) { e.Connections = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		c, err := source.primary.acquire(ctx)
		if err == nil {
			defer c.release()
			err = c.exec(ctx, "WAITFOR DELAY '1:00'")
		}
		failed <- err
	}()
	<-began
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	require.NoError(t, source.Ping(t.Context()), "the only connection is free again")
	require.Equal(t, 1, server.Opened(), "a statement that was cancelled leaves the connection usable")
}

func TestDeadlineIsATimeout(t *testing.T) {
	t.Parallel()
	server, _ := stuck(t)
	source := server.source(t, nil)
	require.NoError(t, source.Ping(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c, err := source.primary.acquire(t.Context())
	require.NoError(t, err)
	defer c.release()
	requireCode(t, c.exec(ctx, "WAITFOR DELAY '1:00'"), apierror.Timeout, "the database did not answer within the time limit")
}

func TestFullPoolIsBusy(t *testing.T) {
	t.Parallel()
	server := newScript(t, func(_ context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) { yield(row("int", "1")) })
	source := server.source(t, func(e *Endpoint) { e.Connections, e.PoolTimeout = 1, 20*time.Millisecond })
	// The first connection may take longer to open than the time-out of this pool.
	var held *conn
	require.Eventually(t, func() bool {
		var err error
		held, err = source.primary.acquire(t.Context())
		return err == nil
	}, time.Minute, time.Millisecond)
	requireCode(t, source.Ping(t.Context()), apierror.Busy, "timed out waiting for a free connection to the database")
	held.release()
	require.NoError(t, source.Ping(t.Context()))
}

func TestLostConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	server := newScript(t, func(_ context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) { yield(row("int", "1")) })
	source := server.source(t, nil)
	require.NoError(t, source.Ping(t.Context()))
	server.Disconnect()
	require.Eventually(t, func() bool { return server.Open() == 0 }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return source.Ping(t.Context()) == nil }, time.Minute, time.Millisecond)
	server.Close()
	requireCode(t, source.Ping(t.Context()), apierror.MSSQLError, "connection error")
}

func TestReplicasAnswerInTurn(t *testing.T) {
	t.Parallel()
	answer := func(_ context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) { yield(row("int", "1")) }
	servers := []*script{newScript(t, answer), newScript(t, answer), newScript(t, answer)}
	c := Configuration{ConnectionInfo: ConnectionInfo{ConnectionString: quoted(servers[0].ConnectionString())}}
	for _, s := range servers[1:] {
		c.ReadReplicas = append(c.ReadReplicas, ConnectionInfo{ConnectionString: quoted(s.ConnectionString())})
	}
	o, err := Configure(c, environment(nil), "")
	require.NoError(t, err)
	source := Open(o)
	t.Cleanup(source.Close)
	for range 4 {
		c, err := source.reader().acquire(t.Context())
		require.NoError(t, err)
		require.NoError(t, c.exec(t.Context(), "SELECT 1"))
		c.release()
	}
	require.Equal(t, []int{0, 2, 2}, []int{len(servers[0].texts()), len(servers[1].texts()), len(servers[2].texts())})
}

func TestNumbersOfErrors(t *testing.T) {
	t.Parallel()
	var number int
	server := newScript(t, func(_ context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) {
		yield(fault(number, "A row of [secrets] says 42."))
	})
	source := server.source(t, nil)
	c, err := source.primary.acquire(t.Context())
	require.NoError(t, err)
	defer c.release()
	for _, e := range []struct {
		number  int
		code    apierror.Code
		message string
	}{
		{2627, apierror.ConstraintViolation, "Constraint violation. Uniqueness violation."},
		{2601, apierror.ConstraintViolation, "Constraint violation. Uniqueness violation."},
		{547, apierror.ConstraintViolation, "Constraint violation. Foreign key or check constraint violation."},
		{515, apierror.ConstraintViolation, "Constraint violation. Not-NULL violation."},
		{8152, apierror.DataException, "Data exception. String data, right truncated."},
		{2628, apierror.DataException, "Data exception. String data, right truncated."},
		{245, apierror.DataException, "Data exception. Invalid character value for cast specification."},
		{241, apierror.DataException, "Data exception. Invalid datetime format."},
		{8114, apierror.DataException, "Data exception. Invalid character value for cast specification."},
		{8115, apierror.DataException, "Data exception. Numeric value out of range."},
		{8134, apierror.DataException, "Data exception. Division by zero."},
		{191, apierror.ValidationFailed, "The statement is too large or too deep for the database."},
		{8003, apierror.ValidationFailed, "The statement is too large or too deep for the database."},
		{8623, apierror.ValidationFailed, "The statement is too large or too deep for the database."},
		{8632, apierror.ValidationFailed, "The statement is too large or too deep for the database."},
		{235, apierror.DataException, "Data exception. Invalid character value for cast specification."},
		{9402, apierror.DataException, "Data exception. Invalid XML."},
		{201, apierror.ValidationFailed, "A parameter of the procedure has neither a value nor a default."},
		{229, apierror.PermissionDenied, "Access to an object is denied."},
		{262, apierror.PermissionDenied, "Access to an object is denied."},
		{468, apierror.NotSupported, "Texts of different collations can't be compared."},
		{701, apierror.Busy, "the database has no resources left for the statement"},
		{40501, apierror.Busy, "the database has no resources left for the statement"},
		{208, apierror.Unexpected, "database query error"},
		{50000, apierror.Unexpected, "database query error"},
		{1222, apierror.Busy, "the rows are locked by another transaction"},
	} {
		number = e.number
		_, err := c.ExecContext(t.Context(), "UPDATE secrets")
		requireCode(t, queryError(t.Context(), err, executed{SQL: "UPDATE secrets", Session: role("clerk")}), e.code, e.message)
		shown := queryError(t.Context(), err, executed{SQL: "UPDATE secrets", Session: role("admin")})
		require.ErrorContains(t, shown, e.message)
		if e.code == apierror.DataException || e.code == apierror.ConstraintViolation {
			require.ErrorContains(t, shown, driverPrefix+"A row of [secrets] says 42.")
		}
	}
	for n, conflict := range map[int]backend.Conflict{1205: backend.Deadlock, 3960: backend.Serialization, 3961: backend.Serialization, 547: backend.NoConflict} {
		number = n
		require.Equal(t, conflict, backend.ConflictOf(c.exec(t.Context(), "UPDATE secrets")), n)
	}
}

// requireCode checks the code and the message of an error.
func requireCode(t testing.TB, err error, code apierror.Code, message string) {
	t.Helper()
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, code, e.Code, "%v", e.Internal)
	require.Equal(t, message, e.Message)
}
