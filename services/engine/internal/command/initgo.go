package command

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"queryengine/pkg/service"
	"queryengine/services/engine/internal/project"
)

const initUsage = `Usage: engine init --go DIR [--engine CHECKOUT]

Writes a Go program that is the engine with code of its own: a remote schema, an action, a handler of events, and their
test. CHECKOUT is a directory with the source of Query Engine; without it, the directory above this one, or above that of
the program, that has it.
`

//go:embed all:starter
var starter embed.FS

// modules are those of the engine's source, by their directories.
var modules = []string{
	"pkg", "proto", "services/engine", "services/event-delivery", "services/gateway", "services/metadata", "services/query-executor", "services/scheduler",
}

func newInitFlags() (set *flag.FlagSet, dir, checkout *string) {
	set = newFlags()
	return set, set.String("go", "", "`directory` to write, which must not exist or be empty"), set.String("engine", "", "`directory` with the source of Query Engine")
}

// init writes a project in Go.
func (sh *Shell) init(args []string) error {
	set, dir, checkout := newInitFlags()
	rest, err := sh.parse(set, initUsage, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case *dir == "" || len(rest) > 0:
		return errors.New("engine init needs a directory: engine init --go DIR")
	}
	if *checkout == "" {
		*checkout = findCheckout()
	}
	if *checkout == "" && !published() {
		return errors.New("engine init: no source of Query Engine found: set --engine to its directory")
	}
	if entries, err := os.ReadDir(*dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("engine init: %s is not empty", *dir)
	}
	if err := writeStarter(*dir, *checkout); err != nil {
		return err
	}
	fmt.Fprintf(sh.Out, "%s is an engine with code in Go. Next:\n\n  cd %s\n  make run\n", *dir, *dir)
	return nil
}

func writeStarter(dir, checkout string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	files, err := fs.Sub(starter, "starter")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	module, workspace, err := goFiles(dir, checkout)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o600); err != nil || workspace == "" {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.work"), []byte(workspace), 0o600)
}

// root is the part of import paths that all modules of the engine share.
var root = strings.TrimSuffix(reflect.TypeFor[project.Config]().PkgPath(), "/services/engine/internal/project")

// published reports whether the modules can be downloaded: their path begins with the name of a host.
func published() bool {
	host, _, _ := strings.Cut(root, "/")
	return strings.Contains(host, ".")
}

// invalidInModule are characters that the path of a module can't have, and those that it can't begin or end with.
var invalidInModule = regexp.MustCompile(`[^A-Za-z0-9._-]+|^[^A-Za-z0-9]+|[^A-Za-z0-9]+$`)

// reservedInModule are names of Windows, which the path of a module can't have.
var reservedInModule = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])?(\..*)?$`)

// moduleOf is the path of the module in a directory. The host keeps it apart from the standard library.
func moduleOf(dir string) string {
	name := strings.Trim(invalidInModule.ReplaceAllString(filepath.Base(dir), "-"), "-")
	if reservedInModule.MatchString(name) {
		name = "engine"
	}
	return "example.com/" + name
}

// goFiles are the project's go.mod and, with a checkout, the go.work that takes the engine's modules from there.
func goFiles(dir, checkout string) (module, workspace string, err error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	module = fmt.Sprintf("module %s\n\ngo %s\n", moduleOf(absolute), goVersion)
	if checkout == "" {
		return module + fmt.Sprintf("\nrequire %s/services/engine v%s\n", root, service.Version), "", nil
	}
	if checkout, err = filepath.Abs(checkout); err != nil {
		return "", "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "go %s\n\nuse (\n\t.\n", goVersion)
	for _, m := range modules {
		fmt.Fprintf(&b, "\t%q\n", filepath.Join(checkout, m))
	}
	b.WriteString(")\n")
	return module, b.String(), nil
}

// goVersion is what the engine's modules need.
const goVersion = "1.26.8"

// findCheckout is the source of the engine above the current directory or that of the program, "" for none.
func findCheckout() string {
	var from []string
	if dir, err := os.Getwd(); err == nil {
		from = append(from, dir)
	}
	if program, err := os.Executable(); err == nil {
		from = append(from, filepath.Dir(program))
	}
	for _, dir := range from {
		for ; ; dir = filepath.Dir(dir) {
			text, err := os.ReadFile(filepath.Join(dir, "services", "engine", "go.mod"))
			if err == nil && strings.HasPrefix(string(text), "module "+root+"/services/engine\n") {
				return dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return ""
}
