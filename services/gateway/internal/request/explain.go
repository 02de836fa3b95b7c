package request

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/session"
)

// Explain asks for the plans of an operation.
type Explain struct {
	GraphQL
	// User is the session that the operation is planned for.
	User session.Session
	// Relay asks for the Relay schema.
	Relay bool
}

// ReadExplain reads the body of the explain endpoint. Backend-only permissions count.
func ReadExplain(body []byte) (Explain, error) {
	e := Explain{User: *session.New(session.Admin, nil)}
	e.User.BackendOnly = true
	v, err := parse(body)
	if err != nil {
		return e, err
	}
	if v.Kind != jsonwalk.Object {
		return e, wrongKind("explain request", jsonwalk.Object, v)
	}
	found := false
	err = v.Members(func(key []byte, m jsonwalk.Value) (err error) {
		switch string(key) {
		case "query":
			found = true
			e.GraphQL, err = readExplained(m)
		case "user":
			err = readUser(m, &e.User)
		case "is_relay":
			if m.Kind != jsonwalk.Boolean && m.Kind != jsonwalk.Null {
				err = wrongKind("Bool", jsonwalk.Boolean, m)
			}
			e.Relay = string(m.Raw) == "true"
		}
		return apierror.At(err, string(key))
	})
	if err == nil && !found {
		err = missingKey("query")
	}
	return e, err
}

func readExplained(v jsonwalk.Value) (GraphQL, error) {
	if v.Kind == jsonwalk.String {
		return GraphQL{Query: v.Text()}, nil
	}
	return Read(v)
}

func readUser(v jsonwalk.Value, user *session.Session) error {
	switch v.Kind {
	case jsonwalk.Null:
		return nil
	case jsonwalk.Object:
	default:
		return wrongKind("HashMap", jsonwalk.Object, v)
	}
	given := map[string]string{}
	err := v.Members(func(key []byte, m jsonwalk.Value) error {
		if m.Kind != jsonwalk.String {
			return apierror.At(wrongKind("Text", jsonwalk.String, m), string(key))
		}
		given[string(key)] = m.Text()
		return nil
	})
	variables := session.Own(given)
	role := variables[session.RoleHeader]
	if role == "" {
		role = session.Admin
	}
	*user = *session.New(role, variables)
	user.BackendOnly = true
	return err
}
