package assembly_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"queryengine/pkg/config"
)

// workload is what the manifests of a service have in common, as far as it depends on our code.
type workload struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Template struct {
			Spec struct {
				AutomountServiceAccountToken *bool `yaml:"automountServiceAccountToken"`
				GracePeriod                  int   `yaml:"terminationGracePeriodSeconds"`
				SecurityContext              struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Containers []container
				Spread     []struct {
					LabelSelector struct {
						MatchLabels map[string]string `yaml:"matchLabels"`
					} `yaml:"labelSelector"`
				} `yaml:"topologySpreadConstraints"`
			}
		}
	}
}

type container struct {
	Name, Image string
	Env         []variable
	Lifecycle   struct {
		PreStop struct {
			Sleep struct{ Seconds int }
		} `yaml:"preStop"`
	}
	ReadinessProbe struct {
		HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
	} `yaml:"readinessProbe"`
	SecurityContext struct {
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
		Capabilities             struct{ Drop []string }
	} `yaml:"securityContext"`
}

type variable struct {
	Name, Value string
	ValueFrom   struct {
		SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
	} `yaml:"valueFrom"`
}

// TestKubernetesManifests holds them to the settings of the services: each is given settings that
// it reads, secrets only by reference, and no more rights than it needs.
func TestKubernetesManifests(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "..", "deploy", "kubernetes")
	read := func(name string, into any) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, yaml.NewDecoder(bytes.NewReader(text)).Decode(into))
	}
	var list struct {
		Resources []string
		Images    []image
	}
	read("kustomization.yaml", &list)
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	require.NoError(t, err)
	require.Len(t, files, len(list.Resources)+1, "each file is in the list")

	for _, service := range []config.Service{config.Gateway, config.Metadata, config.QueryExecutor, config.EventDelivery, config.Scheduler} {
		name := string(service)
		require.Contains(t, list.Resources, name+".yaml")
		w := deployment(t, filepath.Join(dir, name+".yaml"))
		require.Equal(t, name, w.Metadata.Name)
		pod := w.Spec.Template.Spec
		require.False(t, *pod.AutomountServiceAccountToken)
		require.True(t, pod.SecurityContext.RunAsNonRoot)
		require.Greater(t, pod.GracePeriod, 60, "the default of graceful-shutdown-timeout")
		require.Len(t, pod.Containers, 1)
		c := pod.Containers[0]
		require.Equal(t, "query-engine/"+name, c.Image)
		require.True(t, slices.ContainsFunc(list.Images, func(i image) bool { return i.Name == c.Image }))
		require.False(t, *c.SecurityContext.AllowPrivilegeEscalation)
		require.True(t, c.SecurityContext.ReadOnlyRootFilesystem)
		require.Equal(t, []string{"ALL"}, c.SecurityContext.Capabilities.Drop)
		want := "/healthz"
		if service == config.Gateway {
			want = "/readyz"
		}
		require.Equal(t, want, c.ReadinessProbe.HTTPGet.Path)
		for _, e := range c.Env {
			spec := settingOf(e.Name)
			require.NotNil(t, spec, e.Name)
			require.Contains(t, spec.Services, service, e.Name)
			if !spec.Secret {
				continue
			}
			require.Empty(t, e.Value, e.Name)
			want := "query-engine-" + name // each service has secrets of its own, but for the databases
			if e.Name == config.DatabaseURL.Spec().Env() || e.Name == config.MetadataDatabaseURL.Spec().Env() {
				want = "query-engine"
			}
			require.Equal(t, want, e.ValueFrom.SecretKeyRef.Name, e.Name)
		}
		require.Len(t, pod.Spread, 2, "nodes and zones")
		for _, spread := range pod.Spread {
			require.Equal(t, name, spread.LabelSelector.MatchLabels["app"])
		}
		if service == config.Gateway {
			require.Positive(t, c.Lifecycle.PreStop.Sleep.Seconds, "connections come after a gateway was stopped")
			require.Greater(t, pod.GracePeriod, 60+c.Lifecycle.PreStop.Sleep.Seconds)
			require.True(t, hasVariable(c, config.MetricsSecret.Spec().Env()))
			require.True(t, slices.ContainsFunc(c.Env, func(e variable) bool {
				return e.Name == config.EnabledAPIs.Spec().Env() && slices.Contains(strings.Split(e.Value, ","), "metrics")
			}))
		} else {
			require.True(t, hasVariable(c, config.StatusPort.Spec().Env()))
		}
		require.True(t, hasVariable(c, config.NATSURL.Spec().Env()))
		require.True(t, hasVariable(c, config.MetadataKey.Spec().Env()))
	}
	for _, i := range list.Images {
		require.Regexp(t, `^\d+\.\d+\.\d+$`, i.NewTag, "an image whose tag stays what it is")
	}
}

type image struct {
	Name   string
	NewTag string `yaml:"newTag"`
}

func hasVariable(c container, name string) bool {
	for _, e := range c.Env {
		if e.Name == name {
			return true
		}
	}
	return false
}

// deployment is the Deployment among the documents of a file.
func deployment(t *testing.T, file string) *workload {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		w := &workload{}
		err := d.Decode(w)
		require.NotErrorIs(t, err, io.EOF, "%s has no Deployment", file)
		require.NoError(t, err)
		if w.Kind == "Deployment" {
			return w
		}
	}
}

// settingOf is the setting that a variable belongs to, nil for none.
func settingOf(variable string) *config.Spec {
	for _, s := range config.Table() {
		if s.Env() == variable {
			return s
		}
	}
	return nil
}
