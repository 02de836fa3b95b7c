package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// Function is a tracked function.
type Function struct {
	Source  *Source
	Meta    *metadata.Function
	Catalog *catalog.Function
	Returns *Table
	// Field and AggregateField are the root fields, ArgsType is the type of `args`; all
	// after customisation.
	Field          RootField
	AggregateField RootField
	ArgsType       string
	// Mutation reports whether the function is exposed in the mutation root, else in the query
	// and subscription roots.
	Mutation bool
	// Args are the arguments left to the client.
	Args []FunctionArg
	// SessionArg is the index in Catalog.Args that takes the session variables, -1 for
	// none.
	SessionArg int
}

// FunctionArg is an argument that the client supplies.
type FunctionArg struct {
	// Field is the GraphQL name.
	Field string
	// Index is the position in catalog.Function.Args.
	Index int
	*catalog.Argument
	Scalar backend.Scalar
	// Optional arguments have a default.
	Optional bool
}

// Allowed reports whether the role may use the function: by its own or an inherited function
// permission, or by an inferred one. The role needs a select permission on Returns too.
func (f *Function) Allowed(role string) bool {
	if role == session.Admin || f.Source.head.inferFunctions && !f.Mutation {
		return true
	}
	return f.Source.roles.any(role, func(r string) bool {
		return slices.Contains(f.Meta.Permissions, metadata.FunctionPermission{Role: r})
	})
}

// OwnArg is the argument of that index where the engine fills it in: the session variables.
func (f *Function) OwnArg(i int) (a ir.CallArg, own bool) {
	if i != f.SessionArg {
		return ir.CallArg{}, false
	}
	return ir.CallArg{Value: ir.SessionObject{Type: f.Catalog.Args[i].Type}}, true
}

// buildFunctions resolves the tracked functions; those with a problem are left out.
func (s *Source) buildFunctions(prev *Source) {
	for i, m := range s.Meta.Functions {
		f := s.unchangedFunction(prev, m, i)
		if f == nil {
			f, _ = s.function(m)
		}
		if f != nil {
			s.Functions = append(s.Functions, f)
		}
	}
}

// unchangedFunction takes the function over from the version before; nil when what it
// rests on isn't the same.
func (s *Source) unchangedFunction(prev *Source, m *metadata.Function, near int) *Function {
	if prev.head != s.head {
		return nil
	}
	if near >= len(prev.Functions) || prev.Functions[near].Meta != m {
		near = slices.IndexFunc(prev.Functions, func(f *Function) bool { return f.Meta == m })
	}
	if near < 0 {
		return nil
	}
	f := prev.Functions[near]
	overloads := s.Catalog.Functions[m.Function]
	returns := s.tables[f.Returns.Meta.Table]
	if len(overloads) != 1 || overloads[0] != f.Catalog || returns == nil || returns.base != f.Returns.base {
		return nil
	}
	c := *f
	c.Source, c.Returns = s, returns
	return &c
}

// oneFunction is the function of that name when it is the only one.
func (s *Source) oneFunction(name catalog.Name) (*catalog.Function, problem) {
	switch overloads := s.Catalog.Functions[name]; len(overloads) {
	case 0:
		return nil, problemf("no such function exists: %q", s.head.display(name))
	case 1:
		return overloads[0], problem{}
	}
	return nil, problemf("function %q is overloaded. Overloaded functions are not supported", s.head.display(name))
}

// function resolves one tracked function. It rests on the overloads of the name and the
// table that the function returns.
func (s *Source) function(m *metadata.Function) (*Function, problem) {
	function, missing := s.oneFunction(m.Function)
	if function == nil {
		return nil, missing
	}
	var config metadata.FunctionConfiguration
	if m.Configuration != nil {
		config = *m.Configuration
	}
	f := &Function{Source: s, Meta: m, Catalog: function, SessionArg: -1}
	if reasons := f.refusals(config); len(reasons) > 0 {
		return nil, problemf("the function %q cannot be tracked %s", s.head.display(m.Function), because(reasons))
	}
	if f.Returns = s.Table(*function.ReturnTable); f.Returns == nil {
		return nil, notTracked(s.head.display(*function.ReturnTable))
	}
	f.Mutation = config.ExposedAs == "mutation" || config.ExposedAs == "" && function.Volatility == catalog.Volatile
	f.Args = s.userArgs(function, -1, f.SessionArg)
	f.setNames(config)
	return f, problem{}
}

// FunctionRefusal is why a function of db, a newer catalog of the source, can't be tracked as it is, ""
// when it can.
func (s *Schema) FunctionRefusal(source string, db *catalog.Source, function catalog.Name) string {
	src := s.Source(source)
	if src == nil {
		return "" // its own inconsistency says why
	}
	newer := *src
	newer.Catalog = db
	_, refused := newer.function(&metadata.Function{Function: function})
	return refused.reason
}

// refusals are the reasons why the function can't be tracked.
func (f *Function) refusals(config metadata.FunctionConfiguration) []string {
	var reasons []string
	function := f.Catalog
	if f.Source.head.identify(function.Name, config.CustomName).text == "" {
		reasons = append(reasons, "function name is not a legal GraphQL identifier")
	}
	if function.Variadic {
		reasons = append(reasons, `function with "VARIADIC" parameters are not supported`)
	}
	if function.ReturnTable == nil {
		if function.Return.Kind != catalog.TypeComposite {
			reasons = append(reasons, `the function does not return a "COMPOSITE" type`)
		}
		reasons = append(reasons, "the function does not return a table")
	}
	if config.ExposedAs == "mutation" && function.Volatility != catalog.Volatile {
		reasons = append(reasons, "the function was requested to be exposed as a mutation, but is not marked VOLATILE. Maybe the function was given the wrong volatility when it was defined?")
	}
	if name := config.SessionArgument; name != "" {
		f.SessionArg = argument(function, name)
		switch {
		case f.SessionArg < 0:
			reasons = append(reasons, fmt.Sprintf("given session argument %q not the input argument of the function", name))
		case !f.Source.Dialect.Scalar(function.Args[f.SessionArg].Type).JSON:
			reasons = append(reasons, fmt.Sprintf("given session argument %q is not of type json", name))
		}
	}
	var invalid []string
	for _, a := range function.Args {
		if a.Name != "" && !gqlname.Definable(a.Name) {
			invalid = append(invalid, a.Name)
		}
	}
	if len(invalid) > 0 {
		reasons = append(reasons, "the function arguments "+strings.Join(invalid, ",")+" are not in compliance with GraphQL spec")
	}
	return reasons
}

// setNames names the root fields and the type of the arguments.
func (f *Function) setNames(config metadata.FunctionConfiguration) {
	h := f.Source.head
	base := h.identify(f.Catalog.Name, config.CustomName)
	field := config.CustomRootFields["function"]
	if field == "" {
		field = h.convention.field("", base, "")
	}
	aggregate := config.CustomRootFields["function_aggregate"]
	if aggregate == "" {
		aggregate = h.convention.field("", base, "aggregate")
	}
	verb := "execute"
	if f.Mutation {
		verb = "execute VOLATILE"
	}
	comment := f.Meta.Comment
	if comment == nil {
		generated := fmt.Sprintf("%s function %q which returns %q", verb, h.display(f.Catalog.Name), f.Returns.Display())
		comment = &generated
	}
	aggregates := fmt.Sprintf("execute function %q and query aggregates on result of table type %q", h.display(f.Catalog.Name), f.Returns.Display())
	f.Field = RootField{Name: h.wrapRoot(field), comment: comment}
	f.AggregateField = RootField{Name: h.wrapRoot(aggregate), comment: &aggregates}
	f.ArgsType = h.wrapType(h.convention.field("", base, "args"))
}

// userArgs are the arguments without those that the engine fills in.
func (s *Source) userArgs(f *catalog.Function, without ...int) []FunctionArg {
	var args []FunctionArg
	unnamed := 0
	for i := range f.Args {
		a := &f.Args[i]
		if slices.Contains(without, i) {
			continue
		}
		field := a.Name
		if field == "" {
			unnamed++
			field = "arg_" + strconv.Itoa(unnamed)
		}
		args = append(args, FunctionArg{
			Field: field, Index: i, Argument: a, Scalar: s.Dialect.Scalar(a.Type),
			Optional: i >= len(f.Args)-f.Defaults,
		})
	}
	return args
}
