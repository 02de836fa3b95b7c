package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"queryengine/pkg/config"
	"queryengine/services/engine/internal/project"
	"queryengine/services/engine/internal/remote"
)

// errNo is the exit code of a command whose answer is no: there are differences,
// inconsistent objects, or migrations that are not applied. 1 stays for what failed, 2 for a
// command line that isn't understood.
const errNo = exit(3)

const projectUsage = `Usage: engine metadata apply|export|diff|test|follow|reload|clear [OPTION...]
       engine metadata inconsistency list|drop|status [OPTION...]
       engine migrate create|apply|status|squash [OPTION...]
       engine seed create|apply [OPTION...]
       engine documents publish|diff|prune [OPTION...]
       engine go types|schema [OPTION...]
       engine console [OPTION...]
       engine import --from URL [OPTION...]
       engine doctor [--database-url URL] [OPTION...]

They work on a project directory (config.yaml, metadata/, migrations/, seeds/) and a server:
  --project DIR          the directory (default: where you are)
  --endpoint URL         the server (default http://localhost:8080)
  --admin-secret SECRET  its admin secret; better in ENGINE_GRAPHQL_ADMIN_SECRET
  --header "NAME: VALUE" a header of each request to it, as a token; may be given several times
  --timeout DURATION     how long a command, or a change in the console, may take (default 10m)

Exit codes: 0 done; 1 failed; 2 the command line is wrong;
            3 the answer is no (differences, inconsistent objects, migrations to apply,
            failed permission tests).
`

// projectCommand is one command on a project.
type projectCommand struct {
	// usage is the help text, projectUsage when it is empty.
	usage string
	// flags declares the options; run gets the rest of the arguments.
	flags func(*flag.FlagSet)
	run   func(ctx context.Context, p *workplace, args []string) error
	// serves is set on one that runs until it is stopped; the timeout is for what it does meanwhile.
	serves bool
}

// workplace is a project and its server.
type workplace struct {
	*Shell
	config  *project.Config
	server  *remote.Client
	timeout time.Duration
}

// projectCommands finds a command by its words.
func projectCommands() map[string]func() projectCommand {
	return map[string]func() projectCommand{
		"metadata apply":                metadataApply,
		"metadata export":               metadataExport,
		"metadata diff":                 metadataDiff,
		"metadata follow":               metadataFollow,
		"metadata test":                 metadataTest,
		"metadata reload":               metadataReload,
		"metadata clear":                metadataClear,
		"metadata inconsistency list":   inconsistencyList,
		"metadata inconsistency drop":   inconsistencyDrop,
		"metadata inconsistency status": inconsistencyStatus,
		"documents publish":             documentsPublish,
		"documents diff":                documentsDiff,
		"documents prune":               documentsPrune,
		"go types":                      goTypes,
		"go schema":                     goSchema,
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
		switch {
		case command != nil:
		case len(args) > 0 && isHelp(args[0]):
			fmt.Fprint(sh.Out, projectUsage)
			return nil
		default:
			return sh.unknownProjectCommand(group, args)
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

// unknownProjectCommand reports which word of a command isn't known, and which ones are.
func (sh *Shell) unknownProjectCommand(group string, args []string) error {
	if len(args) > 0 && slices.Contains(subcommands(group), args[0]) {
		group, args = group+" "+args[0], args[1:]
	}
	known := subcommands(group)
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		fmt.Fprintf(sh.Errs, "engine: %s needs a command: %s (see engine %s --help)\n",
			group, strings.Join(known, ", "), strings.Fields(group)[0])
		return exit(exitUsage)
	}
	return sh.unknown(group, args[0], known)
}

// unknown reports that a word isn't a command of the group.
func (sh *Shell) unknown(group, word string, known []string) error {
	fmt.Fprintf(sh.Errs, "engine: unknown command %q of %s%s (see engine %s --help)\n",
		word, group, config.DidYouMean(word, known), strings.Fields(group)[0])
	return exit(exitUsage)
}

// subcommands are the words that may follow those of a group.
func subcommands(group string) []string {
	var list []string
	for name := range projectCommands() {
		if rest, ok := strings.CutPrefix(name, group+" "); ok {
			list = append(list, strings.Fields(rest)[0])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// isHelp reports whether an argument asks for help.
func isHelp(argument string) bool {
	return argument == "help" || argument == "--help" || argument == "-h"
}

// projectOptions are the options of a command on a project.
type projectOptions struct {
	*flag.FlagSet
	dir, endpoint, secret *string
	headers               http.Header
	timeout               *time.Duration
}

func projectFlags(c projectCommand) projectOptions {
	set := newFlags()
	o := projectOptions{
		FlagSet:  set,
		dir:      set.String("project", ".", "directory of the project"),
		endpoint: set.String("endpoint", "", "address of the server"),
		secret:   set.String("admin-secret", "", "admin secret of the server"),
		headers:  http.Header{},
		timeout:  set.Duration("timeout", 10*time.Minute, "how long the command may take"),
	}
	set.Func("header", "`NAME: VALUE` of a header of each request to the server", func(text string) error { return addHeader(o.headers, text) })
	if c.flags != nil {
		c.flags(set)
	}
	return o
}

var headerName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")

// addHeader adds a header that is written NAME: VALUE.
func addHeader(h http.Header, text string) error {
	name, value, found := strings.Cut(text, ":")
	if value = strings.TrimSpace(value); !found || !headerName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
		return errors.New(`expected "NAME: VALUE"`) // the text may be a secret
	}
	h.Add(name, value)
	return nil
}

func (sh *Shell) runProject(ctx context.Context, c projectCommand, args []string) error {
	o := projectFlags(c)
	positional, err := sh.parse(o.FlagSet, cmp.Or(c.usage, projectUsage), args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	conf, err := project.LoadConfig(*o.dir, sh.Env)
	if err != nil {
		return err
	}
	if *o.endpoint != "" {
		conf.Endpoint = *o.endpoint
	}
	if *o.secret != "" {
		conf.AdminSecret = *o.secret
	}
	if conf.IgnoredVendor != "" && conf.Secret() == "" {
		fmt.Fprintf(sh.Errs, "warning: variables %[1]s* are ignored: set %[2]s to %[3]s\n",
			config.VendorPrefix(conf.IgnoredVendor), config.VendorNames.Spec().Env(), conf.IgnoredVendor)
	}
	conf.Headers = o.headers
	server, err := remote.New(conf)
	if err != nil {
		return err
	}
	if !c.serves {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *o.timeout)
		defer cancel()
	}
	return c.run(ctx, &workplace{sh, conf, server, *o.timeout}, positional)
}

// say reports progress; results go to Out.
func (p *workplace) say(format string, args ...any) { fmt.Fprintf(p.Errs, format+"\n", args...) }

func (p *workplace) print(format string, args ...any) { fmt.Fprintf(p.Out, format+"\n", args...) }
