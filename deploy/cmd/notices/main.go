// Command notices prints the licenses of everything that the programs contain: Go's library, modules, and
// what is bundled in the console. It fails when one isn't allowed, or not known.
//
//	go run ./cmd/notices .. > ../THIRD-PARTY-NOTICES.md
//
// With -sbom it adds the packages of the console to the SBOM of a program, from standard input to standard output:
//
//	go run ./cmd/notices -sbom .. < gateway.json
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed lists the licenses, by their SPDX names, that ask for no more than these notices. To add one is a
// decision: archives, packages and images have to keep what it asks for.
var allowed = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "PostgreSQL", "Unicode-DFS-2016", "Zlib",
	"GooglePatentsFile", // a grant next to the BSD license of Go
	sqlite,
}

// documentation are licenses that components have for their documentation alone, which programs don't contain.
var documentation = map[string]string{"github.com/modelcontextprotocol/go-sdk": "CC-BY-4.0"}

// sqlite is the name of what begins with this line: SQLite is in the public domain.
const (
	sqlite     = "blessing"
	sqliteText = "SQLite Is Public Domain\n"
)

// known is how many percent of a license have to be recognised; the rest are names and years.
const known = 75

// listed is a line of names that a license is of, as of icons: it is no part of its text.
var listed = regexp.MustCompile(`(?m)^[\w-]+(, [\w-]+){9,}$`)

// released are the systems that programs are released for.
var released = []string{"linux", "darwin"}

// component is something that others wrote.
type component struct {
	name, version string
	files         map[string]string // their texts, by name
}

// licenseFile matches the names of files that have to go with a component: partly files that needn't be a license as
// a whole, and unjudged files that list more than is compiled, or are about a picture.
var (
	licenseFile = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents|copyright)([-_.].*)?$`)
	partly      = regexp.MustCompile(`(?i)^(notice|patents|copyright)`)
	unjudged    = regexp.MustCompile(`(?i)(3rd|third)-party|logo`)
)

func main() {
	asked := notices
	if os.Args[1] == "-sbom" {
		asked = func(root string) (string, error) { return addConsole(os.Stdin, root) }
	}
	text, err := asked(os.Args[len(os.Args)-1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}

// bundledLicenses is where the console's build writes the licenses.
const bundledLicenses = "services/gateway/internal/console/dist/licenses.md"

// addConsole is an SBOM in the form of CycloneDX, with the packages of the console.
func addConsole(in io.Reader, root string) (string, error) {
	var sbom map[string]any
	if err := json.NewDecoder(in).Decode(&sbom); err != nil {
		return "", err
	}
	bundled, err := console(filepath.Join(root, bundledLicenses))
	if err != nil {
		return "", err
	}
	components, _ := sbom["components"].([]any) // absent: none
	for _, c := range bundled {
		names, err := c.licenses()
		if err != nil {
			return "", err
		}
		var licenses []any
		for _, name := range names {
			licenses = append(licenses, map[string]any{"license": map[string]any{"id": name}})
		}
		address := "pkg:npm/" + strings.Replace(c.name, "@", "%40", 1) + "@" + c.version
		components = append(components, map[string]any{
			"bom-ref": address, "type": "library", "name": c.name, "version": c.version, "scope": "required", "purl": address, "licenses": licenses,
		})
	}
	sbom["components"] = components
	text, err := json.MarshalIndent(sbom, "", "  ")
	return string(text) + "\n", err
}

// notices is the text for the repository at root.
func notices(root string) (string, error) {
	components, err := modules(root)
	if err != nil {
		return "", err
	}
	bundled, err := console(filepath.Join(root, bundledLicenses))
	if err != nil {
		return "", err
	}
	components = append(components, bundled...)
	return format(components), check(components)
}

// modules are the modules of the packages that the programs are made of, and Go's library.
func modules(root string) ([]component, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	found := map[string]component{}
	for _, system := range released {
		list := exec.Command("go", "list", "-deps", "-f",
			"{{if .Standard}}Go\t\t{{context.GOROOT}}\t{{context.GOROOT}}"+
				"{{else}}{{.Module.Path}}\t{{.Module.Version}}\t{{.Module.Dir}}\t{{.Dir}}{{end}}",
			"./services/engine/cmd/engine", "./services/gateway/cmd/gateway", "./services/metadata/cmd/metadata",
			"./services/query-executor/cmd/query-executor", "./services/event-delivery/cmd/event-delivery",
			"./services/scheduler/cmd/scheduler")
		list.Dir, list.Stderr = root, os.Stderr
		list.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"), "GOFLAGS=", "CGO_ENABLED=0", "GOOS="+system)
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			name, version, top, dir := fields[0], fields[1], fields[2], fields[3]
			if version == "" && name != "Go" {
				continue // a module of the workspace
			}
			c, ok := found[name]
			if !ok {
				c = component{name: name, version: version, files: map[string]string{}}
				found[name] = c
			}
			if err := c.collect(top, dir); err != nil {
				return nil, err
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b component) int { return strings.Compare(a.name, b.name) }), nil
}

// collect adds the files of a directory of the component and of those above it, up to its top: parts that
// others wrote have theirs next to them.
func (c component) collect(top, dir string) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if e.IsDir() || !licenseFile.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(top, path)
			if err != nil {
				return err
			}
			c.files[name] = string(text)
		}
		if dir == top {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

// bundledTitle is the line that the console's build writes above the license of a package, and above another file of it.
var bundledTitle = regexp.MustCompile(`(?m)^## (\S+) - (\S+) \((?:in (\S+)|.*)\)$`)

// console are the packages of the file that the console's build writes.
func console(file string) ([]component, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var found []component
	titles := bundledTitle.FindAllStringSubmatchIndex(string(text), -1)
	for i, at := range titles {
		end := len(text)
		if i+1 < len(titles) {
			end = titles[i+1][0]
		}
		name, version, content := string(text[at[2]:at[3]]), string(text[at[4]:at[5]]), string(text[at[1]:end])
		if at[6] < 0 {
			found = append(found, component{name: name, version: version, files: map[string]string{"LICENSE": content}})
			continue
		}
		of := slices.IndexFunc(found, func(c component) bool { return c.name == name && c.version == version })
		if of < 0 {
			return nil, fmt.Errorf("%s: %s %s has no license", file, name, version)
		}
		found[of].files[string(text[at[6]:at[7]])] = content
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s names no package", file)
	}
	return found, nil
}

// licenses names the licenses of a component, sorted.
func (c component) licenses() ([]string, error) {
	found := map[string]bool{}
	for name, text := range c.files {
		switch {
		case unjudged.MatchString(name):
			continue
		case strings.HasPrefix(text, sqliteText):
			found[sqlite] = true
			continue
		}
		coverage := licensecheck.Scan(listed.ReplaceAll([]byte(text), nil))
		if !partly.MatchString(filepath.Base(name)) && coverage.Percent < known {
			return nil, fmt.Errorf("%s %s: %s isn't a license that is known (%.0f %% of it is)", c.name, c.version, name, coverage.Percent)
		}
		for _, m := range coverage.Match {
			found[m.ID] = true
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s %s has no license", c.name, c.version)
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// check fails when a license of one of the components isn't allowed.
func check(components []component) error {
	var faults []error
	for _, c := range components {
		licenses, err := c.licenses()
		if err != nil {
			faults = append(faults, err)
		}
		for _, l := range licenses {
			if !slices.Contains(allowed, l) && documentation[c.name] != l {
				faults = append(faults, fmt.Errorf("%s %s has the license %s, which isn't allowed", c.name, c.version, l))
			}
		}
	}
	return errors.Join(faults...)
}

// format writes each text once, below the names of all that have it.
func format(components []component) string {
	var out strings.Builder
	out.WriteString("# Third-party notices\n\nThe programs contain these parts, which others wrote. `make generate` writes this file.\n\n")
	names := map[string][]string{} // by text
	var texts []string
	for _, c := range components {
		title := strings.TrimSpace(c.name + " " + c.version)
		licenses, _ := c.licenses()
		fmt.Fprintf(&out, "- %s: %s\n", title, strings.Join(licenses, ", "))
		for _, name := range slices.Sorted(maps.Keys(c.files)) {
			text := strings.Trim(strings.ReplaceAll(c.files[name], "\r", ""), "\n")
			if names[text] == nil {
				texts = append(texts, text)
			}
			names[text] = append(names[text], title+" ("+filepath.ToSlash(name)+")")
		}
	}
	for _, text := range texts {
		fmt.Fprintf(&out, "\n## %s\n\n", strings.Join(names[text], "\n## "))
		for line := range strings.Lines(text) {
			out.WriteString(strings.TrimRight("    "+strings.TrimRight(line, "\n"), " \t") + "\n")
		}
	}
	return out.String()
}
