package localpg

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// users are the candidates that the server runs as when this process is root, first found first.
var users = []string{"postgres", "nobody"}

// inherited is the directory as a child of root sees it: as an open file, so that the
// other user needs no rights on the directories above it (a home directory of root).
const inherited = "/proc/self/fd/3"

// runner starts PostgreSQL's programs in one directory, as a user they accept.
type runner struct {
	dir        string
	credential *syscall.Credential // nil: as this process
	open       *os.File            // dir, when credential is set
}

func newRunner(dir string) (*runner, error) {
	r := &runner{dir: dir}
	if os.Geteuid() != 0 {
		return r, nil
	}
	for _, name := range users {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32) // numbers on Linux
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		r.credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), Groups: []uint32{}}
		break
	}
	if r.credential == nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root, and there is none of the users %v to run it as", users)
	}
	if err := r.own(dir); err != nil {
		return nil, err
	}
	var err error
	r.open, err = os.Open(dir)
	return r, err
}

func (r *runner) close() {
	if r.open != nil {
		_ = r.open.Close()
	}
}

// own gives a file to the user that the server runs as.
func (r *runner) own(path string) error {
	if r.credential == nil {
		return nil
	}
	return os.Lchown(path, int(r.credential.Uid), int(r.credential.Gid))
}

// path is the name under which a started program finds a file of the directory.
func (r *runner) path(name string) string {
	if r.open == nil {
		return filepath.Join(r.dir, name)
	}
	return inherited + "/" + name
}

func (r *runner) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	if r.open != nil {
		cmd.ExtraFiles = []*os.File{r.open}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: r.credential,
		// Ctrl-C on the terminal is for the program that owns the server, which then
		// stops it in its turn.
		Setpgid:   true,
		Pdeathsig: syscall.SIGQUIT,
	}
	return cmd
}

// FreeSpace is how many bytes are free in a directory, 0 where that isn't known.
func FreeSpace(dir string) uint64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0
	}
	return s.Bavail * uint64(s.Bsize) //nolint:gosec // positive
}
