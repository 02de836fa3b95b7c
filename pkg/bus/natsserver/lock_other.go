//go:build !unix

package natsserver

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// lockDir creates dir. Without a lock that goes with the process, nothing keeps a second
// server out of it here.
func lockDir(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("create the NATS data directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the NATS data directory: %w", err)
	}
	return f, nil
}
