package program

import (
	"fmt"
	"io"
	"strings"

	"queryengine/pkg/completion"
	"queryengine/pkg/config"
)

// commands of a program that runs one service. Without one it runs the service.
var commands = []string{"version", "health", "help", "completion"}

// commandTree is what may be typed after the name of a program.
func commandTree(name config.Service) *completion.Command {
	options := config.Options(name)
	root := &completion.Command{Name: string(name), Options: options}
	for _, word := range commands {
		c := &completion.Command{Name: word}
		switch word {
		case "health":
			c.Options = options
		case "completion":
			for _, shell := range completion.Shells {
				c.Commands = append(c.Commands, &completion.Command{Name: shell})
			}
		}
		root.Commands = append(root.Commands, c)
	}
	return root
}

// printScript prints the completion of a program for a shell, and returns the exit code.
func printScript(out, errs io.Writer, name config.Service, args []string) int {
	if len(args) != 1 {
		fmt.Fprintf(errs, "%s: completion needs a shell: %s\n", name, strings.Join(completion.Shells, ", "))
		return exitUsage
	}
	if err := completion.WriteScript(out, args[0], string(name)); err != nil {
		fmt.Fprintf(errs, "%s: %s\n", name, err)
		return exitUsage
	}
	return exitOK
}
