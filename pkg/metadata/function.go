package metadata

import (
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
)

// Function is a tracked function.
type Function struct {
	Function      catalog.Name           `json:"function" meta:"required"`
	Configuration *FunctionConfiguration `json:"configuration,omitempty"`
	Permissions   []FunctionPermission   `json:"permissions,omitempty"`
	Comment       *string                `json:"comment,omitempty"`
}

func (f *Function) check() error {
	f.Configuration = f.Configuration.normalised()
	slices.SortFunc(f.Permissions, func(a, b FunctionPermission) int { return strings.Compare(a.Role, b.Role) })
	if d := duplicates(f.Permissions, func(p FunctionPermission) string { return p.Role }); d != "" {
		return duplicateError("function permissions", d)
	}
	return nil
}

// FunctionConfiguration customises a tracked function.
type FunctionConfiguration struct {
	CustomName       string            `json:"custom_name,omitempty"`
	CustomRootFields map[string]string `json:"custom_root_fields,omitempty"`
	SessionArgument  string            `json:"session_argument,omitempty"`
	ExposedAs        string            `json:"exposed_as,omitempty"`
	Response         json.RawMessage   `json:"response,omitempty"`
}

func (c *FunctionConfiguration) check() error {
	switch c.ExposedAs {
	case "", "query", "mutation":
	default:
		return apierror.At(apierror.Newf(apierror.ParseFailed,
			"expected query or mutation, but found %s", c.ExposedAs), "exposed_as")
	}
	if c.CustomName != "" && !gqlname.Valid(c.CustomName) {
		return apierror.At(nameError(c.CustomName), "custom_name")
	}
	for _, key := range sortedKeys(c.CustomRootFields) {
		name := c.CustomRootFields[key]
		switch {
		case key != "function" && key != "function_aggregate" || name == "":
			delete(c.CustomRootFields, key)
		case !gqlname.Valid(name):
			return apierror.At(nameError(name), "custom_root_fields", key)
		}
	}
	return nil
}

// normalised is nil for a configuration that configures nothing.
func (c *FunctionConfiguration) normalised() *FunctionConfiguration {
	if c == nil || c.CustomName == "" && len(c.CustomRootFields) == 0 && c.SessionArgument == "" &&
		c.ExposedAs == "" && len(c.Response) == 0 {
		return nil
	}
	return c
}

// FunctionPermission lets a role use a function.
type FunctionPermission struct {
	Role string `json:"role" meta:"required,nonempty"`
}

// TrackFunction are the arguments of track_function.
type TrackFunction struct {
	Source        string                 `json:"source" meta:"default=default"`
	Function      catalog.Name           `json:"function" meta:"required"`
	Configuration *FunctionConfiguration `json:"configuration"`
	Comment       *string                `json:"comment"`
}

// UnmarshalJSON also reads the old form, which is only the function's name.
func (a *TrackFunction) UnmarshalJSON(raw []byte) error {
	if name, ok := bareName(raw, "function"); ok {
		a.Source = DefaultSource
		return decode(name, &a.Function)
	}
	type fields TrackFunction
	return decode(raw, (*fields)(a))
}

// Apply tracks the function.
func (a *TrackFunction) Apply(v View) (*Result, error) {
	source, err := v.functionSource(a.Source)
	if err != nil {
		return nil, err
	}
	if source.Function(a.Function) != nil {
		return nil, apierror.Newf(apierror.AlreadyTracked, "function already tracked: %q", source.Display(a.Function))
	}
	if source.Table(a.Function) != nil {
		return nil, apierror.Newf(apierror.NotSupported, "table with name %q already exists", source.Display(a.Function))
	}
	function := &Function{Function: a.Function, Configuration: a.Configuration.normalised(), Comment: a.Comment}
	return &Result{
		Document:   v.Document.withFunction(source, function),
		Objects:    []ObjectID{functionID(a.Source, a.Function)},
		Introspect: Introspection{Functions: []SourceTable{{a.Source, a.Function}}},
		Reply:      replyOf(source.unusedOfFunction(function)),
	}, nil
}

// UntrackFunction are the arguments of untrack_function, which may spell its function
// "table".
type UntrackFunction struct {
	Source   string       `json:"source" meta:"default=default"`
	Function catalog.Name `json:"function" meta:"required,alias=table"`
}

// UnmarshalJSON also reads the form that is only the function's name.
func (a *UntrackFunction) UnmarshalJSON(raw []byte) error {
	if name, ok := bareName(raw, "function"); ok {
		a.Source = DefaultSource
		return decode(name, &a.Function)
	}
	type fields UntrackFunction
	return decode(raw, (*fields)(a))
}

// Apply forgets the function with its permissions.
func (a *UntrackFunction) Apply(v View) (*Result, error) {
	if _, _, err := v.function(a.Source, a.Function); err != nil {
		return nil, err
	}
	id := functionID(a.Source, a.Function)
	return &Result{Document: v.Document.Without(id), Verdict: VerdictAny}, nil
}

// SetFunctionCustomization are the arguments of set_function_customization.
type SetFunctionCustomization struct {
	Source        string                 `json:"source" meta:"default=default"`
	Function      catalog.Name           `json:"function" meta:"required"`
	Configuration *FunctionConfiguration `json:"configuration" meta:"required"`
}

// Apply replaces the configuration of the function.
func (a *SetFunctionCustomization) Apply(v View) (*Result, error) {
	r, err := v.changeFunction(a.Source, a.Function, func(f *Function) error {
		f.Configuration = a.Configuration.normalised()
		return nil
	})
	if err != nil {
		return nil, err
	}
	source := r.Document.Source(a.Source)
	r.Reply = replyOf(source.unusedOfFunction(source.Function(a.Function)))
	return r, nil
}

// CreateFunctionPermission are the arguments of create_function_permission.
type CreateFunctionPermission struct {
	Source   string       `json:"source" meta:"default=default"`
	Function catalog.Name `json:"function" meta:"required"`
	Role     string       `json:"role" meta:"required,nonempty"`
}

// Apply lets the role use the function, if it may read the table that it returns.
func (a *CreateFunctionPermission) Apply(v View) (*Result, error) {
	r, err := v.changeFunction(a.Source, a.Function, func(f *Function) error {
		if slices.Contains(f.Permissions, FunctionPermission{a.Role}) {
			return apierror.Newf(apierror.AlreadyExists,
				"permission of role %q already exists for function %q in source: %q", a.Role, v.display(a.Source, a.Function), a.Source)
		}
		if table, ok := v.returnTable(a.Source, a.Function); ok && !v.canSelect(a.Source, table, a.Role) {
			return apierror.Newf(apierror.NotSupported,
				"function permission can only be added when the function's return table %q has select permission configured for role: %q",
				v.display(a.Source, table), a.Role)
		}
		f.Permissions = append(slices.Clone(f.Permissions), FunctionPermission{a.Role})
		return f.check()
	})
	if err != nil {
		return nil, err
	}
	r.Objects = []ObjectID{{Kind: ObjectFunctionPermission, Source: a.Source, Table: a.Function, Role: a.Role}}
	return r, nil
}

// DropFunctionPermission are the arguments of drop_function_permission.
type DropFunctionPermission struct {
	Source   string       `json:"source" meta:"default=default"`
	Function catalog.Name `json:"function" meta:"required"`
	Role     string       `json:"role" meta:"required,nonempty"`
}

// Apply takes the function from the role.
func (a *DropFunctionPermission) Apply(v View) (*Result, error) {
	return v.changeFunction(a.Source, a.Function, func(f *Function) error {
		i := slices.Index(f.Permissions, FunctionPermission{a.Role})
		if i < 0 {
			return apierror.Newf(apierror.NotExists,
				"permission of role %q does not exist for function %q in source: %q", a.Role, v.display(a.Source, a.Function), a.Source)
		}
		f.Permissions = slices.Delete(slices.Clone(f.Permissions), i, i+1)
		return nil
	})
}

func functionID(source string, function catalog.Name) ObjectID {
	return ObjectID{Kind: ObjectFunction, Source: source, Table: function}
}

// functionSource finds a source for the function commands, which have a text of their own.
func (v View) functionSource(name string) (*Source, error) {
	source := v.Document.Source(name)
	if source == nil || source.Kind != v.kind() {
		return nil, apierror.Newf(apierror.NotExists, "%q is not a known %s source", name, v.kind())
	}
	return v.usableSource(name)
}

func (v View) function(source string, name catalog.Name) (*Source, *Function, error) {
	s, err := v.usableSource(source)
	if err != nil {
		return nil, nil, err
	}
	f := s.Function(name)
	if f == nil {
		return nil, nil, apierror.Newf(apierror.NotExists, "function %q does not exist in source: %s", s.Display(name), source)
	}
	return s, f, nil
}

// changeFunction applies change to a copy of the function.
func (v View) changeFunction(source string, name catalog.Name, change func(*Function) error) (*Result, error) {
	s, f, err := v.function(source, name)
	if err != nil {
		return nil, err
	}
	n := *f
	if err := change(&n); err != nil {
		return nil, err
	}
	return &Result{Document: v.Document.withFunction(s, &n), Objects: []ObjectID{functionID(source, name)}}, nil
}

// returnTable is the table whose rows the function gives, as far as the catalog knows.
func (v View) returnTable(source string, function catalog.Name) (catalog.Name, bool) {
	c := v.Catalogs[source]
	if c == nil {
		return catalog.Name{}, false
	}
	overloads := c.Functions[function]
	if len(overloads) != 1 || overloads[0].ReturnTable == nil {
		return catalog.Name{}, false
	}
	return *overloads[0].ReturnTable, true
}

// canSelect reports whether the role, or for an inherited role one of its parents, has a
// select permission on the table.
func (v View) canSelect(source string, table catalog.Name, role string) bool {
	t := v.Document.Source(source).Table(table)
	if t == nil {
		return false
	}
	return slices.ContainsFunc(v.Document.rolesOf(role), func(r string) bool {
		return find(t.SelectPermissions, roleOf, r) != nil
	})
}
