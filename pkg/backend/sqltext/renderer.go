package sqltext

import (
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Renderer turns parts of one plan into text. It stops at nothing: the first fault stays in Err.
// Spelling and Strategy are set before it is used. Not safe for concurrent use.
type Renderer struct {
	Spelling Spelling
	Strategy Strategy
	// Params are the parameters of the text, in their order.
	Params []Param
	// Inline, when set, writes parameters as constants, for people to read.
	Inline func(p Param) (literal string, err error)
	// Shared, when set, renders values of a run in another way than as parameters: a statement
	// that is run for many at once has them in a relation.
	Shared func(p Param, as As) string
	// Default, when set, renders the default of a column of the table that is written, for dialects
	// without a word for it.
	Default func(column string) string
	// ConflictValue, when set, renders a column of the row that an insert in conflict had for the table.
	ConflictValue func(column string) string
	// Aggregate, when set, renders a call of an aggregate other than a count, for dialects whose functions differ
	// in name or in the type of their result; texts are those of args.
	Aggregate func(function string, distinct bool, args []ir.Expr, texts []string) string
	// Unaliased tables are written under their own name.
	Unaliased bool
	// Limits are variables whose values are known and become part of the text where they are limits.
	Limits map[int]string
	// LimitVariables are the variables that are limits and not among Limits.
	LimitVariables []int
	// Calls is set when the text calls functions.
	Calls bool
	// Unstored is set when it reads relations that aren't known to be ir.Table.Stored.
	Unstored bool
	Err      error

	bound   map[boundKey]string // their texts
	aliases int
	// taken is a name that no alias may have.
	taken string
}

// boundKey tells what a parameter is from all others of a text.
type boundKey struct {
	kind       ParamKind
	index      int
	name, text string
	typed      string
	// Dialects that read a text before it is bound may spell all types alike.
	as   string
	list bool
}

// Fail keeps a fault, unless there is one.
func (r *Renderer) Fail(format string, args ...any) {
	if r.Err == nil {
		r.Err = fmt.Errorf(format, args...)
	}
}

// Alias is a new name for a relation. It can't be a name of the user's: those are always
// in quotes, and behind one of ours.
func (r *Renderer) Alias() string {
	alias := "t" + strconv.Itoa(r.aliases)
	r.aliases++
	if strings.EqualFold(alias, r.taken) {
		return r.Alias()
	}
	return alias
}

// Qualified quotes a name with its schema.
func (r *Renderer) Qualified(n catalog.Name) string {
	if n.Schema == "" {
		return r.Spelling.Quote(n.Name)
	}
	return r.Spelling.Quote(n.Schema) + "." + r.Spelling.Quote(n.Name)
}

// Value renders an operand. Its text is read by the database as a value of its type.
func (r *Renderer) Value(v ir.Value) string {
	switch v := v.(type) {
	case ir.Literal:
		if v.Null {
			return r.Spelling.Cast("NULL", v.Type)
		}
		return r.Bind(Param{Kind: ParamLiteral, Text: []byte(v.Text)}, As{v.Type, v.List, v.Wrap})
	case ir.Variable:
		return r.Bind(Param{Kind: ParamVariable, Index: v.Index}, As{v.Type, v.List, v.Wrap})
	case ir.SessionVar:
		return r.Bind(Param{Kind: ParamSession, Name: v.Name}, As{v.Type, v.List, v.Wrap})
	case ir.Lookup:
		return r.Bind(Param{Kind: ParamLookup, Name: backend.LookupKey(v)}, As{Type: v.Type, List: true})
	case ir.SessionObject:
		return r.Bind(Param{Kind: ParamSessionObject}, As{Type: v.Type})
	case ir.Default:
		return "DEFAULT"
	}
	r.Fail("unknown value %T", v)
	return "NULL"
}

// nullable reports whether an operand may be NULL when the statement runs.
func nullable(v ir.Value) bool {
	switch v := v.(type) {
	case ir.Literal:
		return v.Null
	case ir.SessionVar, ir.SessionObject:
		return false
	}
	return true
}

// Bind makes a parameter, or takes the one that is there for the same value and type.
func (r *Renderer) Bind(p Param, as As) string {
	if r.Shared != nil && p.Kind != ParamLiteral {
		return r.Shared(p, as)
	}
	return r.Parameter(p, as)
}

// Parameter is Bind for what is a parameter in any case.
func (r *Renderer) Parameter(p Param, as As) string {
	p.As = as
	key := boundKey{p.Kind, p.Index, p.Name, string(p.Text), r.Spelling.Typed("", as), as.Type.Name, as.List}
	text, ok := r.bound[key]
	if !ok || p.Kind == ParamList {
		text = r.Spelling.Typed(r.place(p), as)
		if r.bound == nil {
			r.bound = map[boundKey]string{}
		}
		r.bound[key] = text
	}
	return r.Spelling.Wrapped(text, as)
}

// place is the next parameter, or its value where values are inlined.
func (r *Renderer) place(p Param) string {
	if r.Inline != nil {
		text, err := r.Inline(p)
		if err != nil && r.Err == nil {
			r.Err = err
		}
		return text
	}
	r.Params = append(r.Params, p)
	return r.Spelling.Placeholder(len(r.Params))
}

// Number renders a limit or an offset. A constant is part of the text, as the planner can do
// much with it; it is a number by then and no text of a user.
func (r *Renderer) Number(v ir.Value) string {
	if l, ok := v.(ir.Literal); ok && !l.Null {
		if n, err := strconv.ParseInt(strings.TrimSpace(l.Text), 10, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
	}
	return r.Value(v)
}

// Limit is the smaller one of the limit argument and the limit of the role; empty for none.
func (r *Renderer) Limit(argument ir.Value, rows int) string {
	switch {
	case rows == ir.NoRows:
		return "0"
	case argument == nil && rows == 0:
		return ""
	case argument == nil:
		return strconv.Itoa(rows)
	}
	text := r.limitArgument(argument)
	if rows == 0 {
		return text
	}
	if n, err := strconv.Atoi(text); err == nil {
		return strconv.Itoa(min(n, rows))
	}
	return r.Spelling.Least(text, strconv.Itoa(rows))
}

// limitArgument renders a limit. One that is a variable is part of the text where the text is for it.
func (r *Renderer) limitArgument(v ir.Value) string {
	variable, ok := v.(ir.Variable)
	if !ok || r.Shared != nil {
		return r.Number(v)
	}
	if known, ok := r.Limits[variable.Index]; ok {
		return known
	}
	r.LimitVariables = append(r.LimitVariables, variable.Index)
	return r.Number(v)
}
