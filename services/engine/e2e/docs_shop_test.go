package e2e

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/services/engine/sample"
)

// shop is a database with the tables of the sample, and its owner.
type shop struct {
	t         *testing.T
	name      string
	ownerURL  string
	engineURL string // of the role that the page makes
}

// shopRoles are the roles that the page makes; they belong to the server.
var shopRoles = []string{"shop_engine", "shop_import"}

// shopInUse is held by the page that uses the roles.
var shopInUse sync.Mutex

func newShop(t *testing.T) *shop {
	t.Helper()
	shopInUse.Lock()
	t.Cleanup(shopInUse.Unlock)
	server := dbtest.URL(t)
	dropRoles := func() {
		for _, role := range shopRoles {
			executeAlone(t, server, "DROP ROLE IF EXISTS "+role)
		}
	}
	t.Cleanup(dropRoles) // after the database is dropped, which comes first
	dropRoles()
	s := &shop{t: t, ownerURL: dbtest.URL(t)}
	u, err := url.Parse(s.ownerURL)
	require.NoError(t, err)
	s.name = strings.TrimPrefix(u.Path, "/")
	u.User = url.UserPassword("shop_engine", "a password of its own")
	s.engineURL = u.String()
	require.NoError(t, sample.Load(t.Context(), s.ownerURL, sample.Small))
	return s
}

// executeAlone is execute for clean-ups, when the context of the test has ended.
func executeAlone(t *testing.T, url, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	require.NoError(t, err)
}

// execute runs statements of a page, where the database is called shop, and returns the rows of the last
// one as JSON.
func (s *shop) execute(sql string) []byte {
	s.t.Helper()
	conn, err := pgconn.Connect(s.t.Context(), s.ownerURL)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, conn.Close(s.t.Context())) }()
	results, err := conn.Exec(s.t.Context(),
		strings.ReplaceAll(sql, "DATABASE shop ", "DATABASE "+pgx.Identifier{s.name}.Sanitize()+" ")).ReadAll()
	require.NoError(s.t, err, sql)
	rows := [][]string{}
	for _, row := range results[len(results)-1].Rows {
		values := make([]string, len(row))
		for i, value := range row {
			values[i] = string(value)
		}
		rows = append(rows, values)
	}
	encoded, err := json.Marshal(rows)
	require.NoError(s.t, err)
	return encoded
}
