package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const committed = "../../../THIRD-PARTY-NOTICES.md"

var update = flag.Bool("update", false, "write THIRD-PARTY-NOTICES.md")

// TestNotices: every license is allowed, and the committed file names all parts.
func TestNotices(t *testing.T) {
	t.Parallel()
	text, err := notices("../../..")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(committed, []byte(text), 0o644))
	}
	want, err := os.ReadFile(committed)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "THIRD-PARTY-NOTICES.md is stale: run make generate")
	for _, part := range []string{"- Go: BSD-3-Clause", "- github.com/jackc/pgx/v5 v", "- react 1", "- github.com/prometheus/procfs v", "## prettier 3.10.1 (THIRD-PARTY-NOTICES.md)\n"} {
		require.Contains(t, text, part)
	}
}

func TestPlantedLicenses(t *testing.T) {
	t.Parallel()
	mit, err := os.ReadFile("../../../services/gateway/internal/console/dist/licenses.md")
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(mit), "## @codemirror/autocomplete")
	_, text, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, "\n## ")
	const (
		gpl  = "This program is free software: you can redistribute it and/or modify\nit under the terms of the GNU General Public License as published by\nthe Free Software Foundation, either version 3 of the License, or\n(at your option) any later version.\n"
		mine = "You may look at this, but you may not use it before you have paid.\n"
	)
	for name, c := range map[string]struct {
		files map[string]string
		fault string
	}{
		"allowed":                {map[string]string{"LICENSE": text}, ""},
		"of a list of icons":     {map[string]string{"LICENSE": text + strings.Repeat("arrow-up, ", 1000) + "x\n"}, ""},
		"copyleft":               {map[string]string{"COPYING": gpl}, "example v1.2.3 has the license GPL-3.0-or-later, which isn't allowed"},
		"of a part":              {map[string]string{"LICENSE": text, "part/LICENSE": gpl}, "has the license GPL-3.0-or-later, which isn't allowed"},
		"of its own":             {map[string]string{"LICENSE": mine}, "LICENSE isn't a license that is known (0 % of it is)"},
		"of its own, next to it": {map[string]string{"LICENSE": text, "LICENSE.enterprise": mine}, "LICENSE.enterprise isn't a license that is known"},
		"none":                   {map[string]string{"README.md": text}, "example v1.2.3 has no license"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(top, "part"), 0o755))
			for file, text := range c.files {
				require.NoError(t, os.WriteFile(filepath.Join(top, file), []byte(text), 0o644))
			}
			planted := component{name: "example", version: "v1.2.3", files: map[string]string{}}
			require.NoError(t, planted.collect(top, filepath.Join(top, "part")))
			err := check([]component{planted})
			if c.fault == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.fault)
		})
	}
}

// TestConsoleInSBOM: what npm has brought into a program is listed next to Go's modules.
func TestConsoleInSBOM(t *testing.T) {
	t.Parallel()
	text, err := addConsole(strings.NewReader(`{"bomFormat": "CycloneDX", "components": [{"name": "std"}]}`), "../../..")
	require.NoError(t, err)
	var sbom struct {
		BOMFormat  string `json:"bomFormat"`
		Components []struct {
			Name, Version, Purl string
			Licenses            []struct{ License struct{ ID string } }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &sbom))
	require.Equal(t, "CycloneDX", sbom.BOMFormat)
	require.Equal(t, "std", sbom.Components[0].Name)
	bundled, err := console("../../../" + bundledLicenses)
	require.NoError(t, err)
	require.Len(t, sbom.Components, 1+len(bundled))
	for _, c := range sbom.Components[1:] {
		require.Regexp(t, `^pkg:npm/(%40[a-z0-9-]+/)?[a-z0-9-]+@\d+\.\d+\.\d+$`, c.Purl)
		require.NotEmpty(t, c.Licenses, c.Name)
		require.NotEmpty(t, c.Licenses[0].License.ID, c.Name)
	}
}
