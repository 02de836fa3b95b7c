// Package dirlock keeps other processes out of a directory, which they would destroy.
package dirlock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrInUse reports a directory that another process has locked.
var ErrInUse = errors.New("is in use by another process")

// Lock is the lock of a directory. It ends with the process.
type Lock struct{ file *os.File }

// Take makes a directory when it is missing, and locks it.
func Take(dir string, mode os.FileMode) (*Lock, error) {
	if err := os.MkdirAll(dir, mode); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s %w", dir, ErrInUse)
	}
	return &Lock{f}, nil
}

// Close lets others in.
func (l *Lock) Close() error { return l.file.Close() }
