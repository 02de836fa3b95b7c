package project

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadMetadata is the metadata document of the project.
func (c *Config) ReadMetadata() (json.RawMessage, error) {
	if c.MetadataFile != "" {
		return ReadFile(c.Path(c.MetadataFile))
	}
	return Read(os.DirFS(c.Path(c.MetadataDirectory)))
}

// WriteMetadata makes a document the metadata of the project. It returns the names of the files that are not
// what they were, within the directory of the metadata.
func (c *Config) WriteMetadata(document json.RawMessage) ([]string, error) {
	if c.MetadataFile != "" {
		return []string{c.MetadataFile}, WriteFile(c.Path(c.MetadataFile), document)
	}
	dir := c.Path(c.MetadataDirectory)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	return Write(dir, document)
}

// Exists reports whether there is anything of a project.
func (c *Config) Exists() bool {
	for _, name := range []string{configFile, c.MetadataDirectory, c.MetadataFile, c.MigrationsDirectory} {
		if name == "" {
			continue
		}
		if _, err := os.Stat(c.Path(name)); err == nil {
			return true
		}
	}
	return false
}

// MetadataPath is where the metadata is, as the configuration has it.
func (c *Config) MetadataPath() string {
	if c.MetadataFile != "" {
		return c.MetadataFile
	}
	return c.MetadataDirectory
}

// HasMetadata reports whether the project has files of metadata.
func (c *Config) HasMetadata() (bool, error) {
	if c.MetadataFile != "" {
		_, err := os.Stat(c.Path(c.MetadataFile))
		return err == nil, ignoreAbsent(err)
	}
	entries, err := os.ReadDir(c.Path(c.MetadataDirectory))
	return len(entries) > 0, ignoreAbsent(err)
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// MetadataHash tells whether the files of the metadata are those that they were.
func (c *Config) MetadataHash() (string, error) {
	root := c.Path(c.MetadataPath())
	sum := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == root:
			return nil
		case err != nil || d.IsDir():
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %d\n", path, len(text))
		_, err = sum.Write(text)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}
