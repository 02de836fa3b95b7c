package deploy_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// strict reads manifests into the types of Kubernetes, and takes no field that these don't have.
var strict = json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme,
	json.SerializerOptions{Yaml: true, Strict: true})

// decode reads all documents of a text. Objects of the Prometheus operator have no types here.
func decode(t *testing.T, name, text string) []runtime.Object {
	t.Helper()
	var all []runtime.Object
	for r := yamlutil.NewYAMLReader(bufio.NewReader(strings.NewReader(text))); ; {
		document, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		if isEmpty(document) {
			continue
		}
		var object unstructured.Unstructured
		require.NoError(t, yaml.UnmarshalStrict(document, &object.Object), "%s:\n%s", name, document)
		if strings.HasPrefix(object.GetAPIVersion(), "monitoring.coreos.com/") {
			all = append(all, &object)
			continue
		}
		typed, _, err := strict.Decode(document, nil, nil)
		require.NoError(t, err, "%s:\n%s", name, document)
		all = append(all, typed)
	}
}

// isEmpty reports whether a document holds nothing but comments.
func isEmpty(document []byte) bool {
	for line := range bytes.Lines(document) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && string(line) != "---" {
			return false
		}
	}
	return true
}

// cluster is what an installer finds in the cluster: the secrets that are there.
type cluster struct{ client dynamic.Interface }

func newCluster(secrets ...*corev1.Secret) cluster {
	objects := make([]runtime.Object, 0, len(secrets))
	for _, s := range secrets {
		s.Namespace = "shop"
		objects = append(objects, s)
	}
	return cluster{fake.NewSimpleDynamicClient(scheme.Scheme, objects...)}
}

func (c cluster) GetClientFor(apiVersion, kind string) (dynamic.NamespaceableResourceInterface, bool, error) {
	group, err := schema.ParseGroupVersion(apiVersion)
	return c.client.Resource(group.WithResource(strings.ToLower(kind) + "s")), true, err
}

// render is what helm install makes of the chart with values.
func render(t *testing.T, in cluster, values string) ([]runtime.Object, error) {
	t.Helper()
	chart, err := loader.Load(filepath.Join("helm", "query-engine"))
	require.NoError(t, err)
	var given map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(values), &given))
	release := chartutil.ReleaseOptions{Name: "shop", Namespace: "shop", Revision: 1, IsInstall: true}
	capabilities := *chartutil.DefaultCapabilities
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.30.0", Major: "1", Minor: "30"}
	all, err := chartutil.ToRenderValues(chart, given, release, &capabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.RenderWithClientProvider(chart, all, in)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		if strings.HasSuffix(name, ".yaml") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var objects []runtime.Object
	for _, name := range names {
		objects = append(objects, decode(t, name, files[name])...)
	}
	require.NotContains(t, files["query-engine/templates/NOTES.txt"], "<no value>")
	return objects, nil
}

// mustRender is render of values that are in order.
func mustRender(t *testing.T, in cluster, values string) []runtime.Object {
	t.Helper()
	objects, err := render(t, in, values)
	require.NoError(t, err)
	return objects
}

// of is the objects of a type, by name.
func of[T interface {
	runtime.Object
	GetName() string
}](objects []runtime.Object) map[string]T {
	found := map[string]T{}
	for _, o := range objects {
		if typed, ok := o.(T); ok {
			found[typed.GetName()] = typed
		}
	}
	return found
}

// pods are the templates of all pods, by the name of what makes them.
func pods(objects []runtime.Object) map[string]corev1.PodTemplateSpec {
	found := map[string]corev1.PodTemplateSpec{}
	for name, d := range of[*appsv1.Deployment](objects) {
		found[name] = d.Spec.Template
	}
	for name, s := range of[*appsv1.StatefulSet](objects) {
		found[name] = s.Spec.Template
	}
	return found
}

// plain are the manifests of a directory.
func plain(t *testing.T, dir string) []runtime.Object {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var objects []runtime.Object
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		objects = append(objects, decode(t, file, string(text))...)
	}
	return objects
}
