package metadata

import (
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/gqlname"
)

// LogicalModel describes rows that no table describes: those that a native query returns.
type LogicalModel struct {
	Name              string                          `json:"name" meta:"required,nonempty"`
	Fields            []LogicalModelField             `json:"fields" meta:"required"`
	Description       *string                         `json:"description,omitempty"`
	SelectPermissions []*Permission[SelectPermission] `json:"select_permissions,omitempty"`
}

func (m *LogicalModel) check() error {
	if !gqlname.Valid(m.Name) {
		return apierror.At(nameError(m.Name), "name")
	}
	sortByRole(m.SelectPermissions)
	return firstError(checkModelFields(m.Fields), checkModelPermissions(m.SelectPermissions))
}

func checkModelFields(fields []LogicalModelField) error {
	if d := duplicates(fields, func(f LogicalModelField) string { return f.Name }); d != "" {
		return apierror.At(duplicateError("logical model fields", d), "fields")
	}
	return nil
}

func checkModelPermissions(list []*Permission[SelectPermission]) error {
	if d := duplicates(list, roleOf); d != "" {
		return duplicateError("select permissions", d)
	}
	return nil
}

// LogicalModelField is one field of a logical model.
type LogicalModelField struct {
	Name        string           `json:"name"`
	Type        LogicalModelType `json:"type"`
	Description *string          `json:"description,omitempty"`
}

// UnmarshalJSON also reads the short form, where the type is the name of a scalar and nullable stands
// next to it.
func (f *LogicalModelField) UnmarshalJSON(raw []byte) error {
	var long struct {
		Name        string          `json:"name" meta:"required,nonempty"`
		Type        json.RawMessage `json:"type" meta:"required"`
		Nullable    bool            `json:"nullable"`
		Description *string         `json:"description"`
	}
	if err := decode(raw, &long); err != nil {
		return err
	}
	f.Name, f.Description = long.Name, long.Description
	if JSONType(long.Type) == "String" {
		f.Type.Nullable = long.Nullable
		return apierror.At(decode(long.Type, &f.Type.Scalar), "type")
	}
	return apierror.At(f.Type.UnmarshalJSON(long.Type), "type")
}

// LogicalModelType is the type of a field: exactly one of a scalar of the database, another
// logical model, or an array.
type LogicalModelType struct {
	Scalar       string
	LogicalModel string
	Array        *LogicalModelType
	Nullable     bool
}

// logicalModelType is the wire form, with the keys in the order of the export.
type logicalModelType struct {
	Scalar       string            `json:"scalar,omitempty"`
	LogicalModel string            `json:"logical_model,omitempty"`
	Array        *LogicalModelType `json:"array,omitempty"`
	Nullable     bool              `json:"nullable"`
}

// MarshalJSON writes the long form.
func (t LogicalModelType) MarshalJSON() ([]byte, error) { return Encode(logicalModelType(t)) }

// UnmarshalJSON reads the long form.
func (t *LogicalModelType) UnmarshalJSON(raw []byte) error {
	var w logicalModelType
	if err := decode(raw, &w); err != nil {
		return err
	}
	given := 0
	for _, is := range []bool{w.Scalar != "", w.LogicalModel != "", w.Array != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return apierror.New(apierror.ParseFailed, "expected exactly one of 'scalar', 'logical_model' or 'array'")
	}
	*t = LogicalModelType(w)
	return nil
}

// Model is the name of the logical model that values of the type, or their items, have; ""
// for scalars.
func (t LogicalModelType) Model() string {
	for t.Array != nil {
		t = *t.Array
	}
	return t.LogicalModel
}

// TrackLogicalModel are the arguments of track_logical_model.
type TrackLogicalModel struct {
	Source      string              `json:"source" meta:"required"`
	Name        string              `json:"name" meta:"required,nonempty"`
	Description *string             `json:"description"`
	Fields      []LogicalModelField `json:"fields" meta:"required"`
}

// Apply adds the logical model.
func (a *TrackLogicalModel) Apply(v View) (*Result, error) {
	source, err := v.trackingSource(a.Source)
	if err != nil {
		return nil, err
	}
	if source.LogicalModel(a.Name) != nil {
		return nil, apierror.Newf(apierror.AlreadyTracked, "Logical model '%s' is already tracked.", a.Name)
	}
	model := &LogicalModel{Name: a.Name, Description: a.Description, Fields: a.Fields}
	if err := model.check(); err != nil {
		return nil, err
	}
	return &Result{
		Document: v.Document.withLogicalModel(source, model),
		Objects:  []ObjectID{logicalModelID(a.Source, a.Name)},
	}, nil
}

// UntrackLogicalModel are the arguments of untrack_logical_model.
type UntrackLogicalModel struct {
	Source string `json:"source" meta:"required"`
	Name   string `json:"name" meta:"required,nonempty"`
}

// Apply forgets the logical model. What returns it is found inconsistent then, which refuses
// the request.
func (a *UntrackLogicalModel) Apply(v View) (*Result, error) {
	source := v.sourceOfKind(a.Source)
	if source == nil || source.LogicalModel(a.Name) == nil {
		return nil, logicalModelNotFound(a.Name, a.Source)
	}
	id := logicalModelID(a.Source, a.Name)
	return &Result{Document: v.Document.Without(id), Objects: []ObjectID{id}}, nil
}

// GetLogicalModel are the arguments of get_logical_model.
type GetLogicalModel struct {
	Source string `json:"source" meta:"required"`
}

// Answer lists the logical models of the source.
func (a *GetLogicalModel) Answer(v View) (json.RawMessage, error) {
	source, err := v.listedSource(a.Source)
	if err != nil {
		return nil, err
	}
	return Encode(append([]*LogicalModel{}, source.LogicalModels...))
}

// modelTarget names the owner of a logical model's permissions: one that is tracked, or the one that a
// native query defines itself.
type modelTarget struct {
	Source string `json:"source" meta:"default=default"`
	Type   string `json:"type" meta:"default=logical_model"`
	Name   string `json:"name" meta:"required,nonempty"`
	Role   string `json:"role" meta:"required,nonempty"`
}

const (
	targetLogicalModel = "logical_model"
	targetNativeQuery  = "native_query"
)

func (t modelTarget) check() error {
	if t.Type != targetLogicalModel && t.Type != targetNativeQuery {
		return apierror.At(apierror.Newf(apierror.ParseFailed,
			"expected logical_model or native_query, but found %s", t.Type), "type")
	}
	return nil
}

// change returns the document with other permissions, and the object that has them.
func (t modelTarget) change(
	v View, f func([]*Permission[SelectPermission]) []*Permission[SelectPermission],
) (*Document, ObjectID, error) {
	source := v.sourceOfKind(t.Source)
	if source == nil {
		return nil, ObjectID{}, apierror.Newf(apierror.NotFound, "Source %q not found.", t.Source)
	}
	if t.Type == targetNativeQuery {
		query := source.NativeQuery(t.Name)
		if query == nil || query.Returns.Inline == nil {
			return nil, ObjectID{}, nativeQueryNotFound(t.Name, t.Source)
		}
		n, inline := *query, *query.Returns.Inline
		inline.SelectPermissions = f(inline.SelectPermissions)
		n.Returns.Inline = &inline
		return v.Document.withNativeQuery(source, &n), modelPermissionID(t.Source, InlineModelName(t.Name), t.Role), nil
	}
	model := source.LogicalModel(t.Name)
	if model == nil {
		return nil, ObjectID{}, logicalModelNotFound(t.Name, t.Source)
	}
	n := *model
	n.SelectPermissions = f(n.SelectPermissions)
	return v.Document.withLogicalModel(source, &n), modelPermissionID(t.Source, t.Name, t.Role), nil
}

// CreateLogicalModelPermission are the arguments of create_logical_model_select_permission.
type CreateLogicalModelPermission struct {
	modelTarget
	Permission Definition[SelectPermission] `json:"permission" meta:"required"`
	Comment    *string                      `json:"comment"`
}

func (a *CreateLogicalModelPermission) check() error { return a.modelTarget.check() }

// Apply sets the permission, instead of the one that there may be.
func (a *CreateLogicalModelPermission) Apply(v View) (*Result, error) {
	p := &Permission[SelectPermission]{Role: a.Role, Permission: a.Permission, Comment: a.Comment}
	doc, id, err := a.change(v, func(list []*Permission[SelectPermission]) []*Permission[SelectPermission] {
		return inserted(list, p, roleOf)
	})
	if err != nil {
		return nil, err
	}
	return v.warnOf(&Result{Document: doc, Objects: []ObjectID{id}}, ruleSetOf(p, modelText(a.Source, a.Name))), nil
}

// DropLogicalModelPermission are the arguments of drop_logical_model_select_permission.
type DropLogicalModelPermission struct{ modelTarget }

func (a *DropLogicalModelPermission) check() error { return a.modelTarget.check() }

// Apply removes the permission; that there is none is no error.
func (a *DropLogicalModelPermission) Apply(v View) (*Result, error) {
	doc, _, err := a.change(v, func(list []*Permission[SelectPermission]) []*Permission[SelectPermission] {
		return removed(list, roleOf, a.Role)
	})
	if err != nil {
		return nil, err
	}
	return &Result{Document: doc, Verdict: VerdictAny}, nil
}

// LogicalModel returns the tracked logical model of that name, or nil.
func (s *Source) LogicalModel(name string) *LogicalModel {
	return find(s.LogicalModels, logicalModelName, name)
}

// withLogicalModel puts m instead of the logical model of its name in s.
func (d *Document) withLogicalModel(s *Source, m *LogicalModel) *Document {
	n := *s
	n.LogicalModels = inserted(s.LogicalModels, m, logicalModelName)
	return d.withSource(&n)
}

// withoutModelPermission removes a permission of a logical model, also of an inline one.
func (s *Source) withoutModelPermission(id ObjectID) {
	without := func(list []*Permission[SelectPermission]) []*Permission[SelectPermission] {
		return removed(list, roleOf, id.Role)
	}
	s.LogicalModels = mapped(s.LogicalModels, func(m *LogicalModel) *LogicalModel {
		if m.Name != id.Name {
			return m
		}
		n := *m
		n.SelectPermissions = without(m.SelectPermissions)
		return &n
	})
	s.NativeQueries = mapped(s.NativeQueries, func(q *NativeQuery) *NativeQuery {
		if q.Returns.Inline == nil || InlineModelName(q.RootField) != id.Name {
			return q
		}
		n, inline := *q, *q.Returns.Inline
		inline.SelectPermissions = without(inline.SelectPermissions)
		n.Returns.Inline = &inline
		return &n
	})
}

// sourceOfKind is the source of that name when it is of the command's kind.
func (v View) sourceOfKind(name string) *Source {
	s := v.Document.Source(name)
	if s == nil || v.Kind != "" && s.Kind != v.Kind {
		return nil
	}
	return s
}

func (v View) trackingSource(name string) (*Source, error) {
	if s := v.sourceOfKind(name); s != nil {
		return s, nil
	}
	return nil, apierror.Newf(apierror.NotFound, "Source %s not found.", name)
}

func (v View) listedSource(name string) (*Source, error) {
	if s := v.sourceOfKind(name); s != nil {
		return s, nil
	}
	return nil, apierror.Newf(apierror.NotFound, "Source '%s' of kind %s not found.", name, v.kind())
}

func logicalModelNotFound(name, source string) error {
	return apierror.Newf(apierror.NotFound, "Logical model %q not found in source %q.", name, source)
}

func logicalModelName(m *LogicalModel) string { return m.Name }

func logicalModelID(source, name string) ObjectID {
	return ObjectID{Kind: ObjectLogicalModel, Source: source, Name: name}
}

func modelPermissionID(source, model, role string) ObjectID {
	return ObjectID{Kind: ObjectSelectPermission, Source: source, Name: model, Role: role}
}

func sortLogicalModels(list []*LogicalModel) {
	slices.SortFunc(list, func(a, b *LogicalModel) int { return strings.Compare(a.Name, b.Name) })
}
