package remoteschema

import (
	"encoding/json"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"queryengine/pkg/apierror"
	"queryengine/pkg/gqlname"
)

// Query is the document that asks a server for what it offers, Operation the name of its
// operation.
const (
	Operation = "IntrospectionQuery"
	Query     = `query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } ` +
		`types { ...FullType } directives { name description locations args { ...InputValue } } } } ` +
		`fragment FullType on __Type { kind name description ` +
		`fields(includeDeprecated: true) { name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason } ` +
		`inputFields { ...InputValue } interfaces { ...TypeRef } ` +
		`enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...TypeRef } } ` +
		`fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue } ` +
		`fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ` +
		`ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }`
)

// The answer to Query.
type (
	answer struct {
		Data *struct {
			Schema *answerSchema `json:"__schema"`
		} `json:"data"`
	}
	answerSchema struct {
		QueryType        *answerName  `json:"queryType"`
		MutationType     *answerName  `json:"mutationType"`
		SubscriptionType *answerName  `json:"subscriptionType"`
		Types            []answerType `json:"types"`
	}
	answerName struct {
		Name *string `json:"name"`
	}
	answerType struct {
		Kind          string        `json:"kind"`
		Name          *string       `json:"name"`
		Description   string        `json:"description"`
		Fields        []answerField `json:"fields"`
		InputFields   []answerInput `json:"inputFields"`
		Interfaces    []answerName  `json:"interfaces"`
		EnumValues    []answerValue `json:"enumValues"`
		PossibleTypes []answerName  `json:"possibleTypes"`
	}
	answerField struct {
		Name        *string       `json:"name"`
		Description string        `json:"description"`
		Args        []answerInput `json:"args"`
		Type        *answerRef    `json:"type"`
	}
	answerInput struct {
		Name        *string    `json:"name"`
		Description string     `json:"description"`
		Type        *answerRef `json:"type"`
		Default     *string    `json:"defaultValue"`
	}
	answerValue struct {
		Name        *string `json:"name"`
		Description string  `json:"description"`
	}
	answerRef struct {
		Kind   string     `json:"kind"`
		Name   *string    `json:"name"`
		OfType *answerRef `json:"ofType"`
	}
)

// FromIntrospection makes the schema from the answer to Query. Clients of the metadata API see its
// errors.
func FromIntrospection(raw []byte) (*Schema, error) {
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, apierror.New(apierror.RemoteSchemaError, "Error in $: "+err.Error())
	}
	switch {
	case a.Data == nil:
		return nil, malformed("$", `key "data" not found`)
	case a.Data.Schema == nil:
		return nil, malformed("$", `key "__schema" not found`)
	}
	doc, err := a.Data.Schema.document()
	if err != nil {
		return nil, err
	}
	return doc.link()
}

func malformed(path, fault string) error {
	return apierror.New(apierror.RemoteSchemaError, "Error in "+path+": "+fault)
}

// document is the answer as definitions.
func (s *answerSchema) document() (*document, error) {
	d := &document{}
	for i := range s.Types {
		definition, err := s.Types[i].definition("$.types" + index(i))
		if err != nil {
			return nil, err
		}
		d.definitions = append(d.definitions, definition)
	}
	if s.QueryType == nil {
		return nil, malformed("$", `key "queryType" not found`)
	}
	var err error
	if d.query, err = s.QueryType.text("$.queryType"); err != nil {
		return nil, err
	}
	if d.mutation, err = s.MutationType.root(d, "$.mutationType", "Mutation"); err != nil {
		return nil, err
	}
	d.subscription, err = s.SubscriptionType.root(d, "$.subscriptionType", "Subscription")
	return d, err
}

// root is the name of a root type that may be missing.
func (n *answerName) root(d *document, path, usual string) (string, error) {
	if n != nil {
		return n.text(path)
	}
	if d.definition(usual) != nil {
		return usual, nil
	}
	return "", nil
}

func (n *answerName) text(path string) (string, error) { return name(n.Name, path+".name") }

// name checks that a string is a GraphQL name.
func name(text *string, path string) (string, error) {
	switch {
	case text == nil:
		return "", malformed(path, "parsing Name failed, expected String, but encountered Null")
	case !gqlname.Valid(*text):
		return "", malformed(path, strconv.Quote(*text)+" is not a valid GraphQL name")
	}
	return *text, nil
}

func (t *answerType) definition(path string) (*ast.Definition, error) {
	text, err := name(t.Name, path+".name")
	if err != nil {
		return nil, err
	}
	d := &ast.Definition{Kind: ast.DefinitionKind(t.Kind), Name: text, Description: t.Description}
	switch Kind(t.Kind) {
	case Scalar:
	case Enum:
		for i, v := range t.EnumValues {
			text, err := name(v.Name, path+".enumValues"+index(i)+".name")
			if err != nil {
				return nil, err
			}
			d.EnumValues = append(d.EnumValues, &ast.EnumValueDefinition{Name: text, Description: v.Description})
		}
	case Union:
		d.Types, err = names(t.PossibleTypes, path+".possibleTypes")
	case InputObject:
		var inputs []*ast.ArgumentDefinition
		inputs, err = definitions(t.InputFields, path+".inputFields")
		for _, i := range inputs {
			d.Fields = append(d.Fields, &ast.FieldDefinition{
				Name: i.Name, Description: i.Description, Type: i.Type, DefaultValue: i.DefaultValue,
			})
		}
	case Object, Interface:
		if d.Interfaces, err = names(t.Interfaces, path+".interfaces"); err == nil {
			d.Fields, err = t.fields(path + ".fields")
		}
	default:
		return nil, malformed(path, "unknown kind: "+t.Kind)
	}
	return d, err
}

func (t *answerType) fields(path string) (ast.FieldList, error) {
	var list ast.FieldList
	for i, f := range t.Fields {
		at := path + index(i)
		text, err := name(f.Name, at+".name")
		if err != nil {
			return nil, err
		}
		field := &ast.FieldDefinition{Name: text, Description: f.Description}
		if field.Type, err = f.Type.ref(at + ".type"); err != nil {
			return nil, err
		}
		if field.Arguments, err = definitions(f.Args, at+".args"); err != nil {
			return nil, err
		}
		list = append(list, field)
	}
	return list, nil
}

// definitions are arguments, or fields of an input object.
func definitions(inputs []answerInput, path string) ([]*ast.ArgumentDefinition, error) {
	var list []*ast.ArgumentDefinition
	for i, a := range inputs {
		at := path + index(i)
		text, err := name(a.Name, at+".name")
		if err != nil {
			return nil, err
		}
		d := &ast.ArgumentDefinition{Name: text, Description: a.Description}
		if d.Type, err = a.Type.ref(at + ".type"); err != nil {
			return nil, err
		}
		if a.Default != nil {
			if d.DefaultValue, err = parseValue(*a.Default); err != nil {
				return nil, malformed(at+".defaultValue", err.Error())
			}
		}
		list = append(list, d)
	}
	return list, nil
}

func (r *answerRef) ref(path string) (*ast.Type, error) {
	if r == nil {
		return nil, malformed(path, "expected Object, but encountered Null")
	}
	switch r.Kind {
	case "NON_NULL", "LIST":
		if r.OfType == nil {
			return nil, malformed(path, r.Kind+" should have `ofType`")
		}
		inner, err := r.OfType.ref(path + ".ofType")
		if err != nil {
			return nil, err
		}
		if r.Kind == "LIST" {
			return ast.ListType(inner, nil), nil
		}
		inner.NonNull = true
		return inner, nil
	}
	text, err := name(r.Name, path+".name")
	return ast.NamedType(text, nil), err
}

func names(list []answerName, path string) ([]string, error) {
	var out []string
	for i := range list {
		text, err := list[i].text(path + index(i))
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }
