//go:build !linux

package localpg

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// runner starts PostgreSQL's programs in one directory.
type runner struct{ dir string }

func newRunner(dir string) (*runner, error) {
	if os.Geteuid() == 0 {
		return nil, errors.New("PostgreSQL does not run as root; run this as an ordinary user")
	}
	return &runner{dir: dir}, nil
}

func (*runner) close() {}

func (*runner) own(string) error { return nil }

func (r *runner) path(name string) string { return filepath.Join(r.dir, name) }

func (*runner) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...)
}

// FreeSpace is how many bytes are free in a directory, 0 where that isn't known.
func FreeSpace(string) uint64 { return 0 }
