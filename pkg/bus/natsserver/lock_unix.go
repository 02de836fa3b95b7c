//go:build unix

package natsserver

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir creates dir and keeps a second server out of it: two of them on the same files
// destroy each other's streams. The lock goes with the process.
func lockDir(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("create the NATS data directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the NATS data directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("the NATS data directory %s is in use by another process", dir)
	}
	return f, nil
}
