// Package nodetest runs programs for Node.js in tests: the clients and checkers that others
// wrote for what we speak.
package nodetest

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// installLimit bounds the download of packages.
const installLimit = 2 * time.Minute

// Install copies a directory with a package.json and its lock file, and installs the packages
// into the copy. The test is skipped where they can't be had.
func Install(t testing.TB, directory string) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the packages of %s need %s: %v", directory, program, err)
		}
	}
	installed := t.TempDir()
	require.NoError(t, os.CopyFS(installed, source{os.DirFS(directory)}))
	ctx, cancel := context.WithTimeout(t.Context(), installLimit)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = installed
	if output, err := install.CombinedOutput(); err != nil {
		t.Skipf("npm can't install the packages of %s: %v\n%s", directory, err, output)
	}
	return installed
}

// source is a directory without the packages that are installed in it.
type source struct{ fs.FS }

func (s source) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "node_modules" }), err
}

// Run runs node with the arguments in a directory and returns what it prints. The test fails
// when the program does.
func Run(t testing.TB, directory string, stdin io.Reader, arguments ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), "node", arguments...)
	var faults bytes.Buffer
	c.Dir, c.Stdin, c.Stderr = directory, stdin, &faults
	output, err := c.Output()
	require.NoError(t, err, "%s%s", output, faults.String())
	return output
}
