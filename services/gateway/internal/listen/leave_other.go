//go:build !linux

package listen

import (
	"net"
	"time"
)

// leave does nothing where the kernel can't be kept from making connections.
func leave(net.Listener, time.Duration) {}

// unread is not known here.
func unread(net.Conn) bool { return false }
