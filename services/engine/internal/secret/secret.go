// Package secret makes secrets at random and keeps them in files: they are made once, and the
// same ever after.
package secret

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// size of a secret in bytes.
const size = 32

// New is a random secret of letters, digits, - and _.
func New() string {
	b := make([]byte, size)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// Kept is the secret in a file, which is made where it is missing, for its owner alone.
func Kept(path string) (string, error) {
	text, err := read(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	text = New()
	// Of two processes that make it at the same time, one does.
	if err := write(path, text, 0o600, os.Link); errors.Is(err, fs.ErrExist) {
		return read(path)
	} else if err != nil {
		return "", err
	}
	return text, nil
}

func read(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(b))
	if text == "" {
		return "", fmt.Errorf("the file %s should hold a secret, and is empty", path)
	}
	return text, nil
}

// write puts a whole file into its place, by os.Link when it must be new, or by os.Rename.
func write(path, text string, mode fs.FileMode, place func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return place(f.Name(), path)
}
