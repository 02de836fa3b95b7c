package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// completions asks the program itself what the last word may become.
func completions(t *testing.T, words ...string) []string {
	t.Helper()
	s := newShell(t, nil)
	require.Zero(t, s.Run(t.Context(), append([]string{"__complete"}, words...)))
	var list []string
	for line := range strings.Lines(s.out.String()) {
		word, _, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		require.True(t, ok, line)
		list = append(list, word)
	}
	return list
}

func TestCompletions(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"me":                                   {"metadata"},
		"metadata ":                            {"apply", "clear", "diff", "export", "follow", "inconsistency", "reload", "test"},
		"metadata inconsistency s":             {"status"},
		"migrate apply --d":                    {"--down", "--dry-run"},
		"migrate apply --type ":                {"up", "down"},
		"migrate apply --dry-run --v":          {"--version"},
		"migrate apply --project shop --end":   {"--endpoint"},
		"migrate apply --project apply --skip": {"--skip-execution"},
		"migrate apply --project ":             nil, // a directory
		"serve --log-le":                       {"--log-level"},
		"serve --log-level ":                   {"debug", "info", "warn", "error"},
		"serve --log-level w":                  {"warn"},
		"serve --log-level=w":                  {"--log-level=warn"},
		"serve --log-level = w":                {"warn"}, // as bash splits it
		"serve --log-level =":                  {"debug", "info", "warn", "error"},
		"serve -i ser":                         {"serializable"},
		"serve --dev-mode --nats-r":            {"--nats-replicas", "--nats-readers"},
		"serve --dev-mode=":                    {"--dev-mode=true", "--dev-mode=false"},
		"serve --services gateway,q":           {"gateway,query-executor"},
		"serve --services gateway,g":           nil,
		"serve --tls-key ":                     nil, // a file
		"echo --st":                            {"--status"},
		"secrets s":                            {"show"},
		"completion ":                          {"bash", "zsh", "fish"},
		"help mi":                              {"migrate"},
		"import --over":                        {"--overwrite"},
		"--services g":                         {"gateway"}, // serve without its name
	} {
		require.Equal(t, want, completions(t, strings.Split(line, " ")...), line)
	}
}

// TestEveryCommandIsCompleted: with a word on what it does.
func TestEveryCommandIsCompleted(t *testing.T) {
	t.Parallel()
	s := newShell(t, nil)
	require.Zero(t, s.Run(t.Context(), []string{"__complete", ""}))
	known := map[string]string{}
	for line := range strings.Lines(s.out.String()) {
		word, help, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		known[word] = help
	}
	s = newShell(t, nil)
	require.Zero(t, s.Run(t.Context(), []string{"help"}))
	_, listed, _ := strings.Cut(s.out.String(), "Commands:\n")
	count := 0
	for line := range strings.Lines(listed) {
		if word, ok := strings.CutPrefix(line, "  "); ok && word[0] != ' ' {
			count++
			require.NotEmpty(t, known[strings.Fields(word)[0]], line)
		}
	}
	require.Len(t, known, count+1, "and help")
}

// TestShellsComplete has shells complete with the scripts that are made for them.
func TestShellsComplete(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "engine"),
		[]byte("#!/bin/sh\n"+asEngine+"=1 exec '"+program+"' \"$@\"\n"), 0o700)) //nolint:gosec // a program
	for shell, c := range map[string]struct {
		args   []string
		script string
	}{
		"bash": {[]string{"--norc", "--noprofile"}, `
			source <(engine completion bash)
			complete -p engine >/dev/null || exit 1
			typed() { COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _engine_complete; printf '%s\n' "${COMPREPLY[@]}"; }
			typed engine metadata ap
			typed engine serve --log-level = d
			typed "` + dir + `/engine" seed ""`},
		"zsh": {[]string{"-f"}, `
			compdef() { [[ "$1 $2" = "_engine engine" ]] || exit 1 }
			_describe() { print -l -- "${(@)${(P)2}%%:*}" }
			_files() { print files }
			source <(engine completion zsh)
			typed() { words=("$@"); CURRENT=$#words; _engine }
			typed engine metadata ap
			typed engine serve --log-level d
			typed "` + dir + `/engine" seed ""`},
		"fish": {[]string{"--no-config"}, `
			engine completion fish | source
			complete -C "engine metadata ap" | string split -f1 \t
			complete -C "engine serve --log-level d" | string split -f1 \t
			complete -C "` + dir + `/engine seed " | string split -f1 \t
			exit 0`},
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("%s is not installed: its completion is not tried", shell)
			}
			cmd := exec.CommandContext(t.Context(), shell, slices.Concat(c.args, []string{"-c", c.script})...)
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir, "LC_ALL=C.UTF-8")
			var errs strings.Builder
			cmd.Stderr = &errs
			out, err := cmd.Output()
			require.NoError(t, err, errs.String())
			require.Equal(t, []string{"apply", "debug", "apply", "create"}, strings.Fields(string(out)), errs.String())
		})
	}
}
