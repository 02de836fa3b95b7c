package config

import "strings"

// VariablePrefix starts the name of every environment variable.
const VariablePrefix = "ENGINE_GRAPHQL_"

// Service is a program that reads a setting.
type Service string

// The programs.
const (
	Gateway       Service = "gateway"
	Metadata      Service = "metadata"
	QueryExecutor Service = "query-executor"
	EventDelivery Service = "event-delivery"
	Scheduler     Service = "scheduler"
	Engine        Service = "engine" // all five in one process; reads everything
)

// Spec is a row of the table.
type Spec struct {
	Flag  string // without dashes
	Short string // one letter, "" for none
	// Variable is the environment variable without VariablePrefix; made from Flag when
	// empty. OldVariable is one that is read when the other is not set.
	Variable, OldVariable string
	// FlagOnly settings have no variable.
	FlagOnly bool
	Default  string
	Help     string
	// Values describes what is accepted: "integer, seconds".
	Values string
	Group  Group
	// Services that read it; engine reads all.
	Services []Service
	// Choices are the values that there are, nil for any; List settings hold several of them.
	Choices []string
	List    bool
	// Secret values are never printed.
	Secret bool
	// Switch is a flag without a value: it turns the default of a boolean around.
	Switch bool
	// NoEffect settings are accepted because existing configurations have them, and do nothing.
	NoEffect bool
}

// Env is the full name of the environment variable, "" for none.
func (s *Spec) Env() string {
	if s.FlagOnly {
		return ""
	}
	return VariablePrefix + s.Variable
}

// ReadBy reports whether a service reads the setting.
func (s *Spec) ReadBy(service Service) bool {
	if service == Engine {
		return true
	}
	for _, r := range s.Services {
		if r == service {
			return true
		}
	}
	return false
}

// Group is a heading of the help.
type Group string

// The headings.
const (
	GroupListener      Group = "Listener"
	GroupDatabases     Group = "Databases"
	GroupBus           Group = "Bus"
	GroupAccess        Group = "Access"
	GroupSchema        Group = "Schema"
	GroupLimits        Group = "Limits"
	GroupEgress        Group = "Outgoing calls"
	GroupSubscriptions Group = "Subscriptions"
	GroupEvents        Group = "Events"
	GroupOperation     Group = "Operation"
	GroupNoEffect      Group = "Accepted without effect"
)

// groups are in the order of the help.
var groups = []Group{
	GroupListener, GroupDatabases, GroupBus, GroupAccess, GroupSchema,
	GroupLimits, GroupEgress, GroupSubscriptions, GroupEvents, GroupOperation, GroupNoEffect,
}

// Setting is a row with the type of its value.
type Setting[T any] struct {
	spec  *Spec
	parse func(string) (T, error)
}

// Spec is the row of the table.
func (s Setting[T]) Spec() *Spec { return s.spec }

// Get is the setting's value in v. It was checked by Load.
func (s Setting[T]) Get(v *Values) T {
	value, _ := s.parse(v.text(s.spec)) // Load has refused what can't be parsed
	return value
}

// IsSet reports whether a flag or a variable gave the value.
func (s Setting[T]) IsSet(v *Values) bool {
	_, ok := v.set[s.spec.Flag]
	return ok
}

// Default gives the setting a value that neither a flag nor a variable gave.
func (s Setting[T]) Default(v *Values, text string) {
	if !s.IsSet(v) {
		v.set[s.spec.Flag] = text
	}
}

// FromVariable is the name of the environment variable that holds the value, "" when it
// came from somewhere else, also from a file that a variable names.
func (s Setting[T]) FromVariable(v *Values) string { return v.variables[s.spec.Flag] }

func (s Setting[T]) check(text string) error {
	_, err := s.parse(text)
	return err
}

type row interface {
	Spec() *Spec
	check(text string) error
}

// defined are the rows that define has made while the package was initialised; nothing else adds any.
var defined []row

// define makes a row of the table, for a variable of the package.
func define[T any](spec Spec, parse func(string) (T, error)) Setting[T] {
	if spec.Variable == "" && !spec.FlagOnly {
		spec.Variable = strings.ToUpper(strings.ReplaceAll(spec.Flag, "-", "_"))
	}
	s := Setting[T]{spec: &spec, parse: parse}
	defined = append(defined, s)
	return s
}

// defineChoice is a setting that has one of values; message is the error for any other.
func defineChoice(spec Spec, message string, values ...string) Setting[string] {
	spec.Choices = values
	return define(spec, oneOf(message, values...))
}

// defineList is a setting that has several of values; message is the error for any other.
func defineList(spec Spec, message string, values ...string) Setting[[]string] {
	spec.Choices, spec.List = values, true
	return define(spec, listOf(message, values...))
}
