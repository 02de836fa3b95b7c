package deploy_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"

	"queryengine/pkg/localpg"
)

// These tests are about what make release-snapshot has made; make test-release runs both.
const (
	dist           = "../dist"
	releaseAsked   = "ENGINE_TEST_RELEASE"
	rootVariable   = "ENGINE_TEST_ROOT" // a directory made by debootstrap, which is copied
	startLimit     = 2 * time.Minute
	albums         = `{"query": "{ albums(order_by: {released: desc, id: asc}, limit: 1) { title } }"}`
	albumsAnswer   = `{"data":{"albums":[{"title":"Under the Letter"}]}}`
	typename       = `{"query": "{ __typename }"}`
	typenameAnswer = `{"data":{"__typename":"query_root"}}`
)

var (
	released     = []string{"engine", "gateway", "metadata", "query-executor", "event-delivery", "scheduler"}
	versionLine  = regexp.MustCompile(`^[a-z-]+ \d+\.\d+\.\d+\S* \(commit [0-9a-f]{40}, 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\)\n$`)
	licenseFiles = []string{"LICENSE", "THIRD-PARTY-NOTICES.md"}
)

// releaseVersion skips the test where no release was made.
func releaseVersion(t *testing.T) string {
	t.Helper()
	if os.Getenv(releaseAsked) == "" {
		t.Skip("what a release contains is tried by make test-release")
	}
	text, err := os.ReadFile(filepath.Join(dist, "metadata.json"))
	require.NoError(t, err)
	var metadata struct{ Version string }
	require.NoError(t, json.Unmarshal(text, &metadata))
	return metadata.Version
}

// run runs a command that has to succeed and gives what it prints.
func run(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, arguments...).CombinedOutput()
	require.NoError(t, err, "%s %s: %s", name, strings.Join(arguments, " "), out)
	return string(out)
}

// unpack unpacks a tar.gz and gives the names in it. All files have one time, and one owner.
func unpack(t *testing.T, archive, into string) map[string]string {
	t.Helper()
	f, err := os.Open(archive)
	require.NoError(t, err)
	defer f.Close()
	packed, err := gzip.NewReader(f)
	require.NoError(t, err)
	names, times := map[string]string{}, map[time.Time]bool{}
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.Equal(t, "root", h.Uname, h.Name)
		times[h.ModTime] = true
		path := filepath.Join(into, h.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text, fs.FileMode(h.Mode).Perm()))
		_, name, _ := strings.Cut(h.Name, "/") // below the archive's directory
		names[name] = path
	}
	require.Len(t, times, 1, "times in %s", archive)
	return names
}

func TestReleasedChecksums(t *testing.T) {
	t.Parallel()
	version := releaseVersion(t)
	text, err := os.ReadFile(filepath.Join(dist, "checksums.txt"))
	require.NoError(t, err)
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	want := []string{"query-engine-chart_" + version + ".tgz"}
	for _, arch := range []string{"amd64", "arm64"} {
		for _, system := range []string{"linux", "darwin"} {
			for _, archive := range []string{"engine", "services"} {
				want = append(want, fmt.Sprintf("%s_%s_%s_%s.tar.gz", archive, version, system, arch))
			}
			for _, program := range released {
				want = append(want, fmt.Sprintf("%s_%s_%s_%s.cdx.json", program, version, system, arch))
			}
		}
	}
	for _, pattern := range []string{"*_amd64.deb", "*_arm64.deb", "*.x86_64.rpm", "*.aarch64.rpm"} {
		want = append(want, filepath.Base(one(t, pattern)))
	}
	for _, name := range want {
		content, err := os.ReadFile(filepath.Join(dist, name))
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		require.Equal(t, hex.EncodeToString(sum[:]), sums[name], name)
	}
	require.Len(t, sums, len(want))
}

// one is the one file of dist that matches.
func one(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dist, pattern))
	require.NoError(t, err)
	require.Len(t, found, 1, pattern)
	return found[0]
}

func TestReleasedArchives(t *testing.T) {
	t.Parallel()
	version := releaseVersion(t)
	for _, system := range []string{"linux", "darwin"} {
		for _, arch := range []string{"amd64", "arm64"} {
			t.Run(system+"-"+arch, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				files := unpack(t, filepath.Join(dist, fmt.Sprintf("engine_%s_%s_%s.tar.gz", version, system, arch)), dir)
				services := unpack(t, filepath.Join(dist, fmt.Sprintf("services_%s_%s_%s.tar.gz", version, system, arch)), dir)
				for _, name := range append(licenseFiles, "README.md", "CHANGELOG.md") {
					require.Contains(t, files, name)
					require.Contains(t, services, name)
				}
				require.Contains(t, services, "deploy/nats/nats.conf")
				services["engine"] = files["engine"]
				for _, program := range released {
					require.Contains(t, services, program)
					requireStripped(t, services[program])
					if system == runtime.GOOS && arch == runtime.GOARCH {
						out := run(t, services[program], "version")
						require.Regexp(t, versionLine, out)
						require.Contains(t, out, program+" "+version+" ")
					}
				}
				if system == runtime.GOOS && arch == runtime.GOARCH {
					needPostgres(t)
					port := freePort(t)
					p := start(t, exec.Command(files["engine"], "dev", "--data-dir", filepath.Join(dir, "data"), "--server-port", port))
					p.await(port, albums, albumsAnswer)
				}
			})
		}
	}
}

// requireStripped wants a program without symbols and debug information.
func requireStripped(t *testing.T, path string) {
	t.Helper()
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		require.Nil(t, f.Section(".symtab"), path)
		require.Nil(t, f.Section(".debug_info"), path)
		return
	}
	f, err := macho.Open(path)
	require.NoError(t, err)
	defer f.Close()
	require.Nil(t, f.Section("__debug_info"), path)
	require.Nil(t, f.Section("__zdebug_info"), path)
}

// process is a started engine, which ends with the test.
type process struct {
	t    *testing.T
	log  bytes.Buffer
	done chan struct{}
}

func start(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	require.NoError(t, cmd.Start())
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // awaited by what reads the log
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // ended already: nothing to do
		<-p.done
	})
	return p
}

// await asks until the answer comes.
func (p *process) await(port, query, want string) {
	p.t.Helper()
	require.Equal(p.t, want, strings.TrimSpace(answer(p.t, "http://127.0.0.1:"+port, query, p.done)), "%s", p)
}

// String is what the process has printed, once it has ended.
func (p *process) String() string {
	select {
	case <-p.done:
		return p.log.String()
	default:
		return "it runs"
	}
}

// answer is the first answer to a query that isn't an error, or the last error.
func answer(t *testing.T, url, query string, done <-chan struct{}) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	last := ""
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/graphql", strings.NewReader(query))
		require.NoError(t, err)
		request.Header.Set("x-engine-admin-secret", "s")
		if response, err := http.DefaultClient.Do(request); err != nil {
			last = err.Error()
		} else {
			text, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if err == nil && response.StatusCode == http.StatusOK && !bytes.Contains(text, []byte(`"errors"`)) {
				return string(text)
			}
			last = response.Status + string(text)
		}
		select {
		case <-done:
			return "ended; " + last
		case <-ctx.Done():
			return last
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// TestReleasedDeb installs the package in a fresh Debian, starts the service as its unit says, and removes all again.
func TestReleasedDeb(t *testing.T) {
	t.Parallel()
	releaseVersion(t)
	needPostgres(t)
	root := freshDebian(t)
	within := func(arguments ...string) string { return run(t, "chroot", append([]string{root}, arguments...)...) }

	install := func(arguments ...string) {
		text, err := os.ReadFile(one(t, "*_"+runtime.GOARCH+".deb"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, "tmp", "engine.deb"), text, 0o644))
		within(append([]string{"dpkg"}, append(arguments, "-i", "/tmp/engine.deb")...)...)
	}
	install()
	require.Regexp(t, versionLine, within("engine", "version"))
	require.Contains(t, within("getent", "passwd", "query-engine"), ":/var/lib/query-engine:/usr/sbin/nologin")
	require.Equal(t, "600 root\n", within("stat", "-c", "%a %U", "/etc/query-engine/engine.env"))
	for _, file := range []string{"copyright", "THIRD-PARTY-NOTICES.md", "README.md"} {
		within("test", "-s", "/usr/share/doc/query-engine/"+file)
	}
	require.NoFileExists(t, filepath.Join(root, "etc/systemd/system/multi-user.target.wants/query-engine.service"), "it starts by itself")

	environment := filepath.Join(root, "etc/query-engine/engine.env")
	requireService(t, root, environment)

	install("--force-confold")
	changed, err := os.ReadFile(environment)
	require.NoError(t, err)
	require.Contains(t, string(changed), "ENGINE_GRAPHQL_ADMIN_SECRET=s", "an update keeps the settings")
	within("dpkg", "--purge", "query-engine")
	require.NoDirExists(t, filepath.Join(root, "var/lib/query-engine"))
	require.NoFileExists(t, environment)
	require.NoFileExists(t, filepath.Join(root, "usr/bin/engine"))
}

// requireService starts the service of a package that is installed in a directory, as its unit says.
func requireService(t *testing.T, root, environment string) {
	t.Helper()
	defaults, err := os.ReadFile(environment)
	require.NoError(t, err)
	for line := range strings.Lines(string(defaults)) {
		require.Regexp(t, `^(#.*|ENGINE_GRAPHQL_SERVER_(HOST=127\.0\.0\.1|PORT=8080))?$`, strings.TrimSpace(line), "no default that needs a thought")
	}
	unit := unitOf(t, filepath.Join(root, "usr/lib/systemd/system/query-engine.service"))
	asUnit := func() *exec.Cmd { // as systemd would
		text, err := os.ReadFile(environment)
		require.NoError(t, err)
		cmd := exec.Command("chroot", "--userspec="+unit["User"]+":"+unit["Group"], root, "/bin/sh", "-c",
			unit["ExecCondition"]+" && exec "+unit["ExecStart"])
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				cmd.Env = append(cmd.Env, line)
			}
		}
		return cmd
	}
	out, err := asUnit().CombinedOutput()
	require.Error(t, err, "it starts without settings")
	require.Contains(t, string(out), "no database: set ENGINE_GRAPHQL_DATABASE_URL in /etc/query-engine/engine.env")

	database, err := localpg.Start(t.Context(), localpg.Config{Dir: databaseDir(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, database.Stop(context.Background())) })
	port := freePort(t)
	require.NoError(t, os.WriteFile(environment, fmt.Appendf(nil, "%s\nENGINE_GRAPHQL_DATABASE_URL=%s\nENGINE_GRAPHQL_ADMIN_SECRET=s\n",
		strings.Replace(string(defaults), "8080", port, 1), database.URL("postgres")), 0o600))
	run(t, "chroot", root, "install", "-d", "-m", unit["StateDirectoryMode"], "-o", unit["User"], "-g", unit["Group"], "/var/lib/"+unit["StateDirectory"])
	t.Run("service", func(t *testing.T) {
		start(t, asUnit()).await(port, typename, typenameAnswer)
	})
}

// needPostgres skips the test where there are no server programs, and they can't be installed.
func needPostgres(t *testing.T) {
	t.Helper()
	if err := localpg.Ensure(t.Context(), func(what string) { t.Log(what) }); err != nil {
		t.Skip(err)
	}
}

// databaseDir is a directory that PostgreSQL's user reaches.
func databaseDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "released")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// freshDebian is a directory with a Debian and nothing else.
func freshDebian(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("only root on Linux can install a package in a directory")
	}
	dir, err := os.MkdirTemp("", "debian")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	root := filepath.Join(dir, "root")
	if made := os.Getenv(rootVariable); made != "" {
		run(t, "cp", "-a", made, root)
		return root
	}
	if _, err := exec.LookPath("debootstrap"); err != nil {
		t.Skipf("there is no debootstrap (apt-get install debootstrap), and no %s", rootVariable)
	}
	if out, err := exec.CommandContext(t.Context(), "debootstrap", "--variant=minbase", "bookworm", root).CombinedOutput(); err != nil {
		t.Skipf("debootstrap: %v: %s", err, lastLine(out))
	}
	return root
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// unitOf are the settings of a systemd unit.
func unitOf(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	settings := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), "="); ok {
			settings[name] = value
		}
	}
	return settings
}

// TestUnit: systemd reads every line of the unit, and the service can do little to its machine.
func TestUnit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("there is no systemd-analyze")
	}
	text, err := os.ReadFile("package/query-engine.service")
	require.NoError(t, err)
	unit := filepath.Join(t.TempDir(), "query-engine.service")
	require.NoError(t, os.WriteFile(unit, bytes.ReplaceAll(text, []byte("/usr/bin/engine"), []byte("/bin/true")), 0o600))
	require.Empty(t, run(t, "systemd-analyze", "verify", "--man=no", unit))
	run(t, "systemd-analyze", "security", "--offline=true", "--threshold=20", unit) // of 100
}

// TestUnitNeedsADatabase: by the engine's own variables or by those of an engine whose names it takes.
func TestUnitNeedsADatabase(t *testing.T) {
	t.Parallel()
	condition := unitOf(t, "package/query-engine.service")["ExecCondition"]
	for variable, skipped := range map[string]bool{
		"ENGINE_GRAPHQL_DATABASE_URL": false, "ENGINE_GRAPHQL_METADATA_DATABASE_URL_FILE": false, "HASURA_GRAPHQL_DATABASE_URL": false,
		"ENGINE_GRAPHQL_ADMIN_SECRET": true, "SHOP_DATABASE_URL": true,
	} {
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", condition)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), variable + "=x"}
		out, err := cmd.CombinedOutput()
		require.Equal(t, skipped, err != nil, "%s: %s", variable, out)
	}
}

func TestReleasedRPM(t *testing.T) {
	t.Parallel()
	releaseVersion(t)
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("there is no rpm (apt-get install rpm)")
	}
	for _, arch := range []string{"x86_64", "aarch64"} {
		file := one(t, "*."+arch+".rpm")
		require.Contains(t, run(t, "rpm", "--nosignature", "-K", file), "digests OK")
		require.Equal(t, "query-engine Apache-2.0 "+arch, run(t, "rpm", "--nosignature", "-qp", "--qf", "%{NAME} %{LICENSE} %{ARCH}", file))
		files := run(t, "rpm", "--nosignature", "-qp", "--qf", `[%{FILEMODES:perms} %{FILEUSERNAME} %{FILENAMES}\n]`, file)
		for _, line := range []string{
			"-rwxr-xr-x root /usr/bin/engine", "-rw-r--r-- root /usr/lib/systemd/system/query-engine.service",
			"-rw------- root /etc/query-engine/engine.env", "-rw-r--r-- root /usr/share/doc/query-engine/THIRD-PARTY-NOTICES.md",
		} {
			require.Contains(t, files, line+"\n")
		}
		require.Equal(t, "/etc/query-engine/engine.env\n", run(t, "rpm", "--nosignature", "-qpc", file))
		require.Contains(t, run(t, "rpm", "--nosignature", "-qp", "--scripts", file), "useradd --system")
		require.Contains(t, run(t, "rpm", "--nosignature", "-qpR", file), "/usr/sbin/useradd\n")
	}
}

// TestReleasedRPMInstalls installs the package in a directory, starts the service as its unit says, and removes all again.
// The directory has a Debian, which knows no packages of rpm, so what the package needs isn't looked up.
func TestReleasedRPMInstalls(t *testing.T) {
	t.Parallel()
	releaseVersion(t)
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("there is no rpm (apt-get install rpm)")
	}
	needPostgres(t)
	root := freshDebian(t)
	rpm := func(arguments ...string) string {
		return run(t, "rpm", append([]string{"--root", root, "--nodeps"}, arguments...)...)
	}
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	rpm("--nosignature", "-i", one(t, "*."+arch+".rpm"))
	require.Regexp(t, versionLine, run(t, "chroot", root, "engine", "version"))
	require.Contains(t, run(t, "chroot", root, "getent", "passwd", "query-engine"), ":/var/lib/query-engine:/usr/sbin/nologin")
	rpm("-V", "query-engine")
	environment := filepath.Join(root, "etc/query-engine/engine.env")
	requireService(t, root, environment)
	rpm("-e", "query-engine")
	require.NoFileExists(t, filepath.Join(root, "usr/bin/engine"))
	require.FileExists(t, environment+".rpmsave", "settings are kept")
}

func TestReleasedChart(t *testing.T) {
	t.Parallel()
	version := releaseVersion(t)
	file := filepath.Join(dist, "query-engine-chart_"+version+".tgz")
	chart, err := loader.Load(file)
	require.NoError(t, err)
	source, err := loader.Load("helm/query-engine")
	require.NoError(t, err)
	require.Equal(t, source.Metadata, chart.Metadata)
	require.ElementsMatch(t, source.Templates, chart.Templates)
	require.Equal(t, source.Values, chart.Values)
	require.NoError(t, chart.Validate())
}

func TestReleasedSBOM(t *testing.T) {
	t.Parallel()
	version := releaseVersion(t)
	for _, program := range released {
		text, err := os.ReadFile(filepath.Join(dist, fmt.Sprintf("%s_%s_linux_amd64.cdx.json", program, version)))
		require.NoError(t, err)
		var sbom struct {
			BOMFormat string `json:"bomFormat"`
			Metadata  struct {
				Timestamp time.Time
				Component struct{ Name, Version string }
			}
			Components []struct{ Name, Version string }
		}
		require.NoError(t, json.Unmarshal(text, &sbom))
		require.Equal(t, "CycloneDX", sbom.BOMFormat)
		require.Equal(t, run(t, "git", "show", "-s", "--format=%ct"), fmt.Sprintln(sbom.Metadata.Timestamp.Unix()), "not that of the commit")
		require.Equal(t, "queryengine/services/"+program, sbom.Metadata.Component.Name)
		require.Contains(t, sbom.Metadata.Component.Version, version)
		names := map[string]string{}
		for _, c := range sbom.Components {
			names[c.Name] = c.Version
		}
		require.NotEmpty(t, names["github.com/nats-io/nats.go"], program)
		require.NotEmpty(t, names["std"], program)
		require.Equal(t, program == "engine" || program == "gateway", names["react"] != "", program)
	}
}

// TestReleasedImages starts the image of engine as the first line of docs/installing.md does, and asks each for its version.
func TestReleasedImages(t *testing.T) {
	t.Parallel()
	version := releaseVersion(t)
	if out, err := exec.CommandContext(t.Context(), "docker", "info").CombinedOutput(); err != nil {
		t.Skipf("docker does not answer: %s", lastLine(out))
	}
	for _, program := range released {
		image := "query-engine/" + program + ":" + version
		out := run(t, "docker", "run", "--rm", "--network", "none", image, "version")
		require.Regexp(t, versionLine, out)
		require.Contains(t, out, program+" "+version+" ")
		container := strings.TrimSpace(run(t, "docker", "create", image))
		t.Cleanup(func() { _ = exec.Command("docker", "rm", "--force", "--volumes", container).Run() })
		for _, file := range licenseFiles {
			require.Contains(t, run(t, "docker", "cp", container+":/licenses/"+file, "-"), file)
		}
		require.Equal(t, "Apache-2.0 65532:65532\n", run(t, "docker", "image", "inspect", "--format",
			`{{index .Config.Labels "org.opencontainers.image.licenses"}} {{.Config.User}}`, image))
	}
	volume := strings.TrimSpace(run(t, "docker", "volume", "create"))
	t.Cleanup(func() { _ = exec.Command("docker", "volume", "rm", "--force", volume).Run() })
	for range 2 { // the second time with the data of the first
		container := strings.TrimSpace(run(t, "docker", "run", "--detach", "-p", "127.0.0.1::8080", "-v", volume+":/data",
			"query-engine/engine:"+version, "dev"))
		_, port, err := net.SplitHostPort(strings.TrimSpace(run(t, "docker", "port", container, "8080")))
		require.NoError(t, err)
		got := answer(t, "http://127.0.0.1:"+port, albums, nil)
		log := run(t, "docker", "logs", container)
		run(t, "docker", "stop", container)
		require.Equal(t, "0\n", run(t, "docker", "inspect", "--format", "{{.State.ExitCode}}", container))
		run(t, "docker", "rm", "--volumes", container)
		require.Equal(t, albumsAnswer, strings.TrimSpace(got), log)
	}
}
