package jwt

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
)

// Claims with a meaning of their own; they are not part of the session.
const (
	allowedRoles = "x-engine-allowed-roles"
	defaultRole  = "x-engine-default-role"
)

// sessionOf turns the verified payload into a session for the requested role ("" for none).
func (c *Config) sessionOf(payload map[string]any, role string) (*session.Session, error) {
	claims, err := c.claims(payload)
	if err != nil {
		return nil, err
	}
	allowed, ok := claims[allowedRoles]
	if !ok {
		return nil, missingRole(allowedRoles)
	}
	roles, err := roleList(allowed)
	if err != nil {
		return nil, invalid("invalid %s; should be a list of roles: %s", allowedRoles, err)
	}
	standard, ok := claims[defaultRole]
	if !ok {
		return nil, missingRole(defaultRole)
	}
	standardRole, ok := standard.(string)
	if !ok {
		form := "a single role name"
		if c.claimsMap != nil {
			form = "a role"
		}
		return nil, invalid("invalid %s; should be %s: %s", defaultRole, form, notText(standard))
	}
	if role == "" {
		role = standardRole
	}
	if !contains(roles, role) {
		return nil, apierror.New(apierror.AccessDenied, "Your requested role is not in allowed roles").WithStatus(400)
	}
	return variables(claims, role)
}

func variables(claims map[string]any, role string) (*session.Session, error) {
	variables := make(map[string]string, len(claims)+1)
	for name, value := range claims {
		if name == allowedRoles || name == defaultRole {
			continue
		}
		text, ok := value.(string)
		if !ok {
			return nil, invalid("x-engine-* claims: %s", notText(value))
		}
		variables[name] = text
	}
	return session.New(role, variables), nil
}

// claims are the x-engine-* claims, by our names.
func (c *Config) claims(payload map[string]any) (map[string]any, error) {
	if c.claimsMap != nil {
		return c.mapClaims(payload)
	}
	value, err := c.namespaced(payload)
	if err != nil {
		return nil, err
	}
	if c.stringified {
		value, err = c.destringify(value)
		if err != nil {
			return nil, err
		}
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, invalid("expecting a json object when claims_format is json")
	}
	return session.Own(object), nil
}

func (c *Config) namespaced(payload map[string]any) (any, error) {
	if c.namespacePath != nil {
		value, ok := c.namespacePath.find(payload)
		if !ok {
			return nil, invalid("claims not found at claims_namespace_path: '%s'", c.namespacePath.text)
		}
		return value, nil
	}
	value, ok := payload[c.namespace]
	if vendor := session.Vendor(); !ok && vendor != "" && c.namespace == DefaultNamespace {
		value, ok = payload["https://"+vendor+".io/jwt/claims"]
	}
	if !ok {
		return nil, invalid("claims key: '%s' not found", c.namespace)
	}
	return value, nil
}

func (c *Config) destringify(value any) (any, error) {
	text, ok := value.(string)
	if !ok {
		return nil, invalid("expecting a string when claims_format is stringified_json")
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		place := "claims_namespace " + c.namespace
		if c.namespacePath != nil {
			place = "claims_namespace_path " + c.namespacePath.text
		}
		return nil, invalid("expecting stringified json at: '%s', but found: %s", place, text)
	}
	return object, nil
}

func (c *Config) mapClaims(payload map[string]any) (map[string]any, error) {
	claims := make(map[string]any, len(c.claimsMap))
	for _, name := range slices.Sorted(maps.Keys(c.claimsMap)) { // the same token has the same error each time
		claim := c.claimsMap[name]
		value := claim.literal
		if claim.path != nil {
			found, ok := claim.path.find(payload)
			switch {
			case ok:
				value = found
			case claim.fallback != nil:
				value = claim.fallback
			case name == allowedRoles || name == defaultRole:
				continue
			default:
				return nil, invalid("JWT claim from claims_map, %s not found", name)
			}
		}
		claims[name] = value
	}
	return claims, nil
}

// roleList is a list of role names; its error describes what was found in the parser's words.
func roleList(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("parsing [] failed, expected Array, but encountered %s", jsonKind(value))
	}
	roles := make([]string, len(list))
	for i, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("%s", notText(item))
		}
		if text == "" {
			return nil, errors.New("empty string not allowed")
		}
		roles[i] = text
	}
	return roles, nil
}

func notText(value any) string {
	return "parsing Text failed, expected String, but encountered " + jsonKind(value)
}

func jsonKind(value any) string {
	switch value.(type) {
	case nil:
		return "Null"
	case string:
		return "String"
	case bool:
		return "Boolean"
	case []any:
		return "Array"
	case map[string]any:
		return "Object"
	}
	return "Number"
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}

func missingRole(claim string) error {
	return apierror.Newf(apierror.JWTMissingRoleClaims, "JWT claim does not contain %s", claim)
}

func invalid(format string, args ...any) error {
	return apierror.Newf(apierror.JWTInvalidClaims, format, args...)
}
