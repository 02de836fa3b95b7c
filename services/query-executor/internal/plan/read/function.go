package read

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// Call is a function call whose arguments are being planned.
type Call struct {
	function *catalog.Function
	// own are the arguments that the engine fills in.
	own    func(i int) (ir.CallArg, bool)
	client []resolve.FunctionArg
	// given are the values of the client, by index in function.Args.
	given map[int]ir.Value
}

func computedCall(f *resolve.ComputedField) *Call {
	return &Call{function: f.Function, own: f.OwnArg, client: f.Args, given: map[int]ir.Value{}}
}

// FunctionCall is the call of a tracked function.
func FunctionCall(f *resolve.Function) *Call {
	return &Call{function: f.Catalog, own: f.OwnArg, client: f.Args, given: map[int]ir.Value{}}
}

// CallArguments plans the argument `args`.
func (p *Planner) CallArguments(c *Call, at schema.Ref, v input.Value) error {
	v, null, err := p.IsNull(at, v, input.LookShape)
	if err != nil {
		return err
	}
	if !null || at.NonNull() {
		err = p.Object(at, v, func(in *schema.Input, v input.Value) error {
			a, _ := in.Meaning.(schema.FunctionArgument)
			of := p.Scalar(a.Type, in.Type.Named)
			of.Nullable = true
			arg, err := p.Operand(in.Type, v, of)
			c.given[a.Index] = arg
			return err
		})
	}
	if err != nil {
		return err
	}
	return p.checkOmitted(c)
}

// checkOmitted refuses calls that leave out an argument that has to be there.
func (p *Planner) checkOmitted(c *Call) error {
	omitted := false
	for _, a := range c.client {
		switch {
		case c.given[a.Index] == nil && !a.Optional:
			return p.FailWith(apierror.NotSupported, "Non default arguments cannot be omitted")
		case c.given[a.Index] == nil:
			omitted = true
		case omitted && a.Name == "":
			return p.FailWith(apierror.NotSupported, "Only last set of positional arguments can be omitted")
		}
	}
	return nil
}

// args are the arguments as the function takes them: by position until the first one that
// is left out, then by name.
func (c *Call) args() []ir.CallArg {
	var args []ir.CallArg
	omitted := false
	for i, a := range c.function.Args {
		arg, own := c.own(i)
		if !own {
			if arg.Value = c.given[i]; arg.Value == nil {
				omitted = true
				continue
			}
		}
		if omitted {
			arg.Name = a.Name
		}
		args = append(args, arg)
	}
	return args
}

// FunctionFrom is the result of a tracked function as a relation.
func (p *Planner) FunctionFrom(f *resolve.Function, c *Call) ir.From {
	p.Calls(f.Catalog, f.Meta)
	return ir.Function{Name: f.Catalog.Name, Args: c.args(), Single: !f.Catalog.ReturnsSet}
}
