package walreader

import (
	"net"
	"syscall"
)

// setLowWater sets how many bytes have to be there for a connection to become readable.
func setLowWater(conn net.Conn, bytes int) {
	if c, ok := conn.(interface{ NetConn() net.Conn }); ok { // of TLS
		conn = c.NetConn()
	}
	c, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, bytes) })
}
