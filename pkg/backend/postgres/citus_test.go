package postgres

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/ir"
)

// TestCitusErrors holds that errors name tables and constraints, and not parts of them, and that refusals have their reason.
func TestCitusErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err     pgconn.PgError
		code    apierror.Code
		message string
	}{
		{
			pgconn.PgError{Code: "23505", Message: `duplicate key value violates unique constraint "customer_pkey_102019"`},
			apierror.ConstraintViolation, `Uniqueness violation. duplicate key value violates unique constraint "customer_pkey"`,
		},
		{
			pgconn.PgError{Code: "23503", Message: `insert or update on table "customer_102020" violates foreign key constraint "customer_fk_102020"`},
			apierror.ConstraintViolation, `Foreign key violation. insert or update on table "customer" violates foreign key constraint "customer_fk"`,
		},
		{
			pgconn.PgError{Code: "23505", Message: `duplicate key value violates unique constraint "sales_2026"`},
			apierror.ConstraintViolation, `Uniqueness violation. duplicate key value violates unique constraint "sales_2026"`,
		},
		{pgconn.PgError{Code: "0A000", Message: "cannot push down this subquery"}, apierror.NotSupported, "cannot push down this subquery"},
		{
			pgconn.PgError{Code: "XX000", Message: "the query contains a join that requires repartitioning", Hint: "Set citus.enable_repartition_joins to on"},
			apierror.NotSupported, "the query contains a join that requires repartitioning",
		},
		{pgconn.PgError{Code: "XX000", Message: "no matching oid for function: max"}, apierror.NotSupported, "no matching oid for function: max"},
		{
			pgconn.PgError{Code: "42P01", Message: `relation "public.setting" does not exist`, Where: "while executing command on 10.0.0.2:5432"},
			apierror.NotSupported, `relation "public.setting" does not exist`,
		},
		{pgconn.PgError{Code: "42P01", Message: `relation "public.setting" does not exist`}, apierror.Unexpected, "database query error"},
		{pgconn.PgError{Code: "XX000", Message: "broken"}, apierror.Unexpected, "database query error"},
	} {
		requireError(t, wire.QueryError(t.Context(), &c.err, wire.Executed{Distributed: true}), c.code, c.message)
	}
	plain := wire.QueryError(t.Context(), &pgconn.PgError{Code: "23505", Message: `constraint "a_102019"`}, wire.Executed{})
	requireError(t, plain, apierror.ConstraintViolation, `Uniqueness violation. constraint "a_102019"`)
}

// TestCitusRoutes holds that a query with a filter on the distribution column goes to one node, with all that is related.
func TestCitusRoutes(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), dbtest.CitusURL(t, `CREATE TABLE shop (id int PRIMARY KEY, name text);
CREATE TABLE item (shop int, id int, PRIMARY KEY (shop, id));
SELECT create_distributed_table('shop', 'id');
SELECT create_distributed_table('item', 'shop', colocate_with => 'shop')`))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	explained := func(name string, where ir.BoolExp, execute string) string {
		rows := table("shop")
		rows.Where = where
		st, err := citus.dialect.RenderQuery(&ir.Select{Rows: rows, Fields: []ir.Field{
			nameField, many("items", pair("id", "shop"), table("item"), field("id", int4Type)),
		}}, backend.RenderOptions{})
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), "PREPARE "+name+" AS "+st.SQL())
		require.NoError(t, err)
		plan, err := conn.Query(t.Context(), "EXPLAIN EXECUTE "+execute)
		require.NoError(t, err)
		lines, err := pgx.CollectRows(plan, pgx.RowTo[string])
		require.NoError(t, err)
		return strings.Join(lines, "\n")
	}
	require.Contains(t, explained("one", equals("id", int4Type, ir.Variable{Index: 0, Type: int4Type}), "one(7)"), "Task Count: 1")
	require.Contains(t, explained("each", nil, "each"), "Task Count: 4")
}

// TestCitusExtension holds that what belongs to the extension isn't among what there is to track.
func TestCitusExtension(t *testing.T) {
	t.Parallel()
	source := citus.database(t, dbtest.CitusURL(t, `CREATE TABLE shop (id int PRIMARY KEY)`)).Source
	found, err := source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, found.Tables, 1)
	require.Contains(t, found.Tables, catalog.Name{Schema: "public", Name: "shop"})
	require.Empty(t, found.Functions)
}
