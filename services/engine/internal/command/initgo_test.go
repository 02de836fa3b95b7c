package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestModulesOfProjects: whatever the name of a project's directory, Go accepts that of its module.
func TestModulesOfProjects(t *testing.T) {
	t.Parallel()
	source, err := filepath.Abs("../../../..")
	require.NoError(t, err)
	for name, want := range map[string]string{
		"shop": "shop", "läden": "l-den", "ä": "engine", "-shop-": "shop", ".shop.": "shop", "my  shop": "my-shop", "a.-ä.b": "a.--.b", "shop~1": "shop-1",
		"fmt": "fmt", "con": "engine", "LPT1.x": "engine", "com": "com",
	} {
		dir := filepath.Join(t.TempDir(), name)
		s := newShell(t, nil)
		require.Equal(t, 0, s.Run(t.Context(), []string{"init", "--go=" + dir, "--engine", source}), s.errs.String())
		require.FileExists(t, filepath.Join(dir, ".dockerignore"))
		cmd := exec.Command("go", "list", "-f", "{{.ImportPath}}", ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
		cmd.Stderr = &s.errs
		got, err := cmd.Output()
		require.NoError(t, err, s.errs.String())
		require.Equal(t, "example.com/"+want+"\n", string(got), name)
	}
}
