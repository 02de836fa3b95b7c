package jwt

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"queryengine/pkg/session"
)

// DefaultNamespace is the key of the claims when none is configured.
const DefaultNamespace = "https://engine.io/jwt/claims"

// Config is one token configuration.
type Config struct {
	// key is the configured key; nil when keys come from jwkURL.
	key    *key
	jwkURL string

	namespace     string    // key of the claims
	namespacePath *jsonPath // instead of namespace
	stringified   bool
	claimsMap     map[string]mappedClaim // instead of both
	claimsMapText json.RawMessage        // as it was given; nil for none

	audience []string
	issuer   string
	// requireIssuer reports whether tokens have to name the issuer.
	requireIssuer bool
	skew          float64 // s

	location location
}

// mappedClaim is an entry of claims_map: a literal, or a path with a default.
type mappedClaim struct {
	literal  any
	path     *jsonPath
	fallback any // nil for none
}

// location is where a request carries the token.
type location struct {
	kind locationKind
	name string // of the cookie or the header
}

type locationKind int

const (
	inAuthorization locationKind = iota
	inCookie
	inHeader
)

// Info is what the config API shows of a configuration: nothing of its key.
type Info struct {
	ClaimsNamespace string          `json:"claims_namespace"` // or the path
	ClaimsFormat    string          `json:"claims_format"`
	ClaimsMap       json.RawMessage `json:"claims_map"`
	// Issuer is who makes the tokens, empty for anyone.
	Issuer string `json:"-"`
}

// Info is the part that is not secret.
func (c *Config) Info() Info {
	info := Info{ClaimsNamespace: c.namespace, ClaimsFormat: "json", ClaimsMap: c.claimsMapText, Issuer: c.issuer}
	if c.stringified {
		info.ClaimsFormat = "stringified_json"
	}
	if c.namespacePath != nil {
		info.ClaimsNamespace = c.namespacePath.text
	}
	return info
}

// ParseConfigs reads a JSON array of configurations.
func ParseConfigs(text string, enableEC bool) ([]*Config, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, errors.New("the JWT configurations are not a JSON array")
	}
	configs := make([]*Config, len(raw))
	for i, one := range raw {
		var err error
		if configs[i], err = ParseConfig(string(one), enableEC); err != nil {
			return nil, fmt.Errorf("JWT configuration %d: %w", i, err)
		}
	}
	return configs, nil
}

// ParseConfig reads a configuration object. enableEC accepts elliptic-curve keys. Errors
// never hold the key.
func ParseConfig(text string, enableEC bool) (*Config, error) {
	var raw struct {
		Type          string          `json:"type"`
		Key           string          `json:"key"`
		JWKURL        string          `json:"jwk_url"`
		Namespace     *string         `json:"claims_namespace"`
		NamespacePath *string         `json:"claims_namespace_path"`
		Format        string          `json:"claims_format"`
		ClaimsMap     json.RawMessage `json:"claims_map"`
		Audience      json.RawMessage `json:"audience"`
		Issuer        string          `json:"issuer"`
		RequireIssuer bool            `json:"require_issuer"`
		Skew          int             `json:"allowed_skew"`
		Header        json.RawMessage `json:"header"`
	}
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, errors.New("the JWT configuration is not a JSON object of the expected shape")
	}
	if raw.RequireIssuer && raw.Issuer == "" {
		return nil, errors.New("require_issuer needs an issuer")
	}
	c := &Config{issuer: raw.Issuer, requireIssuer: raw.RequireIssuer, skew: float64(raw.Skew), namespace: DefaultNamespace}
	if err := c.setKey(raw.Type, raw.Key, raw.JWKURL, enableEC); err != nil {
		return nil, err
	}
	if raw.Namespace != nil && raw.NamespacePath != nil {
		return nil, errors.New("claims_namespace and claims_namespace_path both cannot be set")
	}
	if raw.Namespace != nil {
		c.namespace = *raw.Namespace
	}
	if raw.NamespacePath != nil {
		path, err := parsePath(*raw.NamespacePath)
		if err != nil {
			return nil, fmt.Errorf("invalid JSON path claims_namespace_path error: %w", err)
		}
		c.namespacePath = &path
	}
	switch raw.Format {
	case "", "json":
	case "stringified_json":
		c.stringified = true
	default:
		return nil, fmt.Errorf("claims_format can be json or stringified_json, not %q", raw.Format)
	}
	var err error
	if c.claimsMap, c.claimsMapText, err = parseClaimsMap(raw.ClaimsMap); err != nil {
		return nil, err
	}
	if c.audience, err = parseAudience(raw.Audience); err != nil {
		return nil, err
	}
	if c.location, err = parseLocation(raw.Header); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Config) setKey(kind, text, jwkURL string, enableEC bool) error {
	switch {
	case text == "" && jwkURL == "":
		return errors.New("key and jwk_url both cannot be empty")
	case text != "" && jwkURL != "":
		return errors.New("key, jwk_url both cannot be present")
	case jwkURL != "":
		u, err := url.Parse(jwkURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("jwk_url is not an http or https URL")
		}
		c.jwkURL = jwkURL
		return nil
	}
	k, err := parseKey(kind, text, enableEC)
	if err != nil {
		return fmt.Errorf("Invalid JWK: %w", err) //nolint:staticcheck // wire text
	}
	c.key = k
	return nil
}

// parseClaimsMap returns the map and its text, nil for none.
func parseClaimsMap(text json.RawMessage) (map[string]mappedClaim, json.RawMessage, error) {
	var raw map[string]json.RawMessage
	if len(text) > 0 && json.Unmarshal(text, &raw) != nil {
		return nil, nil, errors.New("claims_map has to be an object")
	}
	if raw == nil {
		return nil, nil, nil
	}
	for name := range raw {
		if _, ok := session.Canonical(name); !ok {
			return nil, nil, fmt.Errorf("claims_map: %q is not the name of a session variable", name)
		}
	}
	raw = session.Own(raw)
	claims := make(map[string]mappedClaim, len(raw))
	for name, value := range raw {
		claim, err := parseMappedClaim(value)
		if err == nil && claim.path == nil {
			err = checkLiteral(name, claim.literal)
		}
		if err == nil && claim.fallback != nil {
			err = checkLiteral(name, claim.fallback)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("claims_map: %s: %w", name, err)
		}
		claims[name] = claim
	}
	for _, name := range []string{allowedRoles, defaultRole} {
		if _, ok := claims[name]; !ok {
			return nil, nil, fmt.Errorf("claims_map: %s is expected but not found", name)
		}
	}
	return claims, text, nil
}

func parseMappedClaim(value json.RawMessage) (mappedClaim, error) {
	var decoded any
	if err := json.Unmarshal(value, &decoded); err != nil {
		return mappedClaim{}, err
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return mappedClaim{literal: decoded}, nil
	}
	text, ok := object["path"].(string)
	if !ok {
		return mappedClaim{}, errors.New("an object needs the text \"path\"")
	}
	path, err := parsePath(text)
	if err != nil {
		return mappedClaim{}, fmt.Errorf("invalid JSON path: %w", err)
	}
	return mappedClaim{path: &path, fallback: object["default"]}, nil
}

// checkLiteral holds literals and defaults to their types: a list of texts for the allowed
// roles, a text for everything else.
func checkLiteral(name string, value any) error {
	if name == allowedRoles {
		_, err := roleList(value)
		return err
	}
	if _, ok := value.(string); !ok {
		return fmt.Errorf("expected String, but encountered %s", jsonKind(value))
	}
	return nil
}

func parseAudience(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("audience has to be a text or a list of texts")
	}
	return list, nil
}

func parseLocation(raw json.RawMessage) (location, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return location{}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text) // the object may come as a text that holds its JSON
	}
	var header struct{ Type, Name string }
	if err := json.Unmarshal(raw, &header); err != nil {
		return location{}, errors.New("header has to be an object with 'type'")
	}
	var kind locationKind
	switch strings.ToLower(header.Type) {
	case "authorization":
		return location{}, nil
	case "cookie":
		kind = inCookie
	case "customheader":
		kind = inHeader
	default:
		return location{}, errors.New("expected 'type' is 'Authorization' or 'Cookie' or 'CustomHeader'")
	}
	if header.Name == "" {
		return location{}, fmt.Errorf("header of type %s needs a 'name'", header.Type)
	}
	return location{kind: kind, name: header.Name}, nil
}
