// Package completion completes command lines: it knows what may follow the words that are typed
// so far, and has the scripts by which shells ask for it.
//
// The scripts hold no words themselves. They call the program with Word and what is typed, and
// the program answers with Write; so what is offered is what that version of it understands.
package completion

import (
	"fmt"
	"io"
	"strings"
)

// Word is the command by which the scripts ask.
const Word = "__complete"

// Command is a word of a command line, and what may follow it.
type Command struct {
	Name, Help string
	Commands   []*Command
	Options    []Option
}

// Option is an option of a command.
type Option struct {
	Name, Help string // with dashes
	// Switch options need no value.
	Switch bool
	// Values are those that there are, nil for any. List options hold several, separated by
	// commas.
	Values []string
	List   bool
}

// candidate is a word that may stand at the end of a command line.
type candidate struct{ word, help string }

// Write writes what the last of the words may become, a line each: the word, a tab, and what it
// is. It writes nothing where anything may stand, such as the name of a file.
func (c *Command) Write(w io.Writer, words []string) {
	for _, found := range c.complete(words) {
		fmt.Fprintf(w, "%s\t%s\n", found.word, found.help)
	}
}

func (c *Command) complete(words []string) []candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	for i := 0; i < len(words)-1; i++ {
		word := words[i]
		if !strings.HasPrefix(word, "-") {
			if next := c.command(word); next != nil {
				c = next
			}
			continue
		}
		o := c.option(word)
		// bash takes "--option=value" for three words.
		given := words[i+1] == "="
		if given {
			i++
		}
		if o == nil || o.Switch && !given {
			continue
		}
		if i++; i == len(words)-1 {
			return o.complete("", last)
		} else if i == len(words) { // it ends with "="
			return o.complete("", "")
		}
	}
	if name, value, ok := strings.Cut(last, "="); ok && strings.HasPrefix(last, "-") {
		if o := c.option(name); o != nil {
			return o.complete(name+"=", value)
		}
		return nil
	}
	return c.words(last)
}

// words are the commands and options that begin with a text; options, when they are requested or
// there is nothing else.
func (c *Command) words(begin string) []candidate {
	var list []candidate
	for _, next := range c.Commands {
		if strings.HasPrefix(next.Name, begin) {
			list = append(list, candidate{next.Name, next.Help})
		}
	}
	if len(c.Commands) > 0 && !strings.HasPrefix(begin, "-") || begin != "" && begin[0] != '-' {
		return list
	}
	for _, o := range c.Options {
		if strings.HasPrefix(o.Name, begin) {
			list = append(list, candidate{o.Name, o.Help})
		}
	}
	return list
}

func (c *Command) command(name string) *Command {
	for _, next := range c.Commands {
		if next.Name == name {
			return next
		}
	}
	return nil
}

func (c *Command) option(name string) *Option {
	name = "-" + strings.TrimLeft(name, "-")
	for i := range c.Options {
		if "-"+strings.TrimLeft(c.Options[i].Name, "-") == name {
			return &c.Options[i]
		}
	}
	return nil
}

// complete gives the values that begin with a text, each behind a prefix.
func (o *Option) complete(prefix, begin string) []candidate {
	given := ""
	if i := strings.LastIndexByte(begin, ','); o.List && i >= 0 {
		given, begin = begin[:i+1], begin[i+1:]
	}
	var list []candidate
	for _, v := range o.Values {
		if strings.HasPrefix(v, begin) && !strings.Contains(","+given, ","+v+",") {
			list = append(list, candidate{prefix + given + v, ""})
		}
	}
	return list
}
