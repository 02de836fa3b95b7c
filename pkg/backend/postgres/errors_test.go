package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/wire"
)

func TestQueryErrorByState(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]apierror.Error{
		"23001": {Code: apierror.ConstraintViolation, Message: "Can not delete or update due to data being referred. m", Status: 400},
		"23502": {Code: apierror.ConstraintViolation, Message: "Not-NULL violation. m", Status: 400},
		"23503": {Code: apierror.ConstraintViolation, Message: "Foreign key violation. m", Status: 400},
		"23505": {Code: apierror.ConstraintViolation, Message: "Uniqueness violation. m", Status: 400},
		"23514": {Code: apierror.PermissionError, Message: "Check constraint violation. m", Status: 400},
		"44000": {Code: apierror.PermissionError, Message: "Check constraint violation. m", Status: 400},
		"23P01": {Code: apierror.ConstraintViolation, Message: "Exclusion violation. m", Status: 400},
		"23000": {Code: apierror.ConstraintViolation, Message: "m", Status: 400},
		"22025": {Code: apierror.BadRequest, Message: "m", Status: 400},
		"22P02": {Code: apierror.DataException, Message: "m", Status: 400},
		"42704": {Code: apierror.ConstraintError, Message: "m", Status: 400},
		"42P10": {Code: apierror.ConstraintError, Message: "there is no unique or exclusion constraint on target column(s)", Status: 400},
		"40001": {Code: apierror.Unexpected, Message: "database query error", Status: 500},
		"P0001": {Code: apierror.Unexpected, Message: "database query error", Status: 500},
		"57014": {Code: apierror.Unexpected, Message: "database query error", Status: 500},
		"57P01": {Code: apierror.PostgresError, Message: "connection error", Status: 500},
		"53300": {Code: apierror.PostgresMaxConns, Message: "max connections reached on postgres", Status: 500},
	} {
		got := wire.QueryError(t.Context(), &pgconn.PgError{Code: state, Message: "m"}, wire.Executed{})
		e := apierror.From(got)
		e.Internal = nil
		want.Path = "$"
		require.Equal(t, want, *e, state)
	}
}

func TestQueryErrorDetail(t *testing.T) {
	t.Parallel()
	err := wire.QueryError(t.Context(), &pgconn.PgError{Code: "P0001", Message: "no", Detail: "d", Hint: "h"},
		wire.Executed{SQL: "SELECT $1, $2", Args: [][]byte{[]byte("x"), nil}, Prepared: true})
	require.Equal(t, `{"statement":"SELECT $1, $2","prepared":true,`+
		`"error":{"exec_status":"FatalError","hint":"h","message":"no","status_code":"P0001","description":"d"},`+
		`"arguments":["x",null]}`, string(apierror.From(err).InternalJSON()))
}

func TestInternalError(t *testing.T) {
	t.Parallel()
	state := func(code string) error { return &pgconn.PgError{Code: code, Message: "m"} }
	requireError(t, wire.InternalError(t.Context(), state("40001"), wire.Executed{}),
		apierror.ConcurrentUpdate, "serialization failure due to concurrent update")
	requireError(t, wire.InternalError(t.Context(), state("40P01"), wire.Executed{}), apierror.ConcurrentUpdate, "m")
	requireError(t, wire.InternalError(t.Context(), state("23505"), wire.Executed{}), apierror.Unexpected, "database query error")
}

func TestErrorsThatAreNotTheStatements(t *testing.T) {
	t.Parallel()
	require.NoError(t, wire.QueryError(t.Context(), nil, wire.Executed{}))

	own := apierror.New(apierror.NotFound, "x")
	require.Same(t, own, wire.QueryError(t.Context(), own, wire.Executed{}))

	requireError(t, wire.QueryError(t.Context(), errors.New("broken pipe"), wire.Executed{}), apierror.PostgresError, "connection error")

	reason := errors.New("client left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	err := wire.QueryError(ctx, &pgconn.PgError{Code: "57014"}, wire.Executed{})
	require.ErrorIs(t, err, reason)
	require.ErrorIs(t, err, context.Canceled)
	requireError(t, wire.QueryError(ctx, &pgconn.PgError{Code: "23505", Message: "m"}, wire.Executed{}),
		apierror.ConstraintViolation, "Uniqueness violation. m")

	expired, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	requireError(t, wire.QueryError(expired, expired.Err(), wire.Executed{}), apierror.Timeout,
		"the database did not answer within the time limit")
}

func TestErrorsOfARealServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `
		CREATE TABLE artist (id int PRIMARY KEY, name text NOT NULL CHECK (name <> ''));
		CREATE TABLE album (id int PRIMARY KEY, artist_id int REFERENCES artist);
		INSERT INTO artist VALUES (1, 'Kim');
		INSERT INTO album VALUES (1, 1)`, nil)
	c, err := f.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	defer c.Release()
	for sql, message := range map[string]string{
		"INSERT INTO artist VALUES (1, 'x')":  `Uniqueness violation. duplicate key value violates unique constraint "artist_pkey"`,
		"INSERT INTO artist VALUES (2, NULL)": `Not-NULL violation. null value in column "name" of relation "artist" violates not-null constraint`,
		"INSERT INTO artist VALUES (2, '')":   `Check constraint violation. new row for relation "artist" violates check constraint "artist_name_check"`,
		"DELETE FROM artist":                  `Foreign key violation. update or delete on table "artist" violates foreign key constraint "album_artist_id_fkey" on table "album"`,
		"SELECT 'abc'::int":                   `invalid input syntax for type integer: "abc"`,
		"SELECT 1 OFFSET -1":                  `OFFSET must not be negative`,
		"SELECT 'ab' LIKE 'a\\'":              `LIKE pattern must not end with escape character`,

		"INSERT INTO artist VALUES (1, 'x') ON CONFLICT (name) DO NOTHING":           `there is no unique or exclusion constraint on target column(s)`,
		"INSERT INTO artist VALUES (1, 'x') ON CONFLICT ON CONSTRAINT no DO NOTHING": `constraint "no" for table "artist" does not exist`,
		"SELECT * FROM nothing": "database query error",
	} {
		err := wire.QueryError(t.Context(), c.PG.Exec(t.Context(), sql).Close(), wire.Executed{SQL: sql})
		require.Error(t, err, sql)
		require.Equal(t, message, apierror.From(err).Message, sql)
	}
}

func TestDetailIsJSON(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(wire.DetailOf(&pgconn.PgError{Message: "m", Code: "c"}, wire.Executed{SQL: "s"}))
	require.NoError(t, err)
	require.JSONEq(t, `{"statement": "s", "prepared": false, "arguments": [],
		"error": {"exec_status": "FatalError", "hint": null, "message": "m", "status_code": "c", "description": null}}`, string(b))
}
