package inventory

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/testlong"
)

// TestModulePath gives a copy of the project another path, twice, and holds that all imports are found. The long test builds
// the copy, too.
func TestModulePath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(in, script string) string {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", "set -euo pipefail\n"+script)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "COPY="+dir, "GIT_CONFIG_GLOBAL=/dev/null")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	run(filepath.Join("..", "..", "..", ".."), `git ls-files -z | tar --null -T - --ignore-failed-read -cf - | tar -xf - -C "$COPY"`)
	run(dir, "git init -q . && git add -A")
	for _, path := range []string{"example.com/you/queryengine", "git.example.org/other"} {
		require.Contains(t, run(dir, "scripts/module-path "+path), path+"/services/engine")
		require.Contains(t, run(dir, "go list ./services/engine"), path+"/services/engine")
		require.Empty(t, run(dir, `git grep -lE '["[:space:]]queryengine/(pkg|services)' -- '*.go' '*.mod' || true`))
		run(dir, "go test -vet=off ./pkg/testreport") // has the path in data
	}
	const modules = "./pkg/... ./services/engine/... ./services/gateway/... ./services/metadata/... ./services/query-executor/... ./services/event-delivery/... ./services/scheduler/..."
	require.Empty(t, run(dir, `go list -e -test -deps -f '{{with .Error}}{{.}}{{end}}' `+modules+` | grep . || true`))
	if testlong.Long() {
		run(dir, "go build -o bin/ ./services/engine/cmd/engine && bin/engine version")
	}
}
