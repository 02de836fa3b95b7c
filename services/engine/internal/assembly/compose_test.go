package assembly_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"queryengine/pkg/config"
)

// composed is a container of docker-compose.yml, as far as rights are concerned.
type composed struct {
	Image, User string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	CapAdd      []string `yaml:"cap_add"`
	SecurityOpt []string `yaml:"security_opt"`
	NetworkMode string   `yaml:"network_mode"`
	Networks    []string
	Ports       []string
	Environment map[string]string
	Volumes     []string
}

// TestCompose holds docker-compose.yml to the settings of the services, and each container to no
// more rights, networks and secrets than it needs.
func TestCompose(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docker-compose.yml"))
	require.NoError(t, err)
	require.NotContains(t, string(text), ":?", "nothing has to be prepared")
	var file struct {
		Services map[string]composed
		Networks map[string]*struct{ Internal bool }
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	for name, c := range file.Services {
		require.True(t, c.ReadOnly, name)
		require.Equal(t, []string{"ALL"}, c.CapDrop, name)
		require.Equal(t, []string{"no-new-privileges:true"}, c.SecurityOpt, name)
		if name != "setup" && name != "postgres" {
			require.Empty(t, c.CapAdd, name)
		}
		require.True(t, c.NetworkMode == "none" || c.Networks != nil, "%s says which networks it is on", name)
		require.False(t, slices.Contains(c.Networks, "bus") && slices.Contains(c.Networks, "database") &&
			(name == "nats" || name == "postgres" || name == "gateway"), name)
		for _, v := range c.Volumes {
			if from, rest, _ := strings.Cut(v, ":"); strings.HasPrefix(from, "secrets") && name != "setup" {
				require.True(t, strings.HasSuffix(rest, ":ro"), "%s: %s", name, v)
				require.True(t, from == "secrets-"+name || name == "check", "%s: %s", name, v)
			}
		}
	}
	require.True(t, file.Networks["bus"].Internal)
	require.True(t, file.Networks["database"].Internal)
	for name, c := range file.Services {
		require.Equal(t, name == "gateway", len(c.Ports) > 0, name)
	}
	checkProxy(t)
	require.Contains(t, file.Services["gateway"].Ports[0], "127.0.0.1", "others reach it when a setting says so")

	for _, service := range []config.Service{config.Gateway, config.Metadata, config.QueryExecutor, config.EventDelivery, config.Scheduler} {
		c := file.Services[string(service)]
		require.Empty(t, c.User, "that of the image, which is not root")
		for variable := range c.Environment {
			spec := settingOf(strings.TrimSuffix(variable, "_FILE"))
			require.NotNil(t, spec, variable)
			require.Contains(t, spec.Services, service, variable)
			require.Equal(t, spec.Secret, strings.HasSuffix(variable, "_FILE"), "secrets come from files: %s", variable)
		}
		require.NotEmpty(t, c.Environment[config.NATSURL.Spec().Env()+"_FILE"])
		require.NotEmpty(t, c.Environment[config.MetadataKey.Spec().Env()+"_FILE"])
	}
}

// checkProxy holds the file of the proxy before several gateways to the same: it alone has a port,
// and no rights.
func checkProxy(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "deploy", "compose", "proxy.yml"))
	require.NoError(t, err)
	var file struct{ Services map[string]composed }
	require.NoError(t, yaml.Unmarshal(text, &file))
	require.Contains(t, string(text), "ports: !reset []", "of the gateways")
	require.Empty(t, file.Services["gateway"].Ports)
	proxy := file.Services["proxy"]
	require.True(t, proxy.ReadOnly)
	require.Equal(t, []string{"ALL"}, proxy.CapDrop)
	require.Equal(t, []string{"default"}, proxy.Networks)
	require.Len(t, proxy.Ports, 1)
	require.Contains(t, proxy.Ports[0], "127.0.0.1", "others reach it when a setting says so")
}
