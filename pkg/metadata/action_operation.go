package metadata

import (
	"slices"

	"queryengine/pkg/apierror"
)

// actionArguments are what creating and updating an action have in common.
type actionArguments struct {
	Name       string           `json:"name" meta:"required,nonempty"`
	Definition ActionDefinition `json:"definition" meta:"required"`
	Comment    *string          `json:"comment,omitempty"`
}

func (a *actionArguments) apply(v View, permissions []ActionPermission) (*Result, error) {
	action := &Action{Name: a.Name, Definition: a.Definition, Comment: a.Comment, Permissions: permissions}
	doc, err := v.Document.withAction(action)
	if err != nil {
		return nil, err
	}
	return &Result{Document: doc, Objects: []ObjectID{action.ID()}}, nil
}

// CreateAction are the arguments of create_action.
type CreateAction struct{ actionArguments }

func (a *CreateAction) check() error { return checkTypeName(a.Name, "name") }

// Apply adds the action.
func (a *CreateAction) Apply(v View) (*Result, error) {
	if find(v.Document.Actions, rawName, a.Name) != nil {
		return nil, apierror.Newf(apierror.AlreadyExists, "action with name %q already exists", a.Name)
	}
	return a.apply(v, nil)
}

// UpdateAction are the arguments of update_action.
type UpdateAction struct{ actionArguments }

// Apply replaces all of the action but its permissions.
func (a *UpdateAction) Apply(v View) (*Result, error) {
	old, err := v.Document.Action(a.Name)
	if err != nil {
		return nil, err
	}
	return a.apply(v, old.Permissions)
}

// DropAction are the arguments of drop_action.
type DropAction struct {
	Name string `json:"name" meta:"required,nonempty"`
	// ClearData forgets the calls of an asynchronous action, too.
	ClearData bool `json:"clear_data" meta:"default=true"`
}

// Apply removes the action with its permissions.
func (a *DropAction) Apply(v View) (*Result, error) {
	if _, err := v.Document.Action(a.Name); err != nil {
		return nil, err
	}
	r := &Result{Document: v.Document.Without(actionID(a.Name)), Verdict: VerdictAny}
	if a.ClearData {
		r.ClearActions = []string{a.Name}
	}
	return r, nil
}

// CreateActionPermission are the arguments of create_action_permission.
type CreateActionPermission struct {
	Action string `json:"action" meta:"required,nonempty"`
	ActionPermission
}

// Apply adds the permission.
func (a *CreateActionPermission) Apply(v View) (*Result, error) {
	action, err := v.Document.Action(a.Action)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(action.Permissions, func(p ActionPermission) bool { return p.Role == a.Role }) {
		return nil, apierror.Newf(apierror.AlreadyExists, "permission for role %q is already defined on %q", a.Role, a.Action)
	}
	action.Permissions = inserted(action.Permissions, a.ActionPermission, actionRole)
	doc, err := v.Document.withAction(action)
	if err != nil {
		return nil, err
	}
	return &Result{Document: doc, Objects: []ObjectID{ActionPermissionID(a.Action, a.Role)}}, nil
}

// DropActionPermission are the arguments of drop_action_permission.
type DropActionPermission struct {
	Action string `json:"action" meta:"required,nonempty,alias=name"`
	Role   string `json:"role" meta:"required,nonempty"`
}

// Apply removes the permission.
func (a *DropActionPermission) Apply(v View) (*Result, error) {
	action, err := v.Document.Action(a.Action)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(action.Permissions, func(p ActionPermission) bool { return p.Role == a.Role }) {
		return nil, apierror.Newf(apierror.NotExists, "permission for role: %q is not defined on %q", a.Role, a.Action)
	}
	id := ActionPermissionID(a.Action, a.Role)
	return &Result{Document: v.Document.Without(id), Objects: []ObjectID{id}}, nil
}
