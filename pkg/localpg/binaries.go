package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// ErrNoBinaries reports that this machine has no PostgreSQL server, and how to get one.
var ErrNoBinaries = errors.New("no PostgreSQL server binaries found; install them with: apt-get install postgresql")

// places are where distributions keep the server's binaries, off PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/usr/local/pgsql/bin",
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// Binaries is a directory with initdb and postgres of one major version.
type Binaries struct {
	Dir   string
	Major int
}

// FindBinaries returns the newest server on PATH or in the places where distributions put
// it. A major version other than 0 asks for exactly that one.
func FindBinaries(ctx context.Context, major int) (Binaries, error) {
	var dirs []string
	if p, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(p))
	}
	for _, pattern := range places {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		dirs = append(dirs, found...)
	}
	best := Binaries{}
	for _, dir := range dirs {
		b, ok := probe(ctx, dir)
		if ok && b.Major > best.Major && (major == 0 || b.Major == major) {
			best = b
		}
	}
	switch {
	case best.Major > 0:
		return best, nil
	case major > 0:
		return best, fmt.Errorf("%w (the data directory needs version %d)", ErrNoBinaries, major)
	}
	return best, ErrNoBinaries
}

func probe(ctx context.Context, dir string) (Binaries, bool) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return Binaries{}, false
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return Binaries{}, false
	}
	m := versionPattern.FindSubmatch(out)
	if m == nil {
		return Binaries{}, false
	}
	major, err := strconv.Atoi(string(m[1]))
	return Binaries{Dir: dir, Major: major}, err == nil
}

// Ensure makes sure that FindBinaries succeeds: if it does not, and this process is root on a machine
// with apt, it installs the distribution's server and reports that through say. The package's own
// cluster is not created.
func Ensure(ctx context.Context, say func(string)) error {
	if _, err := FindBinaries(ctx, 0); err == nil {
		return nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return ErrNoBinaries
	}
	say("installing PostgreSQL with apt-get")
	// postgresql-common creates and starts a cluster of its own unless a setting prevents that
	// before the server package is configured.
	for _, args := range [][]string{
		{"update", "-q"},
		{"install", "-y", "-q", "--no-install-recommends", "postgresql-common"},
	} {
		if err := runQuietly(ctx, apt, args...); err != nil {
			return err
		}
	}
	const conf = "/etc/postgresql-common/createcluster.d/queryengine.conf"
	if err := os.MkdirAll(filepath.Dir(conf), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(conf, []byte("create_main_cluster = false\n"), 0o644); err != nil { //nolint:gosec // read by dpkg's scripts
		return err
	}
	defer os.Remove(conf)
	if err := runQuietly(ctx, apt, "install", "-y", "-q", "--no-install-recommends", "postgresql"); err != nil {
		return err
	}
	_, err = FindBinaries(ctx, 0)
	return err
}

func runQuietly(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", filepath.Base(name), args, err, out)
	}
	return nil
}
