package gateway

import (
	"fmt"
	"net/http"
	"time"

	"queryengine/pkg/service"
	"queryengine/pkg/telemetry"
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
			return nil, fmt.Errorf("Fatal Error:- Environment variable ENGINE_GRAPHQL_JWT_SECRETS: %w", err) //nolint:staticcheck // wire text
		}
		configs = several
	case c.JWTSecret != "":
		one, err := jwt.ParseConfig(c.JWTSecret.Reveal(), c.JWTEnableEC)
		if err != nil {
			return nil, fmt.Errorf("Fatal Error:- Environment variable ENGINE_GRAPHQL_JWT_SECRET: %w", err) //nolint:staticcheck // wire text
		}
		configs = []*jwt.Config{one}
	default:
		return nil, nil
	}
	return jwt.New(configs, jwt.Deps{
		Client:   &http.Client{},
		Logger:   telemetry.Of(d.Logger, telemetry.LogJWK),
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
		return nil, nil
	}
	h, err := hook.New(hook.Config{
		Propagator:      d.Tracing.Propagator(),
		URL:             c.AuthHook,
		Post:            c.AuthHookPost,
		SendRequestBody: c.AuthHookSendRequestBody,
		UserAgent:       "query-engine/" + service.Version,
	}, &http.Client{Timeout: hookTimeout}, telemetry.Of(d.Logger, telemetry.LogWebhook))
	if err != nil {
		return nil, fmt.Errorf("Fatal Error:- Environment variable ENGINE_GRAPHQL_AUTH_HOOK: %w", err) //nolint:staticcheck // wire text
	}
	return h, nil
}
