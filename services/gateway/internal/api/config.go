package api

import (
	"encoding/json"
	"strings"

	"queryengine/services/gateway/internal/jwt"
)

// serverConfig is the answer of /v1alpha1/config. Features that this server does not have
// show as switched off, and with their defaults.
type serverConfig struct {
	Version                          string           `json:"version"`
	IsFunctionPermissionsInferred    bool             `json:"is_function_permissions_inferred"`
	IsRemoteSchemaPermissionsEnabled bool             `json:"is_remote_schema_permissions_enabled"`
	IsAdminSecretSet                 bool             `json:"is_admin_secret_set"`
	IsAuthHookSet                    bool             `json:"is_auth_hook_set"`
	IsJWTSet                         bool             `json:"is_jwt_set"`
	JWT                              any              `json:"jwt"` // one as an object, else a list
	IsAllowListEnabled               bool             `json:"is_allow_list_enabled"`
	LiveQueries                      LiveQueryOptions `json:"live_queries"`
	StreamingQueries                 LiveQueryOptions `json:"streaming_queries"`
	ConsoleAssetsDir                 *string          `json:"console_assets_dir"`
	ExperimentalFeatures             []string         `json:"experimental_features"`
	IsPrometheusMetricsEnabled       bool             `json:"is_prometheus_metrics_enabled"`
	DefaultNamingConvention          string           `json:"default_naming_convention"`
	FeatureFlags                     []struct{}       `json:"feature_flags"`
	IsApolloFederationEnabled        bool             `json:"is_apollo_federation_enabled"`
}

// LiveQueryOptions configure how often subscriptions are run.
type LiveQueryOptions struct {
	BatchSize    int     `json:"batch_size"`
	RefetchDelay float64 `json:"refetch_delay"` // seconds
}

func (a *API) makeConfigAnswer() []byte {
	var assets *string
	if a.ConsoleAssets != "" {
		assets = &a.ConsoleAssets
	}
	b, _ := json.Marshal(serverConfig{ // plain fields always encode
		Version:                          "v" + a.Version,
		IsFunctionPermissionsInferred:    a.InferFunctionPermissions,
		IsRemoteSchemaPermissionsEnabled: a.RemoteSchemaPermissions,
		IsAdminSecretSet:                 !a.Authenticator.Open(),
		IsAuthHookSet:                    a.AuthHook != "",
		IsJWTSet:                         len(a.Tokens) > 0,
		JWT:                              jwtInfo(a.Tokens),
		IsAllowListEnabled:               a.EnableAllowlist,
		LiveQueries:                      a.LiveQueries,
		StreamingQueries:                 a.StreamingQueries,
		ConsoleAssetsDir:                 assets,
		ExperimentalFeatures:             append([]string{}, a.ExperimentalFeatures...),
		IsPrometheusMetricsEnabled:       a.Enabled[GroupMetrics],
		DefaultNamingConvention:          a.DefaultNamingConvention,
		FeatureFlags:                     []struct{}{},
		IsApolloFederationEnabled:        a.Federation,
	})
	return b
}

func jwtInfo(infos []jwt.Info) any {
	if len(infos) == 1 {
		return infos[0]
	}
	return append([]jwt.Info{}, infos...)
}

func makeVersionAnswer(version string) []byte {
	b, _ := json.Marshal(map[string]string{ // strings always encode
		"version":     "v" + strings.TrimPrefix(version, "v"),
		"server_type": "ce",
	})
	return b
}
