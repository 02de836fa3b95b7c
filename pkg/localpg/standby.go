package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Standby makes a physical standby server of a running one in a directory that has none yet, and starts it. Its
// superuser has the same password. It takes queries, and becomes a primary by pg_promote().
func (s *Server) Standby(ctx context.Context, c Config) (*Server, error) {
	if err := s.copyTo(ctx, c); err != nil {
		return nil, err
	}
	return Start(ctx, c)
}

// copyTo makes a copy that follows the server.
func (s *Server) copyTo(ctx context.Context, c Config) (err error) {
	r, lock, err := c.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	defer r.close()
	bin, err := FindBinaries(ctx, clusterVersion(s.dir))
	if err != nil {
		return err
	}
	server, err := filepath.EvalSymlinks(filepath.Join(bin.Dir, "postgres")) // of which alone there may be a link on PATH
	if err != nil {
		return err
	}
	cmd := r.command(ctx, filepath.Join(filepath.Dir(server), "pg_basebackup"), "--pgdata="+r.path(dataName), "--write-recovery-conf",
		"--checkpoint=fast", "--no-sync", "--dbname="+s.URL(superuser))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w\n%s", err, out)
	}
	password := filepath.Join(r.dir, passwordName)
	if err := os.WriteFile(password, []byte(s.password+"\n"), 0o600); err != nil {
		return err
	}
	return r.own(password)
}
