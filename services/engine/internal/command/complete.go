package command

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/completion"
	"queryengine/pkg/config"
)

const completionUsage = `Usage: engine completion bash|zsh|fish

Prints a script that completes command lines of engine:
  bash   source <(engine completion bash)      in ~/.bashrc
  zsh    source <(engine completion zsh)       in ~/.zshrc, after compinit
  fish   engine completion fish | source       in ~/.config/fish/config.fish
`

// completion prints the script of a shell.
func (sh *Shell) completion(args []string) error {
	switch {
	case len(args) == 1 && isHelp(args[0]):
		fmt.Fprint(sh.Out, completionUsage)
		return nil
	case len(args) == 0:
		fmt.Fprintf(sh.Errs, "engine: completion needs a shell: %s (see engine completion --help)\n", strings.Join(completion.Shells, ", "))
		return exit(exitUsage)
	case !slices.Contains(completion.Shells, args[0]):
		return sh.unknown("completion", args[0], completion.Shells)
	case len(args) > 1:
		fmt.Fprintf(sh.Errs, "engine: unknown argument %q (see engine completion --help)\n", args[1])
		return exit(exitUsage)
	}
	return completion.WriteScript(sh.Out, args[0], "engine")
}

// commandTree is what may be typed.
func commandTree() *completion.Command {
	settings := config.Options(config.Engine)
	root := &completion.Command{Name: "engine", Options: append(slices.Clone(settings), completion.Option{Name: "--version", Switch: true})}
	for _, name := range commands {
		c := &completion.Command{Name: name, Help: helpOf(name)}
		switch name {
		case "metadata", "migrate", "seed", "documents", "go":
			addProjectCommands(c, name)
		case "track":
			c.Options = flagOptions(projectFlags(trackCommand()).FlagSet)
		case "import":
			c.Options = flagOptions(projectFlags(importCommand()).FlagSet)
		case "console":
			c.Options = flagOptions(projectFlags(consoleCommand()).FlagSet)
		case "doctor":
			c.Options = flagOptions(projectFlags(doctorCommand()).FlagSet)
		case "dev":
			c.Options = append(slices.Clone(settings), flagOptions((&devOptions{}).flags())[1:]...)
		case "mcp":
			c.Options = flagOptions(newMCPFlags().FlagSet)
		case "init":
			set, _, _ := newInitFlags()
			c.Options = flagOptions(set)
		case "echo":
			c.Options = flagOptions(newEchoFlags(nil).FlagSet)
		case "secrets":
			c.Commands = named(secretsCommands)
		case "completion":
			c.Commands = named(completion.Shells)
		case "help":
			c.Commands = named(commands)
		case "version":
		default:
			c.Options = settings
		}
		root.Commands = append(root.Commands, c)
	}
	return root
}

// helpOf is the first line of the usage of a command.
func helpOf(command string) string {
	for line := range strings.Lines(usage) {
		if rest, ok := strings.CutPrefix(line, "  "+command+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

func named(names []string) []*completion.Command {
	var list []*completion.Command
	for _, name := range names {
		list = append(list, &completion.Command{Name: name})
	}
	return list
}

// addProjectCommands adds the words that may follow those of a group.
func addProjectCommands(c *completion.Command, group string) {
	for _, name := range subcommands(group) {
		sub := &completion.Command{Name: name}
		if leaf := projectCommands()[group+" "+name]; leaf != nil {
			sub.Options = flagOptions(projectFlags(leaf()).FlagSet)
		} else {
			addProjectCommands(sub, group+" "+name)
		}
		c.Commands = append(c.Commands, sub)
	}
}

// flagOptions are the options of a command that has flags of its own.
func flagOptions(set *flag.FlagSet) []completion.Option {
	list := []completion.Option{{Name: "--help", Help: "list the options", Switch: true}}
	set.VisitAll(func(f *flag.Flag) {
		_, help := flag.UnquoteUsage(f)
		o := completion.Option{Name: "--" + f.Name, Help: help, Switch: isSwitch(f)}
		if c, ok := f.Value.(*choice); ok {
			o.Values = c.values
		}
		list = append(list, o)
	})
	return list
}

// isSwitch reports whether an option needs no value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
