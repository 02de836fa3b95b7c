package listen

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// refuseNew is a packet filter for a listening socket: it sees the TCP header, and drops what
// asks for a new connection (SYN without ACK).
var refuseNew = []unix.SockFilter{
	{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13},                  // the flags
	{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0x12},               // SYN and ACK of them
	{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0x02, Jt: 0, Jf: 1}, // SYN alone?
	{Code: unix.BPF_RET | unix.BPF_K, K: 0},                                 // drop it
	{Code: unix.BPF_RET | unix.BPF_K, K: 0xffffffff},                        // take all of it
}

// leaveSettle is how long the last handshakes have to be completed.
const leaveSettle = 50 * time.Millisecond

// leave waits until every connection that the kernel has made was accepted, while it makes no more; it
// gives up after limit. Closing a socket resets connections that were not accepted yet. Clients that
// try in the meantime get no answer, try again, and are refused.
func leave(l net.Listener, limit time.Duration) {
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	filtered := false
	_ = raw.Control(func(fd uintptr) {
		program := unix.SockFprog{Len: uint16(len(refuseNew)), Filter: &refuseNew[0]}
		filtered = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program) == nil
	})
	if !filtered { // it is not possible everywhere
		return
	}
	timer := time.NewTimer(leaveSettle)
	defer timer.Stop()
	for end := time.Now().Add(limit); time.Now().Before(end); {
		<-timer.C
		waiting := 0
		_ = raw.Control(func(fd uintptr) {
			if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
				waiting = int(info.Unacked) // of a listener: how many wait to be accepted
			}
		})
		if waiting == 0 {
			return
		}
		timer.Reset(leaveSettle / 5)
	}
}

// unread reports whether the kernel has received bytes that were not read. Closing a connection with
// such bytes resets it.
func unread(c net.Conn) bool {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	waiting := 0
	_ = raw.Control(func(fd uintptr) {
		if n, err := unix.IoctlGetInt(int(fd), unix.SIOCINQ); err == nil {
			waiting = n
		}
	})
	return waiting > 0
}
