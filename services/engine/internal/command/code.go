package command

import (
	"context"
	"errors"
	"fmt"

	"queryengine/pkg/extension"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
	"queryengine/pkg/remoteschema"
)

const serviceUsage = `Usage: engine service NAME [OPTION...]

Runs one service as its own program does, with the code of this build: gateway, metadata, query-executor, event-delivery or
scheduler. engine service NAME --help lists its options.
`

// service runs one service as its own program does, with the code of this build.
func (sh *Shell) service(ctx context.Context, args []string) int {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	if name == "--help" || name == "-h" {
		fmt.Fprint(sh.Out, serviceUsage)
		return 0
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

// goTypes prints the types of the actions in Go.
func goTypes() projectCommand {
	return projectCommand{run: func(_ context.Context, p *workplace, _ []string) error {
		text, err := extension.SDL(p.Code.Handlers())
		if err == nil && text == "" {
			err = errors.New("this build has no actions in Go")
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(p.Out, text)
		return err
	}}
}

// goSchema prints the schema of a role, which generators of clients read.
func goSchema() projectCommand {
	return projectCommand{run: func(ctx context.Context, p *workplace, _ []string) error {
		raw, err := p.server.Query(ctx, remoteschema.Query)
		if err != nil {
			return err
		}
		schema, err := remoteschema.FromIntrospection(raw)
		if err != nil {
			return err
		}
		p.print("schema {")
		for i, root := range []*remoteschema.Type{schema.Query, schema.Mutation, schema.Subscription} {
			if root != nil {
				p.print("  %s: %s", []string{"query", "mutation", "subscription"}[i], root.Name)
			}
		}
		p.print("}\n%s", schema)
		return nil
	}}
}
