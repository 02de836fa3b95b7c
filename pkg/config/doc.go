// Package config is the one table of settings: flag, environment variable, type, default,
// help, and the services that read it. Flags, --help and docs/configuration.md come from
// it.
//
// A flag wins over a variable, a variable over the default. A variable that is set to the
// empty text counts as set. NAME_FILE instead of NAME names a file that holds the value,
// for secrets that a platform mounts. A wrong value stops the start with one clear line.
// Values are read once; nothing is re-read while a service runs.
package config
