package engine

import (
	"fmt"
	"os"

	"queryengine/pkg/program"
	"queryengine/services/engine/internal/assembly"
	"queryengine/services/engine/internal/command"
)

// Main is the main function of a program that is the engine with more code: it has all commands of the engine's own
// program, which is Main without options. It doesn't return.
func Main(options ...Option) {
	code, err := codeOf(options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if len(os.Args) > 1 && (os.Args[1] == "serve" || os.Args[1] == "service") {
		program.RelaxTimers()
	}
	ctx, stop := program.Signals()
	shell := command.Shell{
		In: os.Stdin, Out: os.Stdout, Errs: os.Stderr, Env: os.LookupEnv, Setenv: os.Setenv,
		Check: assembly.Check, Assemble: assembly.Services, Program: assembly.Program, Code: code,
	}
	status := shell.Run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}
