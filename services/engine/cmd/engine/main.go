// Command engine runs the services of Query Engine in one process.
package main

import (
	"os"

	"queryengine/pkg/program"
	"queryengine/services/engine/internal/assembly"
	"queryengine/services/engine/internal/command"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		program.RelaxTimers()
	}
	ctx, stop := program.Signals()
	shell := command.Shell{
		Out: os.Stdout, Errs: os.Stderr, Env: os.LookupEnv, Setenv: os.Setenv,
		Check: assembly.Check, Assemble: assembly.Services,
	}
	code := shell.Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
