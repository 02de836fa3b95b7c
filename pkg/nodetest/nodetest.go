// Package nodetest runs programs for Node.js in tests: the clients and checkers that others
// wrote for what we speak.
//
// What npm installs stays in the user's cache directory, so that a package is installed once and not for each test.
package nodetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// installLimit bounds the download of packages.
const installLimit = 5 * time.Minute

// oldest is the first major version of Node.js that the packages of tests run on. Where the machine has an older one, npm installs
// the program of newer.
const (
	oldest = 20
	newer  = "22.23.5"
)

var major = regexp.MustCompile(`^v(\d+)\.`)

// installing serializes the installations of a test binary. Those of several binaries don't disturb each other.
var installing sync.Mutex

// Install copies a directory with a package.json and its lock file, and gives the copy the
// packages. Install skips the test if npm can't install them.
func Install(t testing.TB, directory string) string {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		content, err := os.ReadFile(filepath.Join(directory, name))
		if err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
			continue
		}
		files[name] = content
	}
	packages := installed(t, files, "ci")
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, source{os.DirFS(directory)}))
	require.NoError(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(copied, "node_modules")))
	return copied
}

// installed is a directory of the cache with some files and the packages that npm installs by them.
func installed(t testing.TB, files map[string][]byte, command ...string) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("npm is not installed: %v", err)
	}
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	cache = filepath.Join(cache, "query-engine-tests")
	require.NoError(t, os.MkdirAll(cache, 0o755))
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%q %q", files, command) // in the order of the names; never fails
	directory := filepath.Join(cache, hex.EncodeToString(sum.Sum(nil)[:16]))

	installing.Lock()
	defer installing.Unlock()
	if _, err := os.Stat(directory); err == nil {
		return directory
	}
	making, err := os.MkdirTemp(cache, "new-")
	require.NoError(t, err)
	defer os.RemoveAll(making)
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(making, name), content, 0o600))
	}
	ctx, cancel := context.WithTimeout(t.Context(), installLimit)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", append(command, "--ignore-scripts", "--no-audit", "--no-fund")...)
	npm.Dir = making
	if output, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm can't install the packages: %v\n%s", err, output)
	}
	if err := os.Rename(making, directory); err != nil {
		require.DirExists(t, directory, "another test binary was first, or: %v", err)
	}
	return directory
}

// Program is a Node.js of version 20 or later: that of the machine, or one that npm installs, also where ENGINE_TEST_NODE is newer. The
// test is skipped without one.
func Program(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("node is not installed: %v", err)
	}
	version, err := exec.CommandContext(t.Context(), program, "--version").Output()
	require.NoError(t, err)
	if m := major.FindSubmatch(version); m != nil && os.Getenv("ENGINE_TEST_NODE") != "newer" {
		if n, _ := strconv.Atoi(string(m[1])); n >= oldest {
			return program
		}
	}
	architecture := map[string]string{"linux/amd64": "linux-x64", "linux/arm64": "linux-arm64"}[runtime.GOOS+"/"+runtime.GOARCH]
	if architecture == "" {
		t.Skipf("node is %s, and has to be %d or later", bytes.TrimSpace(version), oldest)
	}
	name := "node-" + architecture
	directory := installed(t, map[string][]byte{"package.json": []byte(`{"private": true}`)}, "install", name+"@"+newer)
	return filepath.Join(directory, "node_modules", name, "bin", "node")
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
	c := exec.CommandContext(t.Context(), Program(t), arguments...)
	var faults bytes.Buffer
	c.Dir, c.Stdin, c.Stderr = directory, stdin, &faults
	output, err := c.Output()
	require.NoError(t, err, "%s%s", output, faults.String())
	return output
}
