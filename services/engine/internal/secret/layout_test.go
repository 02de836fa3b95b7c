package secret_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine/internal/secret"
)

// contents are the files below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = strings.TrimSpace(string(text))
		return err
	}))
	return all
}

func TestInit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, secret.Init(dir, "", secret.DefaultHosts))
	first := contents(t, dir)
	require.NoError(t, secret.Init(dir, "", secret.DefaultHosts))
	require.Equal(t, first, contents(t, dir), "a second time changes nothing")

	// Lost files of a container are made again from the kept ones.
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "metadata")))
	require.NoError(t, secret.Init(dir, "", secret.DefaultHosts))
	require.Equal(t, first, contents(t, dir))

	// No container has the secrets of another.
	require.Equal(t, first["all/admin-secret"], first["gateway/admin-secret"])
	for file, text := range first {
		holder, _, _ := strings.Cut(file, "/")
		for name, value := range first {
			kept, isKept := strings.CutPrefix(name, "all/")
			if !isKept || holder == "all" || !strings.Contains(text, value) {
				continue
			}
			allowed := map[string]bool{
				"gateway": kept == "admin-secret" || kept == "metrics-secret", "nats": strings.HasPrefix(kept, "nats-"),
				"postgres": kept == "postgres-password" || kept == "engine-password",
				"sample":   kept == "admin-secret" || kept == "engine-password",
			}[holder] || kept == "metadata-key" && holder != "nats" && holder != "postgres" && holder != "sample" || kept == "nats-"+holder ||
				kept == "engine-password" && holder != "gateway" && holder != "nats"
			require.True(t, allowed, "%s holds %s", file, kept)
		}
	}

	require.NoError(t, secret.Init(dir, "given by somebody", secret.DefaultHosts))
	text, err := secret.Show(dir, secret.AdminSecret)
	require.NoError(t, err)
	require.Equal(t, "given by somebody", text)
	require.Equal(t, "given by somebody", contents(t, dir)["gateway/admin-secret"])
	_, err = secret.Show(dir, "../gateway/nats-url")
	require.Error(t, err)
	_, err = secret.Show(dir, "none")
	require.EqualError(t, err, `there is no secret "none"`)
}

// TestConfigurationOfNATSReadsThePasswords lays the files out as the container has them.
func TestConfigurationOfNATSReadsThePasswords(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(root, "etc", "nats", "engine"), os.DirFS(filepath.Join("..", "..", "..", "..", "deploy", "nats"))))
	require.NoError(t, secret.Init(filepath.Join(root, "run", "secrets"), "", secret.DefaultHosts))
	o, err := server.ProcessConfigFile(filepath.Join(root, "etc", "nats", "engine", "compose.conf"))
	require.NoError(t, err)
	passwords := map[string]string{}
	for _, u := range o.Users {
		passwords[u.Username] = u.Password
		require.True(t, u.Username == "operator" || u.Permissions != nil, u.Username)
	}
	require.Len(t, passwords, 8)
	address := contents(t, root)["run/secrets/gateway/nats-url"]
	require.Equal(t, "nats://gateway:"+passwords["gateway"]+"@nats:4222", address)
}
