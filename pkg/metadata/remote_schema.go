package metadata

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"queryengine/pkg/apierror"
)

// RemoteSchema is a GraphQL server whose fields are part of the engine's schema.
type RemoteSchema struct {
	Name        string                    `json:"name" meta:"required,nonempty"`
	Definition  RemoteSchemaDefinition    `json:"definition" meta:"required"`
	Comment     *string                   `json:"comment,omitempty"`
	Permissions []*RemoteSchemaPermission `json:"permissions,omitempty"`
	// Relationships lead from types of the remote, by the names of the types.
	Relationships []*RemoteTypeRelationships `json:"remote_relationships,omitempty"`
}

// RemoteSchemaDefinition configures how the server is called. It has one of URL, which may name
// variables of the environment, and URLFromEnv.
type RemoteSchemaDefinition struct {
	URL                  *string              `json:"url,omitempty"`
	URLFromEnv           *string              `json:"url_from_env,omitempty"`
	TimeoutSeconds       *int                 `json:"timeout_seconds,omitempty"`
	Customization        *RemoteCustomization `json:"customization,omitempty"`
	Headers              []Header             `json:"headers,omitempty"`
	ForwardClientHeaders bool                 `json:"forward_client_headers,omitempty"`
}

// RemoteCustomization gives types and fields of a remote other names.
type RemoteCustomization struct {
	// RootFieldsNamespace is the field that holds the root fields, "" for none.
	RootFieldsNamespace string             `json:"root_fields_namespace,omitempty"`
	TypeNames           *RemoteTypeNames   `json:"type_names,omitempty"`
	FieldNames          []RemoteFieldNames `json:"field_names,omitempty"`
}

// RemoteTypeNames are the names of types. Mapping wins over Prefix and Suffix.
type RemoteTypeNames struct {
	Prefix  string            `json:"prefix,omitempty"`
	Suffix  string            `json:"suffix,omitempty"`
	Mapping map[string]string `json:"mapping,omitzero"`
}

// RemoteFieldNames are the names of the fields of one type. Mapping wins over Prefix and
// Suffix.
type RemoteFieldNames struct {
	ParentType string            `json:"parent_type" meta:"required"`
	Prefix     string            `json:"prefix,omitempty"`
	Suffix     string            `json:"suffix,omitempty"`
	Mapping    map[string]string `json:"mapping,omitzero"`
}

// RemoteSchemaPermission is what a role sees of a remote.
type RemoteSchemaPermission struct {
	Role       string                           `json:"role" meta:"required,nonempty"`
	Definition RemoteSchemaPermissionDefinition `json:"definition" meta:"required"`
	Comment    *string                          `json:"comment,omitempty"`
}

// RemoteSchemaPermissionDefinition holds the part of the remote's schema, in GraphQL's schema
// language.
type RemoteSchemaPermissionDefinition struct {
	Schema string `json:"schema" meta:"required"`
}

// RemoteTypeRelationships are the relationships that lead from a type of a remote.
type RemoteTypeRelationships struct {
	Type          string                `json:"type_name" meta:"required"`
	Relationships []*RemoteRelationship `json:"relationships" meta:"required"`
}

func (s *RemoteSchema) check() error { return s.Definition.problem() }

func (a *AddRemoteSchema) check() error { return a.Definition.problem() }

// problem is the fault of a definition. It is reported for the object that has it.
func (d *RemoteSchemaDefinition) problem() error {
	switch {
	case d.URL == nil && d.URLFromEnv == nil:
		return apierror.New(apierror.InvalidParams, "both `url` and `url_from_env` can't be empty")
	case d.URL != nil && d.URLFromEnv != nil:
		return apierror.New(apierror.InvalidParams, "both `url` and `url_from_env` can't be present")
	case d.Customization == nil:
		return nil
	}
	for i := range d.Customization.FieldNames {
		if err := d.Customization.FieldNames[i].problem(); err != nil {
			return err
		}
	}
	return nil
}

func (n *RemoteFieldNames) problem() error {
	for _, field := range sortedKeys(n.Mapping) {
		if strings.HasPrefix(field, "__") {
			return apierror.Newf(apierror.InvalidParams, "attempt to customize reserved field name %q", field)
		}
	}
	return nil
}

// Address is the URL of the server.
func (d *RemoteSchemaDefinition) Address(env Env) (string, error) {
	if d.URL != nil {
		address, err := Expand(*d.URL, env)
		if err == nil && !isAddress(address) {
			err = apierror.New(apierror.InvalidParams, "not a valid URI generated from the template: "+*d.URL)
		}
		return address, err
	}
	address, ok := env(*d.URLFromEnv)
	switch {
	case !ok:
		return "", apierror.Newf(apierror.InvalidParams, "environment variable '%s' not set", *d.URLFromEnv)
	case !isAddress(address):
		return "", apierror.New(apierror.InvalidParams, "not a valid URI in environment variable: "+*d.URLFromEnv)
	}
	return address, nil
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme != ""
}

// defaultRemoteTimeout bounds a call whose definition sets no timeout.
const defaultRemoteTimeout = 60 * time.Second

// Timeout bounds a call.
func (d *RemoteSchemaDefinition) Timeout() time.Duration {
	if d.TimeoutSeconds == nil {
		return defaultRemoteTimeout
	}
	return time.Duration(*d.TimeoutSeconds) * time.Second
}

// Shown is the address as the user wrote it, for messages.
func (d *RemoteSchemaDefinition) Shown() string {
	if d.URL != nil {
		return *d.URL
	}
	return *d.URLFromEnv
}

// ConfiguredHeaders are the headers of the definition.
func (d *RemoteSchemaDefinition) ConfiguredHeaders(env Env) (http.Header, error) {
	headers := http.Header{}
	for i := range d.Headers {
		value, err := d.Headers[i].Resolve(env)
		if err != nil {
			return nil, err
		}
		headers.Set(d.Headers[i].Name, value)
	}
	return headers, nil
}

// SameAddress reports whether both definitions name the same server, in the same words.
func (d *RemoteSchemaDefinition) SameAddress(o *RemoteSchemaDefinition) bool {
	return (d.URL == nil) == (o.URL == nil) && d.Shown() == o.Shown()
}

// Permission is the permission of the role, or nil.
func (s *RemoteSchema) Permission(role string) *RemoteSchemaPermission {
	return find(s.Permissions, remotePermissionRole, role)
}

// ID names the remote schema among the objects of the document.
func (s *RemoteSchema) ID() ObjectID { return ObjectID{Kind: ObjectRemoteSchema, Remote: s.Name} }

// RelationshipID names a relationship that leads from a type of the remote.
func (s *RemoteSchema) RelationshipID(typeName, name string) ObjectID {
	return ObjectID{Kind: ObjectRemoteTypeRelation, Remote: s.Name, Type: typeName, Name: name}
}

// RemoteSchema returns the remote schema of that name, or nil.
func (d *Document) RemoteSchema(name string) *RemoteSchema {
	return find(d.RemoteSchemas, remoteSchemaName, name)
}

func remoteSchemaName(s *RemoteSchema) string               { return s.Name }
func remotePermissionRole(p *RemoteSchemaPermission) string { return p.Role }
func remoteTypeName(t *RemoteTypeRelationships) string      { return t.Type }

// normaliseRemoteSchemas sorts the remote schemas of an imported document and their parts.
func (d *Document) normaliseRemoteSchemas() error {
	if names := duplicates(d.RemoteSchemas, remoteSchemaName); names != "" {
		return duplicateError("remote schemas", names)
	}
	slices.SortFunc(d.RemoteSchemas, func(a, b *RemoteSchema) int { return compareText(a.Name, b.Name) })
	for _, s := range d.RemoteSchemas {
		slices.SortFunc(s.Permissions, func(a, b *RemoteSchemaPermission) int { return compareText(a.Role, b.Role) })
		slices.SortFunc(s.Relationships, func(a, b *RemoteTypeRelationships) int { return compareText(a.Type, b.Type) })
		for _, t := range s.Relationships {
			slices.SortFunc(t.Relationships, func(a, b *RemoteRelationship) int { return compareText(a.Name, b.Name) })
		}
	}
	return nil
}

// withRemoteSchema puts s instead of the remote schema of its name.
func (d *Document) withRemoteSchema(s *RemoteSchema) *Document {
	n := *d
	n.RemoteSchemas = inserted(d.RemoteSchemas, s, remoteSchemaName)
	return &n
}

// withoutRemote returns the list without a remote schema, or a part of one.
func withoutRemote(list []*RemoteSchema, id ObjectID) []*RemoteSchema {
	s := find(list, remoteSchemaName, id.Remote)
	if s == nil || id.Kind == ObjectRemoteSchema {
		return removed(list, remoteSchemaName, id.Remote)
	}
	n := *s
	if id.Kind == ObjectRemotePermission {
		n.Permissions = removed(s.Permissions, remotePermissionRole, id.Role)
	} else {
		n.Relationships = withoutTypeRelation(s.Relationships, id)
	}
	return inserted(list, &n, remoteSchemaName)
}

func withoutTypeRelation(list []*RemoteTypeRelationships, id ObjectID) []*RemoteTypeRelationships {
	t := find(list, remoteTypeName, id.Type)
	if t == nil {
		return list
	}
	n := *t
	if n.Relationships = removed(t.Relationships, remoteRelationshipName, id.Name); len(n.Relationships) == 0 {
		return removed(list, remoteTypeName, id.Type)
	}
	return inserted(list, &n, remoteTypeName)
}
