package request

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/jsonscan"
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
	if v.Kind != jsonscan.Object {
		return e, wrongKind("explain request", jsonscan.Object, v)
	}
	found := false
	err = v.Members(func(key []byte, m jsonscan.Value) (err error) {
		switch string(key) {
		case "query":
			found = true
			e.GraphQL, err = readExplained(m)
		case "user":
			err = readUser(m, &e.User)
		case "is_relay":
			if m.Kind != jsonscan.Bool && m.Kind != jsonscan.Null {
				err = wrongKind("Bool", jsonscan.Bool, m)
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

func readExplained(v jsonscan.Value) (GraphQL, error) {
	if v.Kind == jsonscan.String {
		return GraphQL{Query: v.Text()}, nil
	}
	return Read(v)
}

func readUser(v jsonscan.Value, user *session.Session) error {
	switch v.Kind {
	case jsonscan.Null:
		return nil
	case jsonscan.Object:
	default:
		return wrongKind("HashMap", jsonscan.Object, v)
	}
	given := map[string]string{}
	err := v.Members(func(key []byte, m jsonscan.Value) error {
		if m.Kind != jsonscan.String {
			return apierror.At(wrongKind("Text", jsonscan.String, m), string(key))
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
