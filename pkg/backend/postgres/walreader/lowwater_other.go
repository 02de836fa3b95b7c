//go:build !linux

package walreader

import "net"

func setLowWater(net.Conn, int) {}
