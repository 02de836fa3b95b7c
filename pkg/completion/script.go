package completion

import (
	"fmt"
	"io"
	"strings"
)

// Shells are those that there are scripts for.
var Shells = []string{"bash", "zsh", "fish"}

// WriteScript writes the script by which a shell completes the command lines of a program. It is an
// error when there is none for the shell.
func WriteScript(w io.Writer, shell, program string) error {
	text, ok := scripts[shell]
	if !ok {
		return fmt.Errorf("there is no completion for %q, but for %s", shell, strings.Join(Shells, ", "))
	}
	_, err := strings.NewReplacer(
		"@program@", program, "@function@", strings.ReplaceAll(program, "-", "_"), "@ask@", Word,
	).WriteString(w, text)
	return err
}

// scripts of the shells. The program is called as it was typed, so that a path to it works, too.
var scripts = map[string]string{
	"bash": `# Completion of @program@ for bash: source <(@program@ completion bash)
_@function@_complete() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("${COMP_WORDS[0]}" @ask@ "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _@function@_complete @program@
`,
	"zsh": `#compdef @program@
# Completion of @program@ for zsh: source <(@program@ completion zsh), after compinit
_@function@() {
    local line
    local -a found
    while IFS= read -r line; do
        found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done < <("${words[1]}" @ask@ "${(@)words[2,$CURRENT]}" 2>/dev/null)
    if (( $#found )); then
        _describe @program@ found
    else
        _files
    fi
}
if [[ "${funcstack[1]}" = _@function@ ]]; then
    _@function@ "$@"
else
    compdef _@function@ @program@
fi
`,
	"fish": `# Completion of @program@ for fish: @program@ completion fish | source
function __@function@_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l current (commandline -ct)
    set -l found ($program @ask@ $words "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c @program@ -f -a '(__@function@_complete)'
`,
}
