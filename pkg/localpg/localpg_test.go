package localpg_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/localpg"
)

func TestServerKeepsItsData(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	require.NoError(t, localpg.Ensure(ctx, func(string) {}))

	// A directory that only its owner may enter, as root's home directory is.
	parent := filepath.Join(t.TempDir(), "private")
	require.NoError(t, os.Mkdir(parent, 0o700))
	config := localpg.Config{Dir: filepath.Join(parent, "pg")}

	s, err := localpg.Start(ctx, config)
	require.NoError(t, err)
	exec(t, s, `CREATE TABLE kept (id int)`)
	require.NoError(t, s.Stop(ctx))
	require.NoError(t, s.Stop(ctx), "a second Stop")
	<-s.Done()

	s, err = localpg.Start(ctx, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Stop(context.WithoutCancel(ctx))) }()
	exec(t, s, `INSERT INTO kept VALUES (1)`)

	_, err = localpg.Start(ctx, config)
	require.ErrorContains(t, err, "in use by another process", "two servers on one directory")
}

func TestServerNeedsItsPassword(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	require.NoError(t, localpg.Ensure(ctx, func(string) {}))
	s, err := localpg.Start(ctx, localpg.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Stop(context.WithoutCancel(ctx))) }()

	c, err := pgx.ParseConfig(s.URL("postgres"))
	require.NoError(t, err)
	c.Password = "another"
	_, err = pgx.ConnectConfig(ctx, c)
	require.ErrorContains(t, err, "password authentication failed")
}

// TestClustersOfATemplate: each is one of its own, with the password of the template, which stays as it was.
func TestClustersOfATemplate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	require.NoError(t, localpg.Ensure(ctx, func(string) {}))
	template := filepath.Join(t.TempDir(), "private") // whose directory only its owner may enter
	require.NoError(t, localpg.Prepare(ctx, localpg.Config{Dir: template}))
	before, err := os.ReadFile(filepath.Join(template, "data", "global", "pg_control"))
	require.NoError(t, err)

	var passwords []string
	for range 2 {
		s, err := localpg.Start(ctx, localpg.Config{Dir: t.TempDir(), Template: template})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Stop(context.WithoutCancel(ctx))) }()
		exec(t, s, `CREATE TABLE own (id int)`)
		c, err := pgx.ParseConfig(s.URL("postgres"))
		require.NoError(t, err)
		passwords = append(passwords, c.Password)
		c.Password = "another"
		_, err = pgx.ConnectConfig(ctx, c)
		require.ErrorContains(t, err, "password authentication failed")
	}
	require.Equal(t, passwords[0], passwords[1])
	require.NotEmpty(t, passwords[0])
	after, err := os.ReadFile(filepath.Join(template, "data", "global", "pg_control"))
	require.NoError(t, err)
	require.Equal(t, before, after)
	_, err = localpg.Start(ctx, localpg.Config{Dir: t.TempDir(), Template: t.TempDir()})
	require.ErrorIs(t, err, os.ErrNotExist, "a template that isn't there")
}

func TestStopWithoutPatience(t *testing.T) {
	t.Parallel()
	require.NoError(t, localpg.Ensure(t.Context(), func(string) {}))
	s, err := localpg.Start(t.Context(), localpg.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Stop(ctx), context.Canceled)
	<-s.Done()
}

func TestFindBinariesOfAnotherVersion(t *testing.T) {
	t.Parallel()
	_, err := localpg.FindBinaries(t.Context(), 1)
	require.ErrorIs(t, err, localpg.ErrNoBinaries)
}

func exec(t *testing.T, s *localpg.Server, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL("postgres"))
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

func TestStandbyFollowsAndIsPromoted(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	require.NoError(t, localpg.Ensure(ctx, func(string) {}))
	primary, err := localpg.Start(ctx, localpg.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, primary.Stop(context.WithoutCancel(ctx))) }()
	exec(t, primary, `CREATE TABLE kept (id int); INSERT INTO kept VALUES (1)`)
	standby, err := primary.Standby(ctx, localpg.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, standby.Stop(context.WithoutCancel(ctx))) }()
	exec(t, standby, `DO $$ BEGIN ASSERT pg_is_in_recovery() AND (SELECT count(*) FROM kept) = 1; END $$`)
	exec(t, standby, `SELECT pg_promote()`)
	exec(t, standby, `INSERT INTO kept VALUES (2)`)
}
