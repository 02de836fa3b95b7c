package jwt_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jws"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/jwt"
)

const secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

var (
	rsaKey  = sync.OnceValue(func() *rsa.PrivateKey { k, _ := rsa.GenerateKey(rand.Reader, 2048); return k })
	edKey   = sync.OnceValue(func() ed25519.PrivateKey { _, k, _ := ed25519.GenerateKey(rand.Reader); return k })
	ecKey   = sync.OnceValue(func() *ecdsa.PrivateKey { k, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader); return k })
	now     = time.Unix(1_800_000_000, 0)
	roles   = map[string]any{"x-engine-user-id": "7", "x-engine-default-role": "user", "x-engine-allowed-roles": []string{"user", "editor"}}
	claimed = map[string]any{jwt.DefaultNamespace: roles}
)

func publicPEM(t *testing.T, key crypto.Signer) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func sign(t *testing.T, alg jwa.SignatureAlgorithm, key any, claims map[string]any, options ...jws.Option) string {
	t.Helper()
	payload, err := json.Marshal(claims)
	require.NoError(t, err)
	var suboptions []jws.WithKeySuboption
	for _, o := range options {
		suboptions = append(suboptions, o.(jws.WithKeySuboption))
	}
	token, err := jws.Sign(payload, jws.WithKey(alg, key, suboptions...))
	require.NoError(t, err)
	return string(token)
}

// hmacToken signs a payload that need not be claims.
func hmacToken(t *testing.T, payload string) string {
	t.Helper()
	token, err := jws.Sign([]byte(payload), jws.WithKey(jwa.HS256, []byte(secret)))
	require.NoError(t, err)
	return string(token)
}

func with(claims map[string]any, more map[string]any) map[string]any {
	all := map[string]any{}
	for _, m := range []map[string]any{claims, more} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

func verifier(t *testing.T, enableEC bool, configs ...map[string]any) *jwt.Verifier {
	t.Helper()
	var parsed []*jwt.Config
	for _, c := range configs {
		text, err := json.Marshal(c)
		require.NoError(t, err)
		config, err := jwt.ParseConfig(string(text), enableEC)
		require.NoError(t, err)
		parsed = append(parsed, config)
	}
	v := jwt.New(parsed, jwt.Deps{Client: http.DefaultClient, Logger: telemetry.Discard(), Now: func() time.Time { return now }, EnableEC: enableEC})
	require.NoError(t, v.Start(t.Context()))
	t.Cleanup(v.Stop)
	return v
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

func hmacConfig(more map[string]any) map[string]any {
	return with(map[string]any{"type": "HS256", "key": secret}, more)
}

func requireFault(t *testing.T, err error, code apierror.Code, message string) {
	t.Helper()
	require.Error(t, err)
	e := apierror.From(err)
	require.Equal(t, code, e.Code)
	require.Equal(t, message, e.Message)
	require.Equal(t, http.StatusBadRequest, e.Status)
	require.Nil(t, e.Internal)
}

func TestEveryAlgorithm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, key string
		alg       jwa.SignatureAlgorithm
		private   any
	}{
		{"HS256", secret, jwa.HS256, []byte(secret)},
		{"HS256", secret, jwa.HS512, []byte(secret)},
		{"RS256", publicPEM(t, rsaKey()), jwa.RS256, rsaKey()},
		{"RS512", publicPEM(t, rsaKey()), jwa.RS384, rsaKey()},
		{"RS256", certificate(t, rsaKey()), jwa.RS256, rsaKey()},
		{"Ed25519", certificate(t, edKey()), jwa.EdDSA, edKey()},
		{"ES256", certificate(t, ecKey()), jwa.ES256, ecKey()},
		{"Ed25519", publicPEM(t, edKey()), jwa.EdDSA, edKey()},
		{"ES256", publicPEM(t, ecKey()), jwa.ES256, ecKey()},
	} {
		v := verifier(t, true, map[string]any{"type": c.kind, "key": c.key})
		identity, err := v.Authenticate(bearer(sign(t, c.alg, c.private, with(claimed, map[string]any{"exp": now.Unix() + 60}))), "")
		require.NoError(t, err, "%s with %s", c.kind, c.alg)
		require.Equal(t, "user", identity.Session.Role)
		require.Equal(t, map[string]string{"x-engine-user-id": "7", "x-engine-role": "user"}, identity.Session.Variables)
		require.Equal(t, now.Add(time.Minute).Unix(), identity.Expires.Unix())
	}
}

func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	rsaPEM := publicPEM(t, rsaKey())
	rsaConfig := map[string]any{"type": "RS256", "key": rsaPEM}
	good := sign(t, jwa.HS256, []byte(secret), claimed)
	parts := strings.Split(good, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "."
	signed := func(more map[string]any) string { return sign(t, jwa.HS256, []byte(secret), with(claimed, more)) }
	headed := func(header string) string {
		signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + parts[1]
		sum := hmac.New(sha256.New, []byte(secret))
		_, _ = sum.Write([]byte(signed))
		return signed + "." + base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
	}
	for name, c := range map[string]struct {
		config         map[string]any
		token, message string
	}{
		"two parts":             {hmacConfig(nil), "a.b", "JWSError (CompactDecodeError Invalid number of parts: Expected 3 parts; got 2)"},
		"payload isn't base64":  {hmacConfig(nil), parts[0] + ".!." + parts[2], `JWSError (JSONDecodeError "illegal base64 data at input byte 0")`},
		"sum isn't base64":      {hmacConfig(nil), parts[0] + "." + parts[1] + ".a!", `JWSError (JSONDecodeError "illegal base64 data at input byte 1")`},
		"header isn't JSON":     {hmacConfig(nil), "eA." + parts[1] + "." + parts[2], `JWSError (JSONDecodeError "invalid character 'x' looking for beginning of value")`},
		"more than an object":   {hmacConfig(nil), hmacToken(t, `{} {}`), `JWTClaimsSetDecodeError "invalid character '{' after top-level value"`},
		"algorithm none":        {hmacConfig(nil), none, "JWSError JWSInvalidSignature"},
		"public key as secret":  {rsaConfig, sign(t, jwa.HS256, []byte(rsaPEM), claimed), "JWSError JWSInvalidSignature"},
		"changed payload":       {hmacConfig(nil), parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{}`)) + "." + parts[2], "JWSError JWSInvalidSignature"},
		"another secret":        {hmacConfig(nil), sign(t, jwa.HS256, []byte(strings.Repeat("x", 32)), claimed), "JWSError JWSInvalidSignature"},
		"expired":               {hmacConfig(nil), signed(map[string]any{"exp": now.Unix()}), "JWTExpired"},
		"expired past the skew": {hmacConfig(map[string]any{"allowed_skew": 60}), signed(map[string]any{"exp": now.Unix() - 60}), "JWTExpired"},
		"not yet valid":         {hmacConfig(nil), signed(map[string]any{"nbf": now.Unix() + 1}), "JWTNotYetValid"},
		"issued later":          {hmacConfig(nil), signed(map[string]any{"iat": float64(now.Unix()) + 0.5}), "JWTIssuedAtFuture"},
		"exp of another type":   {hmacConfig(nil), signed(map[string]any{"exp": "soon"}), `JWTClaimsSetDecodeError "exp is not a number"`},
		"another issuer":        {hmacConfig(map[string]any{"issuer": "https://a.test"}), signed(map[string]any{"iss": "https://b.test"}), "JWTNotInIssuer"},
		"null issuer, required": {hmacConfig(map[string]any{"issuer": "https://a.test", "require_issuer": true}), signed(map[string]any{"iss": nil}), "JWTNotInIssuer"},
		"issuer is a number":    {hmacConfig(map[string]any{"issuer": "https://a.test"}), signed(map[string]any{"iss": 1}), "JWTNotInIssuer"},
		"another audience":      {hmacConfig(map[string]any{"audience": []string{"a", "b"}}), signed(map[string]any{"aud": []string{"c"}}), "JWTNotInAudience"},
		"no issuer":             {hmacConfig(map[string]any{"issuer": "https://a.test", "require_issuer": true}), signed(nil), "JWTNotInIssuer"},
		"no audience":           {hmacConfig(map[string]any{"audience": "a"}), signed(nil), "JWTNotInAudience"},
		"audience is null":      {hmacConfig(map[string]any{"audience": "a"}), signed(map[string]any{"aud": nil}), "JWTNotInAudience"},
		"audience is a number":  {hmacConfig(map[string]any{"audience": "a"}), signed(map[string]any{"aud": 1}), "JWTNotInAudience"},
		"critical extension":    {hmacConfig(nil), headed(`{"alg":"HS256","crit":["http://example.test/x"]}`), "JWSError (crit names extensions that are not supported)"},
		"payload not encoded":   {hmacConfig(nil), headed(`{"alg":"HS256","b64":false}`), "JWSError (payloads that are not base64url-encoded are not supported)"},
		"claims are a list":     {hmacConfig(nil), sign(t, jwa.HS256, []byte(secret), nil), `JWTClaimsSetDecodeError "expected Object, but encountered Null"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := verifier(t, false, c.config).Authenticate(bearer(c.token), "")
			requireFault(t, err, apierror.InvalidJWT, "Could not verify JWT: "+c.message)
		})
	}
}

func TestAcceptedRegisteredClaims(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ config, claims map[string]any }{
		"no issuer":                  {map[string]any{"issuer": "https://a.test"}, nil},
		"issuer is null":             {map[string]any{"issuer": "https://a.test"}, map[string]any{"iss": nil}},
		"expired within the skew":    {map[string]any{"allowed_skew": 60}, map[string]any{"exp": now.Unix() - 59}},
		"configuration without one":  {nil, map[string]any{"iss": "https://b.test"}},
		"one common audience":        {map[string]any{"audience": "a"}, map[string]any{"aud": []string{"b", "a"}}},
		"audience as a text":         {map[string]any{"audience": []string{"a", "b"}}, map[string]any{"aud": "b"}},
		"audience is not configured": {nil, map[string]any{"aud": "anyone"}},
		"claims that are null": {
			nil,
			map[string]any{"exp": nil, "nbf": nil, "iat": nil, "iss": nil, "aud": nil},
		},
	} {
		_, err := verifier(t, false, hmacConfig(c.config)).Authenticate(bearer(sign(t, jwa.HS256, []byte(secret), with(claimed, c.claims))), "")
		require.NoError(t, err, name)
	}
}

// TestSessionsEndWithTheSkew holds that what a token opens stays open while the token is accepted.
func TestSessionsEndWithTheSkew(t *testing.T) {
	t.Parallel()
	v := verifier(t, false, hmacConfig(map[string]any{"allowed_skew": 60}))
	token := sign(t, jwa.HS256, []byte(secret), with(claimed, map[string]any{"exp": now.Unix() - 59}))
	identity, err := v.Authenticate(bearer(token), "")
	require.NoError(t, err)
	require.Equal(t, now.Unix()+1, identity.Expires.Unix())
}

func TestRoles(t *testing.T) {
	t.Parallel()
	v := verifier(t, false, hmacConfig(nil))
	token := sign(t, jwa.HS256, []byte(secret), claimed)
	identity, err := v.Authenticate(bearer(token), "editor")
	require.NoError(t, err)
	require.Equal(t, "editor", identity.Session.Variables["x-engine-role"])
	_, err = v.Authenticate(bearer(token), "admin")
	requireFault(t, err, apierror.AccessDenied, "Your requested role is not in allowed roles")

	outside := map[string]any{jwt.DefaultNamespace: with(roles, map[string]any{"x-engine-default-role": "boss"})}
	_, err = v.Authenticate(bearer(sign(t, jwa.HS256, []byte(secret), outside)), "")
	requireFault(t, err, apierror.AccessDenied, "Your requested role is not in allowed roles")
}

func TestClaims(t *testing.T) {
	t.Parallel()
	without := func(name string) map[string]any {
		c := with(roles, nil)
		delete(c, name)
		return map[string]any{jwt.DefaultNamespace: c}
	}
	text, err := json.Marshal(roles)
	require.NoError(t, err)
	mapped := map[string]any{
		"x-engine-allowed-roles": []string{"user"}, "x-engine-default-role": map[string]any{"path": "$.who['the role']", "default": "user"},
		"x-engine-user-id": map[string]any{"path": "$.['sub']"}, "x-engine-first": map[string]any{"path": "list[0].name", "default": "nobody"}, "x-engine-fixed": "yes",
	}
	for name, c := range map[string]struct {
		config, claims map[string]any
		code           apierror.Code
		message        string // of the fault, "" for none
	}{
		"namespace":            {claims: claimed},
		"another namespace":    {config: map[string]any{"claims_namespace": "c"}, claims: map[string]any{"c": roles}},
		"path":                 {config: map[string]any{"claims_namespace_path": "$.a['b%'][1]"}, claims: map[string]any{"a": map[string]any{"b%": []any{nil, roles}}}},
		"root":                 {config: map[string]any{"claims_namespace_path": "$"}, claims: roles},
		"stringified":          {config: map[string]any{"claims_format": "stringified_json"}, claims: map[string]any{jwt.DefaultNamespace: string(text)}},
		"mapped":               {config: map[string]any{"claims_map": mapped}, claims: map[string]any{"sub": "7"}},
		"absent":               {claims: map[string]any{}, code: apierror.JWTInvalidClaims, message: "claims key: 'https://engine.io/jwt/claims' not found"},
		"path finds nothing":   {config: map[string]any{"claims_namespace_path": "$.a.b"}, claims: claimed, code: apierror.JWTInvalidClaims, message: "claims not found at claims_namespace_path: '$.a.b'"},
		"not an object":        {claims: map[string]any{jwt.DefaultNamespace: "x"}, code: apierror.JWTInvalidClaims, message: "expecting a json object when claims_format is json"},
		"not a string":         {config: map[string]any{"claims_format": "stringified_json"}, claims: claimed, code: apierror.JWTInvalidClaims, message: "expecting a string when claims_format is stringified_json"},
		"string without JSON":  {config: map[string]any{"claims_format": "stringified_json"}, claims: map[string]any{jwt.DefaultNamespace: "x"}, code: apierror.JWTInvalidClaims, message: "expecting stringified json at: 'claims_namespace https://engine.io/jwt/claims', but found: x"},
		"no allowed roles":     {claims: without("x-engine-allowed-roles"), code: apierror.JWTMissingRoleClaims, message: "JWT claim does not contain x-engine-allowed-roles"},
		"no default role":      {claims: without("x-engine-default-role"), code: apierror.JWTMissingRoleClaims, message: "JWT claim does not contain x-engine-default-role"},
		"roles are a text":     {claims: map[string]any{jwt.DefaultNamespace: with(roles, map[string]any{"x-engine-allowed-roles": "user"})}, code: apierror.JWTInvalidClaims, message: "invalid x-engine-allowed-roles; should be a list of roles: parsing [] failed, expected Array, but encountered String"},
		"default is a number":  {claims: map[string]any{jwt.DefaultNamespace: with(roles, map[string]any{"x-engine-default-role": 1})}, code: apierror.JWTInvalidClaims, message: "invalid x-engine-default-role; should be a single role name: parsing Text failed, expected String, but encountered Number"},
		"claim is a number":    {claims: map[string]any{jwt.DefaultNamespace: with(roles, map[string]any{"x-engine-user-id": 7})}, code: apierror.JWTInvalidClaims, message: "x-engine-* claims: parsing Text failed, expected String, but encountered Number"},
		"mapped claim missing": {config: map[string]any{"claims_map": mapped}, claims: map[string]any{}, code: apierror.JWTInvalidClaims, message: "JWT claim from claims_map, x-engine-user-id not found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			identity, err := verifier(t, false, hmacConfig(c.config)).Authenticate(bearer(sign(t, jwa.HS256, []byte(secret), c.claims)), "")
			if c.message != "" {
				requireFault(t, err, c.code, c.message)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "7", identity.Session.Variables["x-engine-user-id"])
			require.NotContains(t, identity.Session.Variables, "x-engine-allowed-roles")
			if name == "mapped" {
				require.Equal(t, "nobody", identity.Session.Variables["x-engine-first"])
				require.Equal(t, "yes", identity.Session.Variables["x-engine-fixed"])
			}
		})
	}
}

func TestWhereTheTokenIs(t *testing.T) {
	t.Parallel()
	token := sign(t, jwa.HS256, []byte(secret), claimed)
	cookie := hmacConfig(map[string]any{"header": map[string]any{"type": "Cookie", "name": "session"}})
	custom := hmacConfig(map[string]any{"header": `{"type":"customheader","name":"X-Token"}`})

	_, err := verifier(t, false, cookie).Authenticate(http.Header{"Cookie": {"a=b; session=" + token}}, "")
	require.NoError(t, err)
	_, err = verifier(t, false, custom).Authenticate(http.Header{"X-Token": {token}}, "")
	require.NoError(t, err)
	_, err = verifier(t, false, cookie).Authenticate(bearer(token), "")
	require.ErrorIs(t, err, jwt.ErrNoToken, "a token at another place is none")
	_, err = verifier(t, false, cookie).Authenticate(http.Header{"Cookie": {"session="}}, "")
	requireFault(t, err, apierror.InvalidJWT, "Could not verify JWT: JWSError (CompactDecodeError Invalid number of parts: Expected 3 parts; got 1)")
	for _, value := range []string{"", "Bearer", "Basic abc", token, "Bearer a b"} {
		_, err = verifier(t, false, hmacConfig(nil)).Authenticate(http.Header{"Authorization": {value}}, "")
		requireFault(t, err, apierror.InvalidHeaders, "Malformed Authorization header")
	}
	_, err = verifier(t, false, cookie, custom).Authenticate(http.Header{"Cookie": {"session=" + token}, "X-Token": {token}}, "")
	requireFault(t, err, apierror.InvalidHeaders, "Could not verify JWT: Multiple JWTs found")
}

func TestIssuersChooseAmongConfigurations(t *testing.T) {
	t.Parallel()
	other := strings.Repeat("y", 32)
	v := verifier(t, false,
		hmacConfig(map[string]any{"issuer": "https://a.test"}),
		map[string]any{"type": "HS256", "key": other, "issuer": "https://b.test"})
	_, err := v.Authenticate(bearer(sign(t, jwa.HS256, []byte(other), with(claimed, map[string]any{"iss": "https://b.test"}))), "")
	require.NoError(t, err)
	_, err = v.Authenticate(bearer(sign(t, jwa.HS256, []byte(other), with(claimed, map[string]any{"iss": "https://c.test"}))), "")
	requireFault(t, err, apierror.InvalidJWT, "Could not verify JWT: JWTNotInIssuer")
}

func TestRefusedConfigurations(t *testing.T) {
	t.Parallel()
	ec := publicPEM(t, ecKey())
	for text, message := range map[string]string{
		`[]`:                               "not a JSON object",
		`{}`:                               "key and jwk_url both cannot be empty",
		`{"key":"k","jwk_url":"http://x"}`: "key, jwk_url both cannot be present",
		`{"type":"HS256","key":"` + secret + `","require_issuer":true}`: "require_issuer needs an issuer",
		`{"jwk_url":"ftp://x"}`:                                                                      "jwk_url is not an http or https URL",
		`{"type":"HS256","key":"short-and-secret"}`:                                                  "Invalid JWK: Key size too small; should be atleast 32 characters",
		`{"type":"HS512","key":"` + secret[:40] + `"}`:                                               "Invalid JWK: Key size too small; should be atleast 64 characters",
		`{"type":"RS256","key":"no pem"}`:                                                            "Invalid JWK: Could not decode PEM",
		`{"type":"PS256","key":"k"}`:                                                                 "Invalid JWK: Key type: PS256 is not supported",
		`{"type":"ES256","key":` + quoted(ec) + `}`:                                                  "Invalid JWK: Key type: ES256 is not supported",
		`{"type":"RS256","key":` + quoted(certificate(t, ecKey())) + `}`:                             "Invalid JWK: Could not decode RSA or EdDSA public key from x509 cert",
		`{"type":"RS256","key":` + quoted(publicPEM(t, edKey())) + `}`:                               "Invalid JWK: the key is not of type RS256",
		`{"type":"HS256","key":"` + secret + `","claims_namespace":"a","claims_namespace_path":"$"}`: "claims_namespace and claims_namespace_path both cannot be set",
		`{"type":"HS256","key":"` + secret + `","claims_namespace_path":"$.a["}`:                     "invalid JSON path claims_namespace_path error:",
		`{"type":"HS256","key":"` + secret + `","claims_map":{"x-engine-default-role":"user"}}`:      "x-engine-allowed-roles is expected but not found",
		`{"type":"HS256","key":"` + secret + `","claims_map":{"x-engine-allowed-roles":["user"]}}`:   "x-engine-default-role is expected but not found",
		`{"type":"HS256","key":"` + secret + `","header":{"type":"Query"}}`:                          "expected 'type' is 'Authorization' or 'Cookie' or 'CustomHeader'",
		`{"type":"HS256","key":"` + secret + `","claims_format":"xml"}`:                              "claims_format can be json or stringified_json",
	} {
		_, err := jwt.ParseConfig(text, false)
		require.ErrorContains(t, err, message, text)
		require.NotContains(t, err.Error(), "short-and-secret")
	}
}

// certificate is one that a key has made for itself.
func certificate(t *testing.T, key crypto.Signer) string {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
