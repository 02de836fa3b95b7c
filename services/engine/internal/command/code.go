package command

import (
	"context"
	"errors"
	"fmt"

	"queryengine/pkg/extension"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
)

// service runs one service as its own program does, with the code of this build.
func (sh *Shell) service(ctx context.Context, args []string) int {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	service, check, build, ok := sh.Program(name)
	if !ok {
		fmt.Fprintf(sh.Errs, "engine service: no service %q: gateway, metadata, query-executor, event-delivery or scheduler\n", name)
		return exitUsage
	}
	return program.Run(ctx, service, args[1:], sh.Env, sh.Out, sh.Errs, check, func(e *program.Env) (lifecycle.Service, error) {
		e.Use(sh.Code)
		return build(e)
	})
}

// goCode prints the types of the actions in Go.
func (sh *Shell) goCode(args []string) error {
	if len(args) != 1 || args[0] != "types" {
		return errors.New("the command is: engine go types")
	}
	text := extension.SDL(sh.Code.Handlers())
	if text == "" {
		return errors.New("this build has no actions in Go")
	}
	_, err := fmt.Fprint(sh.Out, text)
	return err
}
