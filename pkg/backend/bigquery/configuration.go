package bigquery

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// Configuration configures how a source is reached.
type Configuration struct {
	// ServiceAccount is the key of a service account: an object, its JSON as a text, or {"from_env": NAME}. Without
	// one, the credentials of the environment are used, for example the workload's.
	ServiceAccount json.RawMessage `json:"service_account,omitempty"`
	// ProjectID is a text, a number or {"from_env": NAME}.
	ProjectID json.RawMessage `json:"project_id" meta:"required"`
	// Datasets are a list of names, or {"from_env": NAME} with a text that has commas between them.
	Datasets json.RawMessage `json:"datasets" meta:"required"`
	// GlobalSelectLimit is how many rows a list has at most: a number, a text or {"from_env": NAME}.
	GlobalSelectLimit json.RawMessage `json:"global_select_limit,omitempty"`
	// RetryLimit is how often a request is sent again that failed for a passing reason.
	RetryLimit *int `json:"retry_limit,omitempty"`
	// RetryBaseDelay is the pause before the first time, in microseconds. It doubles with each one.
	RetryBaseDelay *int `json:"retry_base_delay,omitempty"`
	// Location is where jobs run.
	Location string `json:"location,omitempty"`
	// MaximumBytesBilled is the greatest number of bytes that a query may be billed for.
	MaximumBytesBilled *int64 `json:"maximum_bytes_billed,omitempty"`
	// JobTimeout is the greatest number of seconds that a job may take.
	JobTimeout *int `json:"job_timeout,omitempty"`
	// Endpoint is the address of an emulator, which is sent no credentials.
	Endpoint string `json:"endpoint,omitempty"`
}

const (
	defaultSelectLimit = 1000
	defaultRetryLimit  = 5
	defaultRetryDelay  = 500 * time.Millisecond
	defaultJobTimeout  = 10 * time.Minute
	maxRetryLimit      = 100
	maxRetryDelay      = 60 * 1_000_000 // µs
	maxJobTimeout      = 6 * 60 * 60    // s
	maxSelectLimit     = 1_000_000_000  // rows
	emulatorVariable   = "BIGQUERY_EMULATOR_HOST"
	publicEndpoint     = "https://bigquery.googleapis.com"
)

// Check implements metadata.Checker.
func (c *Configuration) Check() error {
	if got := metadata.JSONType(c.Datasets); got != "Array" && got != "Object" {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "expected an array of names or an object with from_env, but encountered %s", got), "datasets")
	}
	for _, setting := range []struct {
		key         string
		value       *int
		least, most int
	}{
		{"retry_limit", c.RetryLimit, 0, maxRetryLimit},
		{"retry_base_delay", c.RetryBaseDelay, 0, maxRetryDelay},
		{"job_timeout", c.JobTimeout, 1, maxJobTimeout},
	} {
		if v := setting.value; v != nil && (*v < setting.least || *v > setting.most) {
			return apierror.At(apierror.Newf(apierror.ParseFailed,
				"Only expecting a value between %d and %d", setting.least, setting.most), setting.key)
		}
	}
	if c.MaximumBytesBilled != nil && *c.MaximumBytesBilled <= 0 {
		return apierror.At(apierror.New(apierror.ParseFailed, "Only expecting a positive number"), "maximum_bytes_billed")
	}
	if c.Endpoint != "" {
		if _, err := endpointOf(c.Endpoint); err != nil {
			return apierror.At(err, "endpoint")
		}
	}
	return nil
}

// Unused implements metadata.Configuration.
func (c *Configuration) Unused() []metadata.UnusedKey { return nil }

// Connections implements metadata.Configuration.
func (c *Configuration) Connections() int { return 0 }

// Unsupported implements metadata.Configuration.
func (c *Configuration) Unsupported() string { return "" }

// Options are how a source is opened.
type Options struct {
	Project  string
	Datasets []string
	// ServiceAccount is the JSON of its key; nil for the credentials of the environment.
	ServiceAccount []byte
	// Endpoint is the address of the API. Anonymous requests have no credentials.
	Endpoint  string
	Anonymous bool
	// SelectLimit is how many rows a list has at most.
	SelectLimit int
	Retries     int
	RetryDelay  time.Duration
	Location    string
	// MaximumBytesBilled is 0 for no bound.
	MaximumBytesBilled int64
	JobTimeout         time.Duration
}

// Configure turns the configuration of a source into the options to open it with.
func Configure(c Configuration, env metadata.Env) (Options, error) {
	o := Options{
		Endpoint: publicEndpoint, SelectLimit: defaultSelectLimit, Retries: defaultRetryLimit, RetryDelay: defaultRetryDelay,
		Location: c.Location, JobTimeout: defaultJobTimeout,
	}
	var err error
	if o.Project, err = textOf(c.ProjectID, "project_id", env); err != nil {
		return o, err
	}
	if o.Datasets, err = datasetsOf(c.Datasets, env); err != nil {
		return o, err
	}
	if len(c.GlobalSelectLimit) > 0 {
		text, err := textOf(c.GlobalSelectLimit, "global_select_limit", env)
		if err != nil {
			return o, err
		}
		if o.SelectLimit, err = strconv.Atoi(text); err != nil || o.SelectLimit < 1 || o.SelectLimit > maxSelectLimit {
			return o, apierror.Newf(apierror.ParseFailed, "global_select_limit: Only expecting a value between 1 and %d", maxSelectLimit)
		}
	}
	if c.RetryLimit != nil {
		o.Retries = *c.RetryLimit
	}
	if c.RetryBaseDelay != nil {
		o.RetryDelay = time.Duration(*c.RetryBaseDelay) * time.Microsecond
	}
	if c.MaximumBytesBilled != nil {
		o.MaximumBytesBilled = *c.MaximumBytesBilled
	}
	if c.JobTimeout != nil {
		o.JobTimeout = time.Duration(*c.JobTimeout) * time.Second
	}
	endpoint := c.Endpoint
	if host, set := env(emulatorVariable); set && endpoint == "" {
		endpoint = host
	}
	if endpoint != "" {
		if o.Endpoint, err = endpointOf(endpoint); err != nil {
			return o, err
		}
		o.Anonymous = true
		return o, nil
	}
	o.ServiceAccount, err = accountOf(c.ServiceAccount, env)
	return o, err
}

// endpointOf is an address with its scheme.
func endpointOf(text string) (string, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", apierror.New(apierror.ParseFailed, "endpoint: expected the address of an HTTP server")
	}
	return strings.TrimSuffix(u.Scheme+"://"+u.Host+u.Path, "/"), nil
}

type fromEnv struct {
	FromEnv string `json:"from_env"`
}

// textOf is a text, a number, or the value of a variable.
func textOf(raw json.RawMessage, key string, env metadata.Env) (string, error) {
	raw = bytes.TrimSpace(raw)
	switch metadata.JSONType(raw) {
	case "String":
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", err
		}
		return text, nil
	case "Number":
		return string(raw), nil
	case "Object":
		var u fromEnv
		if err := json.Unmarshal(raw, &u); err == nil && u.FromEnv != "" {
			return metadata.Variable(u.FromEnv, env)
		}
	}
	return "", apierror.Newf(apierror.ParseFailed, "%s: expected a text, a number, or an object with from_env", key)
}

func datasetsOf(raw json.RawMessage, env metadata.Env) ([]string, error) {
	var names []string
	if metadata.JSONType(raw) == "Object" {
		text, err := textOf(raw, "datasets", env)
		if err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	} else if err := json.Unmarshal(raw, &names); err != nil {
		return nil, apierror.New(apierror.ParseFailed, "datasets: expected an array of names, or an object with from_env")
	}
	if len(names) == 0 {
		return nil, apierror.New(apierror.ParseFailed, "datasets: expected one name at least")
	}
	return names, nil
}

// accountOf is the key of a service account.
func accountOf(raw json.RawMessage, env metadata.Env) ([]byte, error) {
	raw = bytes.TrimSpace(raw)
	switch metadata.JSONType(raw) {
	case "String":
		text, err := textOf(raw, "service_account", env)
		return []byte(text), err
	case "Object":
		var u fromEnv
		if json.Unmarshal(raw, &u) == nil && u.FromEnv != "" {
			text, err := metadata.Variable(u.FromEnv, env)
			return []byte(text), err
		}
		return raw, nil // the key itself
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	return nil, apierror.New(apierror.ParseFailed, "service_account: expected an object, its JSON as a text, or an object with from_env")
}
