package deploy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"queryengine/pkg/config"
)

// database is the least that the chart needs.
const database = "postgresql: {databaseURL: 'postgres://engine:pass@db/shop'}\n"

var services = []config.Service{config.Gateway, config.Metadata, config.QueryExecutor, config.EventDelivery, config.Scheduler}

func TestPlainManifests(t *testing.T) {
	t.Parallel()
	objects := plain(t, "kubernetes")
	require.Len(t, pods(objects), 6, "five services and NATS")
	check(t, objects)
	require.NotEmpty(t, of[*networkingv1.Ingress](plain(t, filepath.Join("kubernetes", "examples"))))
}

// TestChart renders the chart as installations would and checks each part against the others.
func TestChart(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]string{
		"least":        database,
		"one node":     database + "nats: {replicas: 1, storageClass: fast}\ntopologySpread: {enabled: false}\npodDisruptionBudgets: false",
		"ingress":      database + "ingress: {enabled: true, className: nginx, hosts: [a.example.com], tls: [{hosts: [a.example.com], secretName: tls}]}",
		"monitors":     database + "metrics: {serviceMonitor: {enabled: true, labels: {team: a}}}",
		"no metrics":   database + "metrics: {enabled: false}\nnetworkPolicies: {enabled: false}",
		"elsewhere":    "postgresql: {existingSecret: db}\nsecrets: {existingSecret: own, existingNATSSecret: own-nats}\nnats: {externalURL: 'nats://a:4222,tls://b:4223'}",
		"pods":         database + "image: {pullSecrets: [{name: pull}], tag: 1.2.3}\nservices: {gateway: {podAnnotations: {a: b}, nodeSelector: {c: d}, tolerations: [{key: e}], affinity: {nodeAffinity: {}}, env: [{name: ENGINE_GRAPHQL_LOG_LEVEL, value: debug}]}}",
		"scaled":       database + "services: {gateway: {autoscaling: {enabled: true}}, query-executor: {autoscaling: {enabled: false}, replicas: 3}}",
		"more metrics": database + "services: {metadata: {podAnnotations: {a: b}}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := mustRender(t, newCluster(), values)
			check(t, objects)
			checkSettings(t, objects)
			if name != "elsewhere" {
				checkSecrets(t, objects)
			}
		})
	}
}

// check holds pods to the strictest of Kubernetes' standards, and what selects pods to selecting some.
func check(t *testing.T, objects []runtime.Object) {
	t.Helper()
	all := pods(objects)
	selected := func(set labels.Set) (found []corev1.PodTemplateSpec) {
		for _, p := range all {
			if set.AsSelector().Matches(labels.Set(p.Labels)) {
				found = append(found, p)
			}
		}
		return found
	}
	for name, p := range all {
		require.False(t, *p.Spec.AutomountServiceAccountToken, name)
		require.True(t, *p.Spec.SecurityContext.RunAsNonRoot, name)
		require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, p.Spec.SecurityContext.SeccompProfile.Type, name)
		for _, c := range p.Spec.Containers {
			require.False(t, *c.SecurityContext.AllowPrivilegeEscalation, name)
			require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem, name)
			require.Equal(t, []corev1.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop, name)
			require.NotNil(t, c.ReadinessProbe, name)
			require.NotEmpty(t, c.Resources.Requests, name)
		}
		for _, s := range p.Spec.TopologySpreadConstraints {
			require.Len(t, selected(s.LabelSelector.MatchLabels), 1, name)
		}
		if strings.HasSuffix(name, "gateway") {
			sleep := p.Spec.Containers[0].Lifecycle.PreStop.Sleep.Seconds
			require.Positive(t, sleep)
			require.Greater(t, *p.Spec.TerminationGracePeriodSeconds, 60+sleep)
		}
	}
	for name, d := range of[*appsv1.Deployment](objects) {
		require.Len(t, selected(d.Spec.Selector.MatchLabels), 1, name)
	}
	for name, s := range of[*corev1.Service](objects) {
		found := selected(s.Spec.Selector)
		require.Len(t, found, 1, name)
		for _, port := range s.Spec.Ports {
			if port.TargetPort.StrVal != "" {
				require.True(t, hasPort(found[0], port.TargetPort.StrVal), "%s: %s", name, port.TargetPort.StrVal)
			}
		}
	}
	for name, b := range of[*policyv1.PodDisruptionBudget](objects) {
		require.Len(t, selected(b.Spec.Selector.MatchLabels), 1, name)
	}
	for name, h := range of[*autoscalingv2.HorizontalPodAutoscaler](objects) {
		target := of[*appsv1.Deployment](objects)[h.Spec.ScaleTargetRef.Name]
		require.NotNil(t, target, name)
		require.Nil(t, target.Spec.Replicas, "%s: the autoscaler says how many", name)
	}
	for name, p := range of[*networkingv1.NetworkPolicy](objects) {
		if len(p.Spec.PodSelector.MatchLabels) > 0 {
			require.NotEmpty(t, selected(p.Spec.PodSelector.MatchLabels), name)
		}
		for _, rule := range p.Spec.Egress {
			for _, peer := range rule.To {
				require.NotEmpty(t, selected(peer.PodSelector.MatchLabels), name)
			}
		}
	}
	for name, i := range of[*networkingv1.Ingress](objects) {
		for _, rule := range i.Spec.Rules {
			require.Contains(t, of[*corev1.Service](objects), rule.HTTP.Paths[0].Backend.Service.Name, name)
		}
	}
}

func hasPort(p corev1.PodTemplateSpec, name string) bool {
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			if port.Name == name {
				return true
			}
		}
	}
	return false
}

// checkSettings holds the environment of each service to the settings that it reads.
func checkSettings(t *testing.T, objects []runtime.Object) {
	t.Helper()
	settings := map[string]*config.Spec{}
	for _, s := range config.Table() {
		settings[s.Env()] = s
	}
	for _, service := range services {
		pod, found := pods(objects)["shop-query-engine-"+string(service)]
		require.True(t, found, service)
		for _, e := range pod.Spec.Containers[0].Env {
			if e.Name == "NATS_PASSWORD" {
				continue
			}
			spec := settings[e.Name]
			require.NotNil(t, spec, e.Name)
			require.Contains(t, spec.Services, service, e.Name)
			if spec.Secret && e.Name != config.NATSURL.Spec().Env() {
				require.NotNil(t, e.ValueFrom, "%s comes from a secret", e.Name)
			}
		}
	}
}

// checkSecrets: each key that a pod asks for is in a secret of the release.
func checkSecrets(t *testing.T, objects []runtime.Object) {
	t.Helper()
	secrets := of[*corev1.Secret](objects)
	for name, p := range pods(objects) {
		for _, e := range p.Spec.Containers[0].Env {
			if e.ValueFrom == nil || e.ValueFrom.SecretKeyRef == nil {
				continue
			}
			ref := e.ValueFrom.SecretKeyRef
			require.Contains(t, secrets, ref.Name, "%s: %s", name, e.Name)
			require.NotEmpty(t, secrets[ref.Name].Data[ref.Key], "%s: %s", name, e.Name)
		}
	}
}

// TestChartKeepsSecrets: an upgrade makes no secrets in addition to existing ones.
func TestChartKeepsSecrets(t *testing.T) {
	t.Parallel()
	first := of[*corev1.Secret](mustRender(t, newCluster(), database))
	require.Len(t, first["shop-query-engine"].Data["admin-secret"], 43)
	other := of[*corev1.Secret](mustRender(t, newCluster(), database))
	require.NotEqual(t, first["shop-query-engine"].Data, other["shop-query-engine"].Data, "they are random")

	there := newCluster(first["shop-query-engine"], first["shop-query-engine-nats"])
	second := of[*corev1.Secret](mustRender(t, there, database))
	require.Len(t, second, 3)
	for name := range second {
		require.Equal(t, first[name].Data, second[name].Data, name)
	}
	given := of[*corev1.Secret](mustRender(t, there, database+"secrets: {adminSecret: given}"))["shop-query-engine"].Data
	require.Equal(t, "given", string(given["admin-secret"]))
	require.Equal(t, first["shop-query-engine"].Data["metadata-key"], given["metadata-key"])

	// A key that a newer chart has is made next to the existing keys.
	delete(first["shop-query-engine"].Data, "metrics-secret")
	third := of[*corev1.Secret](mustRender(t, newCluster(first["shop-query-engine"]), database))["shop-query-engine"].Data
	require.NotEmpty(t, third["metrics-secret"])
	require.Equal(t, first["shop-query-engine"].Data["admin-secret"], third["admin-secret"])
}

// TestChartConfiguresNATS has a NATS server read what its nodes are given, with passwords that it
// would take for numbers without quotes.
func TestChartConfiguresNATS(t *testing.T) {
	objects := mustRender(t, newCluster(), database)
	dir := t.TempDir()
	for file, text := range of[*corev1.ConfigMap](objects)["shop-query-engine-nats"].Data {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	variables := map[string]string{"NATS_NAME": "shop-query-engine-nats-0"}
	expand := func(text string) string {
		for name, value := range variables {
			text = strings.ReplaceAll(text, "$("+name+")", value)
		}
		return text
	}
	for n, e := range pods(objects)["shop-query-engine-nats"].Spec.Containers[0].Env {
		switch {
		case e.ValueFrom == nil:
			variables[e.Name] = expand(e.Value)
		case e.ValueFrom.SecretKeyRef != nil:
			variables[e.Name] = strings.Repeat(string(rune('0'+n%10)), 20)
		}
	}
	for name, value := range variables {
		t.Setenv(name, value)
	}
	o, err := server.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
	require.NoError(t, err)
	require.Equal(t, "shop-query-engine-nats-0", o.ServerName)
	require.Len(t, o.Routes, 3)
	require.Equal(t, "shop-query-engine-nats-2.shop-query-engine-nats-nodes:6222", o.Routes[2].Host)
	password, _ := o.Routes[0].User.Password()
	require.Equal(t, variables["PASSWORD_ROUTE"], password)
	require.Equal(t, password, o.Cluster.Password)
	users := map[string]string{}
	for _, u := range o.Users {
		users[u.Username] = u.Password
	}
	for _, service := range services {
		name := strings.ToUpper(strings.ReplaceAll(string(service), "-", "_"))
		require.Equal(t, variables["PASSWORD_"+name], users[string(service)])
	}

	repository, err := os.ReadFile(filepath.Join("nats", "accounts.conf"))
	require.NoError(t, err)
	chart, err := os.ReadFile(filepath.Join("helm", "query-engine", "files", "accounts.conf"))
	require.NoError(t, err)
	require.Equal(t, string(repository), string(chart))
}

// TestChartConnects: each service has its own user at each node, or at the servers elsewhere.
func TestChartConnects(t *testing.T) {
	t.Parallel()
	address := func(values string, service config.Service) string {
		pod := pods(mustRender(t, newCluster(), values))["shop-query-engine-"+string(service)]
		for _, e := range pod.Spec.Containers[0].Env {
			if e.Name == config.NATSURL.Spec().Env() {
				return e.Value
			}
		}
		return ""
	}
	own := "nats://scheduler:$(NATS_PASSWORD)@shop-query-engine-nats-%.shop-query-engine-nats-nodes:4222"
	require.Equal(t, strings.ReplaceAll(own, "%", "0"), address(database+"nats: {replicas: 1}", config.Scheduler))
	require.Equal(t, strings.ReplaceAll(own, "%", "0")+","+strings.ReplaceAll(own, "%", "1")+","+strings.ReplaceAll(own, "%", "2"),
		address(database, config.Scheduler))
	require.Equal(t, "nats://gateway:$(NATS_PASSWORD)@a:4222,tls://gateway:$(NATS_PASSWORD)@b",
		address(database+"secrets: {existingNATSSecret: other}\nnats: {externalURL: 'nats://a:4222,tls://b'}", config.Gateway))
}

// TestUnauthorizedRole: gateways and metadata have the same role, or none.
func TestUnauthorizedRole(t *testing.T) {
	t.Parallel()
	name := config.UnauthorizedRole.Spec().Env()
	find := func(p corev1.PodTemplateSpec) *corev1.EnvVar {
		for i, e := range p.Spec.Containers[0].Env {
			if e.Name == name {
				return &p.Spec.Containers[0].Env[i]
			}
		}
		return nil
	}
	none := pods(mustRender(t, newCluster(), database))
	named := pods(mustRender(t, newCluster(), database+"unauthorizedRole: 'yes'")) // a text, also in the manifest
	plainly := pods(plain(t, "kubernetes"))
	for _, service := range services {
		pod := "shop-query-engine-" + string(service)
		require.Nil(t, find(none[pod]), service)
		if !config.UnauthorizedRole.Spec().ReadBy(service) {
			require.Nil(t, find(named[pod]), service)
			require.Nil(t, find(plainly[string(service)]), service)
			continue
		}
		require.Equal(t, &corev1.EnvVar{Name: name, Value: "yes"}, find(named[pod]), service)
		found := find(plainly[string(service)])
		require.NotNil(t, found, service)
		require.Equal(t, "query-engine", found.ValueFrom.ConfigMapKeyRef.Name)
		require.True(t, *found.ValueFrom.ConfigMapKeyRef.Optional, "without the object there is no such role")
	}
}

// TestChartMonitors: collectors get the gateway's metrics with its secret.
func TestChartMonitors(t *testing.T) {
	t.Parallel()
	require.Empty(t, of[*unstructured.Unstructured](mustRender(t, newCluster(), database)))
	monitors := of[*unstructured.Unstructured](mustRender(t, newCluster(), database+"metrics: {serviceMonitor: {enabled: true}}"))
	require.Len(t, monitors, 2)
	endpoints, found, err := unstructured.NestedSlice(monitors["shop-query-engine-gateway"].Object, "spec", "endpoints")
	require.True(t, found && err == nil)
	require.Equal(t, map[string]any{
		"port": "http", "path": "/v1/metrics", "interval": "15s",
		"authorization": map[string]any{"credentials": map[string]any{"name": "shop-query-engine", "key": "metrics-secret"}},
	}, endpoints[0])
}

// TestChartRefuses what would not work, in words.
func TestChartRefuses(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		"{}": "give postgresql.existingSecret, or postgresql.databaseURL",
		database + "nats: {externalURL: 'nats://a:4222'}":        "nats.externalURL needs secrets.existingNATSSecret",
		database + "nats: {externalURL: 'nats://user:pass@a'}":   "externalURL",
		database + "nats: {replicas: 2}":                         "replicas",
		database + "ingress: {enabled: true}":                    "ingress.hosts names no host",
		database + "services: {gateway: {replica: 3}}":           "replica",
		database + "services: {gateways: {replicas: 3}}":         "gateways",
		database + "services: {gateway: {preStopSeconds: soon}}": "preStopSeconds",
		database + "podDisruptionBudget: true":                   "podDisruptionBudget",
		database + "image: {pullPolicy: Sometimes}":              "pullPolicy",
	} {
		_, err := render(t, newCluster(), values)
		require.ErrorContains(t, err, want, values)
	}
}
