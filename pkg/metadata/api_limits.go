package metadata

import (
	"encoding/json"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
)

// APILimits bound what a GraphQL request may ask for.
type APILimits struct {
	Disabled   bool            `json:"disabled"`
	DepthLimit *Limit[int]     `json:"depth_limit,omitempty"`
	NodeLimit  *Limit[int]     `json:"node_limit,omitempty"`
	TimeLimit  *Limit[Seconds] `json:"time_limit,omitempty"`
	BatchLimit *Limit[int]     `json:"batch_limit,omitempty"`
	RateLimit  *Limit[Rate]    `json:"rate_limit,omitempty"`
	// BytesLimit is how many bytes an operation may have databases read that charge for them.
	BytesLimit *Limit[int64] `json:"bytes_limit,omitempty"`
}

func (l *APILimits) isDefault() bool { return *l == APILimits{} }

// Limits are the limits of the document, nil for none or when they are disabled.
func (d *Document) Limits() *APILimits {
	if len(d.APILimits) == 0 {
		return nil
	}
	l := &APILimits{}
	if decode(d.APILimits, l) != nil || l.Disabled {
		return nil // stored values have been checked
	}
	return l
}

// Limit is a bound for all roles, and others for some.
type Limit[T any] struct {
	Global  T            `json:"global" meta:"required"`
	PerRole map[string]T `json:"per_role"`
}

func (l *Limit[T]) check() error {
	if l.PerRole == nil {
		l.PerRole = map[string]T{}
	}
	return nil
}

// Of is the limit of a role; a nil limit has none.
func (l *Limit[T]) Of(role string) (limit T, ok bool) {
	if l == nil {
		return limit, false
	}
	if own, ok := l.PerRole[role]; ok {
		return own, true
	}
	return l.Global, true
}

// Seconds is a time in seconds, whole or not.
type Seconds float64

// UnmarshalJSON reads a number.
func (s *Seconds) UnmarshalJSON(raw []byte) error {
	if got := JSONType(raw); got != "Number" {
		return typeMismatch("Seconds", "Number", got)
	}
	return json.Unmarshal(raw, (*float64)(s))
}

// Duration is the same time.
func (s Seconds) Duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }

// Rate is how many requests one client may send per minute.
type Rate struct {
	MaxPerMinute int `json:"max_reqs_per_min" meta:"required"`
	// UniqueParams are what identifies clients besides the role: "IP" as a text, or a list of session
	// variables.
	UniqueParams *UniqueParams `json:"unique_params"`
}

// UniqueParams tell clients apart by their address (IP), or by session variables.
type UniqueParams struct {
	IP        bool
	Variables []string
}

// MarshalJSON writes the form that was given.
func (p UniqueParams) MarshalJSON() ([]byte, error) {
	if p.IP {
		return []byte(`"IP"`), nil
	}
	return Encode(p.Variables)
}

// UnmarshalJSON reads "IP", or a list of session variables.
func (p *UniqueParams) UnmarshalJSON(raw []byte) error {
	*p = UniqueParams{}
	if string(raw) == `"IP"` {
		p.IP = true
		return nil
	}
	if decode(raw, &p.Variables) != nil {
		return errUniqueParams()
	}
	for _, name := range p.Variables {
		if lower, ok := session.Reference(name); !ok || lower == session.RoleHeader {
			return errUniqueParams()
		}
	}
	return nil
}

func errUniqueParams() error {
	return apierror.New(apierror.ParseFailed, "Not a valid value. Should be either: 'IP' or a list of Engine session variables")
}

// MetricsConfig configures what is analysed for metrics.
type MetricsConfig struct {
	QueryVariables bool `json:"analyze_query_variables" meta:"required"`
	ResponseBody   bool `json:"analyze_response_body" meta:"required"`
}

func (c *MetricsConfig) isDefault() bool { return *c == MetricsConfig{} }

// Metrics returns what is analysed, nil for nothing.
func (d *Document) Metrics() *MetricsConfig {
	if len(d.MetricsConfig) == 0 {
		return nil
	}
	c := &MetricsConfig{}
	if decode(d.MetricsConfig, c) != nil || c.isDefault() {
		return nil // stored values have been checked
	}
	return c
}

// SetAPILimits are the arguments of set_api_limits.
type SetAPILimits struct{ APILimits }

// Apply replaces the limits.
func (a *SetAPILimits) Apply(v View) (*Result, error) {
	return v.changeSetting(&a.APILimits, VerdictAny, apiLimitsOf)
}

// RemoveAPILimits is remove_api_limits.
type RemoveAPILimits struct{}

// Apply removes the limits.
func (a *RemoveAPILimits) Apply(v View) (*Result, error) {
	return v.changeSetting(&APILimits{}, VerdictAny, apiLimitsOf)
}

// SetMetricsConfig are the arguments of set_metrics_config.
type SetMetricsConfig struct{ MetricsConfig }

// Apply replaces the configuration.
func (a *SetMetricsConfig) Apply(v View) (*Result, error) {
	return v.changeSetting(&a.MetricsConfig, VerdictAny, metricsConfigOf)
}

// RemoveMetricsConfig is remove_metrics_config.
type RemoveMetricsConfig struct{}

// Apply removes the configuration.
func (a *RemoveMetricsConfig) Apply(v View) (*Result, error) {
	return v.changeSetting(&MetricsConfig{}, VerdictAny, metricsConfigOf)
}

func apiLimitsOf(d *Document) *json.RawMessage { return &d.APILimits }

func metricsConfigOf(d *Document) *json.RawMessage { return &d.MetricsConfig }
