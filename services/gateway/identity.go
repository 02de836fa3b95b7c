package gateway

import (
	"errors"
	"net/http"
	"time"

	"queryengine/pkg/config"
	"queryengine/pkg/extension"
	"queryengine/pkg/logtype"
	"queryengine/pkg/service"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/cors"
	"queryengine/services/gateway/internal/hook"
	"queryengine/services/gateway/internal/jwt"
)

// hookTimeout bounds one call of the authentication webhook.
const hookTimeout = 10 * time.Second

// newTokens returns the verifier of the configured tokens, nil for none.
func newTokens(c Config, d Deps) (*jwt.Verifier, error) {
	var configs []*jwt.Config
	switch {
	case c.JWTSecrets != "":
		several, err := jwt.ParseConfigs(c.JWTSecrets.Reveal(), c.JWTEnableEC)
		if err != nil {
			return nil, config.JWTSecrets.Spec().Wrong(err)
		}
		configs = several
	case c.JWTSecret != "":
		one, err := jwt.ParseConfig(c.JWTSecret.Reveal(), c.JWTEnableEC)
		if err != nil {
			return nil, config.JWTSecret.Spec().Wrong(err)
		}
		configs = []*jwt.Config{one}
	default:
		return nil, nil
	}
	return jwt.New(configs, jwt.Deps{
		Client:   &http.Client{},
		Logger:   telemetry.Of(d.Logger, logtype.JWK),
		Now:      time.Now,
		EnableEC: c.JWTEnableEC,
	}), nil
}

// tokenInfo is what the config API shows of the token configurations.
func tokenInfo(tokens *jwt.Verifier) []jwt.Info {
	if tokens == nil {
		return nil
	}
	var infos []jwt.Info
	for _, c := range tokens.Configs() {
		infos = append(infos, c.Info())
	}
	return infos
}

// newHook returns the configured authentication webhook, nil for none.
func newHook(c Config, d Deps) (*hook.Hook, error) {
	if c.AuthHook == "" {
		c.AuthHook = d.Code.AuthenticationURL()
	}
	if c.AuthHook == "" {
		return nil, nil
	}
	if fault := d.Code.Fault(extension.Authentication, c.AuthHook); fault != "" {
		return nil, config.AuthHook.Spec().Wrong(errors.New(fault))
	}
	h, err := hook.New(hook.Config{
		Propagator:      d.Tracing.Propagator(),
		URL:             c.AuthHook,
		Post:            c.AuthHookPost,
		SendRequestBody: c.AuthHookSendRequestBody,
		UserAgent:       service.UserAgent(),
	}, &http.Client{Timeout: hookTimeout, Transport: d.Code.Transport(http.DefaultTransport)}, telemetry.Of(d.Logger, logtype.Webhook))
	if err != nil {
		return nil, config.AuthHook.Spec().Wrong(err)
	}
	return h, nil
}

// guards decide whose requests are let in.
type guards struct {
	auth   *auth.Authenticator
	tokens *jwt.Verifier // nil without token configurations
	cors   *cors.Policy
}

// newGuards makes them, or tells all that is wrong with their settings; no I/O.
func newGuards(c Config, d Deps) (g guards, err error) {
	tokens, err := newTokens(c, d)
	asked, hookErr := newHook(c, d)
	origins, corsErr := cors.New(c.CORSDomains, c.DisableCORS)
	if err = errors.Join(err, hookErr, config.CORSDomain.Spec().Wrong(corsErr)); err != nil {
		return g, err
	}
	a, err := auth.New(auth.Config{Secrets: c.AdminSecrets, SecretDisabled: c.DisableSecret, UnauthorizedRole: c.UnauthorizedRole, Tokens: tokens, Hook: asked})
	return guards{auth: a, tokens: tokens, cors: origins}, err
}
