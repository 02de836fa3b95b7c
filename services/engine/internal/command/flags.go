package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"queryengine/pkg/config"
)

// errUsage reports that the fault of a command line has been printed.
var errUsage = exit(exitUsage)

// newFlags are options of a command that has its own, besides the settings of services. explainFlag
// reports their faults in one line.
func newFlags() *flag.FlagSet {
	set := flag.NewFlagSet("engine", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return set
}

// parse takes options before and after the other arguments. It fails with flag.ErrHelp after it printed
// the help, with errUsage after it printed the fault.
func (sh *Shell) parse(set *flag.FlagSet, usage string, args []string) ([]string, error) {
	positional, err := parseFlags(set, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(sh.Out, usage, "\nOptions:\n")
		set.SetOutput(sh.Out)
		set.PrintDefaults()
	case err != nil:
		fmt.Fprintf(sh.Errs, "engine: %s (see --help)\n", explainFlag(err, set))
		err = errUsage
	}
	return positional, err
}

// The texts of package flag.
var (
	undefinedFlag = regexp.MustCompile(`(?s)^flag provided but not defined: -+(.*)$`)
	withoutValue  = regexp.MustCompile(`(?s)^flag needs an argument: -+(.*)$`)
	wrongValue    = regexp.MustCompile(`(?s)^invalid (?:boolean )?value ".*" for (?:flag )?-+([^:]+): (.*)$`)
)

// explainFlag words an error of package flag like those of settings, and names the option that
// was probably meant.
func explainFlag(err error, set *flag.FlagSet) string {
	text := err.Error()
	if m := undefinedFlag.FindStringSubmatch(text); m != nil {
		known := []string{"--help"}
		set.VisitAll(func(f *flag.Flag) { known = append(known, "--"+f.Name) })
		name := "--" + m[1]
		return fmt.Sprintf("unknown argument %q%s", name, config.DidYouMean(name, known))
	}
	if m := withoutValue.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("option --%s needs a value", m[1])
	}
	if m := wrongValue.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("option --%s: %s", m[1], m[2])
	}
	return text
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

// choice is the value of an option that is one of several words.
type choice struct {
	text   *string
	values []string
}

// choose declares an option that is one of several words.
func choose(set *flag.FlagSet, text *string, name, initial, usage string, values ...string) {
	*text = initial
	set.Var(&choice{text, values}, name, usage)
}

func (c *choice) String() string {
	if c.text == nil { // a zero value, which package flag makes
		return ""
	}
	return *c.text
}

// Set takes one of the words.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.values, text) {
		return fmt.Errorf("%q is not %s", text, strings.Join(c.values, " or "))
	}
	*c.text = text
	return nil
}
