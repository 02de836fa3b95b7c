package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestRelease holds .goreleaser.yaml to the programs that there are.
func TestRelease(t *testing.T) {
	t.Parallel()
	var release struct {
		Builds []struct {
			ID, Main, Dir, Binary string
			Env, Ldflags          []string
			Goos, Goarch          []string
		}
		Archives []struct {
			IDs   []string `json:"ids"`
			Files []struct{ Src string }
		}
		Checksum struct{ Algorithm string }
		Sboms    []struct{ Artifacts string }
	}
	text, err := os.ReadFile(filepath.Join("..", ".goreleaser.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &release))
	var built, packed []string
	for _, b := range release.Builds {
		built = append(built, b.ID)
		require.Equal(t, b.ID, b.Binary)
		require.DirExists(t, filepath.Join("..", b.Dir, b.Main))
		require.Contains(t, b.Env, "CGO_ENABLED=0")
		require.Equal(t, []string{"linux", "darwin"}, b.Goos)
		require.Equal(t, []string{"amd64", "arm64"}, b.Goarch)
		require.Contains(t, b.Ldflags[0], "queryengine/pkg/service.Version=")
	}
	require.ElementsMatch(t, []string{"engine", "gateway", "metadata", "query-executor", "event-delivery", "scheduler"}, built)
	for _, a := range release.Archives {
		packed = append(packed, a.IDs...)
		for _, f := range a.Files {
			files, err := filepath.Glob(filepath.Join("..", f.Src))
			require.NoError(t, err)
			require.NotEmpty(t, files, f.Src)
		}
	}
	require.ElementsMatch(t, built, packed, "each program is in one archive")
	require.Equal(t, "sha256", release.Checksum.Algorithm)
	require.Equal(t, "binary", release.Sboms[0].Artifacts)
}

// TestVersions: programs, chart, manifests and the newest release of the changelog are of one version.
func TestVersions(t *testing.T) {
	t.Parallel()
	read := func(elements ...string) string {
		text, err := os.ReadFile(filepath.Join(elements...))
		require.NoError(t, err)
		return string(text)
	}
	found := regexp.MustCompile(`var Version = "(\d+\.\d+\.\d+)"`).FindStringSubmatch(read("..", "pkg", "service", "service.go"))
	require.NotNil(t, found)
	version := regexp.QuoteMeta(found[1])
	require.Regexp(t, `(?m)^version: `+version+`$`, read("helm", "query-engine", "Chart.yaml"))
	require.Regexp(t, `(?m)^appVersion: `+version+`$`, read("helm", "query-engine", "Chart.yaml"))
	tags := regexp.MustCompile(`newTag: ([^}]+)`).FindAllStringSubmatch(read("kubernetes", "kustomization.yaml"), -1)
	require.Len(t, tags, 5)
	for _, tag := range tags {
		require.Equal(t, found[1], tag[1])
	}
	releases := regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(read("..", "CHANGELOG.md"), -1)
	require.Greater(t, len(releases), 1)
	require.Equal(t, "Unreleased", releases[0][1])
	require.Regexp(t, `^`+version+` - \d{4}-\d\d-\d\d$`, releases[1][1])
}
