package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"queryengine/services/engine/internal/project"
	"queryengine/services/engine/internal/remote"
)

// errNo is the exit code of a command whose answer is no: there are differences,
// inconsistent objects, or migrations that are not applied. 1 stays for what failed, 2 for a
// command line that isn't understood.
const errNo = exit(3)

const projectUsage = `Usage: engine metadata apply|export|diff|reload|clear [OPTION...]
       engine metadata inconsistency list|drop|status [OPTION...]
       engine migrate create|apply|status|squash [OPTION...]
       engine seed create|apply [OPTION...]
       engine import --from URL [OPTION...]

They work on a project directory (config.yaml, metadata/, migrations/, seeds/) and a server:
  --project DIR          the directory (default: where you are)
  --endpoint URL         the server (default http://localhost:8080)
  --admin-secret SECRET  its admin secret; better in ENGINE_GRAPHQL_ADMIN_SECRET
  --timeout DURATION     how long a command may take (default 10m)

Exit codes: 0 done; 1 failed; 2 the command line is wrong;
            3 the answer is no (differences, inconsistent objects, migrations to apply).
`

// projectCommand is one command on a project.
type projectCommand struct {
	// flags declares the options; run gets what is left of the arguments.
	flags func(*flag.FlagSet)
	run   func(ctx context.Context, p *workplace, args []string) error
}

// workplace is a project and its server.
type workplace struct {
	*Shell
	config *project.Config
	server *remote.Client
}

// projectCommands finds a command by its words.
func projectCommands() map[string]func() projectCommand {
	return map[string]func() projectCommand{
		"metadata apply":                metadataApply,
		"metadata export":               metadataExport,
		"metadata diff":                 metadataDiff,
		"metadata reload":               metadataReload,
		"metadata clear":                metadataClear,
		"metadata inconsistency list":   inconsistencyList,
		"metadata inconsistency drop":   inconsistencyDrop,
		"metadata inconsistency status": inconsistencyStatus,
		"migrate create":                migrateCreate,
		"migrate apply":                 migrateApply,
		"migrate status":                migrateStatus,
		"migrate squash":                migrateSquash,
		"seed create":                   seedCreate,
		"seed apply":                    seedApply,
	}
}

// onProject runs a command of the group.
func (sh *Shell) onProject(group string) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		command, rest := findProjectCommand(group, args)
		if command == nil {
			fmt.Fprint(sh.Errs, projectUsage)
			return exit(2)
		}
		return sh.runProject(ctx, command(), rest)
	}
}

func findProjectCommand(group string, args []string) (func() projectCommand, []string) {
	words := group
	for i := 0; i < len(args) && i < 2; i++ {
		words += " " + args[i]
		if c := projectCommands()[words]; c != nil {
			return c, args[i+1:]
		}
	}
	return nil, nil
}

func (sh *Shell) runProject(ctx context.Context, c projectCommand, args []string) error {
	set := flag.NewFlagSet("engine", flag.ContinueOnError)
	set.SetOutput(sh.Errs)
	set.Usage = func() {
		fmt.Fprint(sh.Errs, projectUsage, "\nOptions:\n")
		set.PrintDefaults()
	}
	dir := set.String("project", ".", "directory of the project")
	endpoint := set.String("endpoint", "", "address of the server")
	secret := set.String("admin-secret", "", "admin secret of the server")
	timeout := set.Duration("timeout", 10*time.Minute, "how long the command may take")
	if c.flags != nil {
		c.flags(set)
	}
	positional, err := parseFlags(set, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return exit(2)
	}
	config, err := project.LoadConfig(*dir, sh.Env)
	if err != nil {
		return err
	}
	if *endpoint != "" {
		config.Endpoint = *endpoint
	}
	if *secret != "" {
		config.AdminSecret = *secret
	}
	server, err := remote.New(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	return c.run(ctx, &workplace{sh, config, server}, positional)
}

// parseFlags takes options before and after the other arguments.
func parseFlags(set *flag.FlagSet, args []string) ([]string, error) {
	var positional []string
	for {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		if args = set.Args(); len(args) == 0 {
			return positional, nil
		}
		positional = append(positional, args[0])
		args = args[1:]
	}
}

// say tells of progress; results go to Out.
func (p *workplace) say(format string, args ...any) { fmt.Fprintf(p.Errs, format+"\n", args...) }

func (p *workplace) print(format string, args ...any) { fmt.Fprintf(p.Out, format+"\n", args...) }
