package config

import "strings"

// VariablePrefix starts the name of every environment variable.
const VariablePrefix = "ENGINE_GRAPHQL_"

// Service names who reads a setting.
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
	Flag string // without dashes
	// Variable is the environment variable without VariablePrefix.
	Variable string
	Default  string
	Help     string
	// Values says in words what is accepted: "integer, seconds".
	Values string
	Group  Group
	// Services that read it; engine reads all.
	Services []Service
	// Secret values are never printed.
	Secret bool
	// Switch is a flag without a value: a boolean that is false by default.
	Switch bool
}

// Env is the full name of the environment variable.
func (s *Spec) Env() string { return VariablePrefix + s.Variable }

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

// The groups in the order of the help.
const (
	GroupListener  Group = "Listener"
	GroupDatabases Group = "Databases"
	GroupBus       Group = "Bus"
	GroupAccess    Group = "Access"
	GroupSchema    Group = "Schema"
	GroupLimits    Group = "Limits"
	GroupOperation Group = "Operation"
)

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

func (s Setting[T]) check(text string) error {
	_, err := s.parse(text)
	return err
}

type row interface {
	Spec() *Spec
	check(text string) error
}

func define[T any](spec Spec, parse func(string) (T, error)) Setting[T] {
	if spec.Variable == "" {
		spec.Variable = strings.ToUpper(strings.ReplaceAll(spec.Flag, "-", "_"))
	}
	return Setting[T]{spec: &spec, parse: parse}
}
