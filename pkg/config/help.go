package config

import (
	"fmt"
	"io"
	"strings"
)

// WriteHelp writes the settings that a service reads, as --help shows them.
func WriteHelp(w io.Writer, service Service) {
	var group Group
	for _, s := range Table() {
		if !s.ReadBy(service) {
			continue
		}
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(w, "\n%s:\n", group)
		}
		fmt.Fprintf(w, "  %s%s\n        %s\n        %s%s\n", flags(s), placeholder(s), s.Help, s.Env(), suffix(s))
	}
}

// flags are the flag and its short form.
func flags(s *Spec) string {
	if s.Short == "" {
		return "--" + s.Flag
	}
	return "--" + s.Flag + ", -" + s.Short
}

func placeholder(s *Spec) string {
	if s.Switch {
		return ""
	}
	return " VALUE"
}

func suffix(s *Spec) string {
	var b strings.Builder
	if s.Values != "" {
		b.WriteString(" (" + s.Values + ")")
	}
	if s.Default != "" {
		b.WriteString(", default " + s.Default)
	}
	return b.String()
}

// WriteMarkdown writes docs/configuration.md.
func WriteMarkdown(w io.Writer) {
	fmt.Fprint(w, `# Configuration

Every setting is a flag and an environment variable. A flag wins over a variable, a variable
over the default. `+"`NAME_FILE`"+` instead of a variable `+"`NAME`"+` names a file that holds the value,
for secrets that a platform mounts. Wrong values stop the start, with a line for each that says why.
`+"`engine`"+` reads all of them, a single service those that name it.

This page is made from the table in `+"`pkg/config`"+` by `+"`make generate`"+`.
`)
	var group Group
	for _, s := range Table() {
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(w, "\n## %s\n%s\n| Flag | Variable | Default | Meaning | Read by |\n|---|---|---|---|---|\n", group, introduction(group))
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", flags(s), variables(s), code(s.Default), meaning(s), readers(s))
	}
}

func introduction(g Group) string {
	if g != GroupNoEffect {
		return ""
	}
	return `
These are checked, so that a configuration that names them starts, and they do nothing: what
they are for is not here yet, or has no meaning here. Each start warns of those that are set.
`
}

func variables(s *Spec) string {
	if s.OldVariable == "" {
		return code(s.Env())
	}
	return code(s.Env()) + ", formerly " + code(VariablePrefix+s.OldVariable)
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func meaning(s *Spec) string {
	text := s.Help
	if s.Values != "" {
		text += " (" + s.Values + ")"
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

func readers(s *Spec) string {
	switch len(s.Services) {
	case 0:
		return "engine"
	case len(all()):
		return "all"
	}
	names := make([]string, len(s.Services))
	for i, service := range s.Services {
		names[i] = string(service)
	}
	return strings.Join(names, ", ")
}
