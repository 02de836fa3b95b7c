package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"queryengine/pkg/config"
)

// Config is config.yaml, with the overrides of variables and flags.
type Config struct {
	Endpoint             string   `json:"endpoint"`
	AdminSecret          string   `json:"admin_secret"`
	AdminSecrets         []string `json:"admin_secrets"`
	AccessKey            string   `json:"access_key"`
	InsecureSkipVerify   bool     `json:"insecure_skip_tls_verify"`
	CertificateAuthority string   `json:"certificate_authority"`
	MetadataDirectory    string   `json:"metadata_directory"`
	MetadataFile         string   `json:"metadata_file"`
	MigrationsDirectory  string   `json:"migrations_directory"`
	SeedsDirectory       string   `json:"seeds_directory"`
	Paths                APIPaths `json:"api_paths"`

	// Headers are sent with each request, replacing others of the same name.
	Headers http.Header `json:"-"`
	// Dir is the directory of the project.
	Dir string `json:"-"`
	// IgnoredVendor is an engine whose credentials are in the environment and ignored, as its name isn't a setting; "" for none.
	IgnoredVendor string `json:"-"`
}

// APIPaths are where the server has its endpoints, below Config.Endpoint.
type APIPaths struct {
	Query    string `json:"v2_query"`
	Metadata string `json:"v1_metadata"`
	Dump     string `json:"pg_dump"`
	Version  string `json:"version"`
	GraphQL  string `json:"graphql"`
}

const (
	configFile      = "config.yaml"
	environmentFile = ".env"
)

// LoadConfig reads config.yaml of a directory, where there is one. Variables, or the files that they name, win over the
// file .env, that wins over config.yaml.
func LoadConfig(dir string, env func(string) (string, bool)) (*Config, error) {
	c := &Config{
		Endpoint: "http://localhost:8080", MetadataDirectory: "metadata", MigrationsDirectory: "migrations", SeedsDirectory: "seeds",
		Paths: APIPaths{Query: "v2/query", Metadata: "v1/metadata", Dump: "v1alpha1/pg_dump", Version: "v1/version", GraphQL: "v1/graphql"},
		Dir:   dir,
	}
	files := os.DirFS(dir)
	raw, err := loadYAML(files, configFile)
	switch {
	case err == nil:
		if err := json.Unmarshal(raw, c); err != nil {
			return nil, fmt.Errorf("%s: %w", configFile, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	dotenv, err := readEnvironment(files)
	if err != nil {
		return nil, err
	}
	prefixes := []string{config.VariablePrefix}
	var unread error
	lookup := func(name string) (string, bool) {
		for _, prefix := range prefixes {
			v, from, err := config.Variable(prefix+name, env)
			if err != nil {
				unread = errors.Join(unread, fmt.Errorf("%s: %w", from, err))
			}
			if from != "" {
				return v, true
			}
			if v, ok := dotenv[prefix+name]; ok {
				return v, true
			}
		}
		return "", false
	}
	if vendor, ok := lookup("VENDOR_NAMES"); ok && vendor != "" {
		prefixes = append(prefixes, config.VendorPrefix(vendor))
	} else {
		environ := os.Environ()
		for name, value := range dotenv {
			environ = append(environ, name+"="+value)
		}
		c.IgnoredVendor = config.VendorIn(environ)
	}
	for name, text := range map[string]*string{
		"ENDPOINT": &c.Endpoint, "ADMIN_SECRET": &c.AdminSecret, "ACCESS_KEY": &c.AccessKey,
		"CERTIFICATE_AUTHORITY": &c.CertificateAuthority, "METADATA_DIRECTORY": &c.MetadataDirectory,
		"METADATA_FILE": &c.MetadataFile, "MIGRATIONS_DIRECTORY": &c.MigrationsDirectory, "SEEDS_DIRECTORY": &c.SeedsDirectory,
		"API_PATHS_V2_QUERY": &c.Paths.Query, "API_PATHS_V1_METADATA": &c.Paths.Metadata,
		"API_PATHS_PG_DUMP": &c.Paths.Dump, "API_PATHS_VERSION": &c.Paths.Version, "API_PATHS_GRAPHQL": &c.Paths.GraphQL,
	} {
		if v, ok := lookup(name); ok {
			*text = v
		}
	}
	if v, ok := lookup("ADMIN_SECRETS"); ok {
		if err := json.Unmarshal([]byte(v), &c.AdminSecrets); err != nil {
			return nil, fmt.Errorf("%sADMIN_SECRETS: expected a JSON array of texts", config.VariablePrefix)
		}
	}
	if v, ok := lookup("INSECURE_SKIP_TLS_VERIFY"); ok {
		if c.InsecureSkipVerify, err = strconv.ParseBool(v); err != nil {
			return nil, fmt.Errorf("%sINSECURE_SKIP_TLS_VERIFY: expected true or false", config.VariablePrefix)
		}
	}
	if unread != nil {
		return nil, unread
	}
	return c, nil
}

// Secret is sent as the admin secret, "" for none.
func (c *Config) Secret() string {
	switch {
	case c.AdminSecret != "":
		return c.AdminSecret
	case len(c.AdminSecrets) > 0:
		return c.AdminSecrets[0]
	}
	return c.AccessKey
}

// Path is a path of the project in the file system.
func (c *Config) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.Dir, name)
}

// readEnvironment reads NAME=value lines.
func readEnvironment(files fs.FS) (map[string]string, error) {
	text, err := fs.ReadFile(files, environmentFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "export "))
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		value = strings.TrimSpace(value)
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		values[strings.TrimSpace(name)] = value
	}
	return values, nil
}
