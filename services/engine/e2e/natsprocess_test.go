package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
)

// The test binary is a NATS server, and nothing else, when these say so: a server that is to be
// killed needs a process of its own.
const (
	natsDirVariable  = "E2E_NATS_DIR"
	natsPortVariable = "E2E_NATS_PORT"
)

// serveNATS is a NATS server until the process is ended.
func serveNATS(dir string) int {
	port, err := strconv.Atoi(os.Getenv(natsPortVariable))
	if err == nil {
		_, err = natsserver.Start(natsserver.Config{Dir: dir, Port: port, NoSync: true})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	select {}
}

// natsProcess is a NATS server that can be killed and comes back at its address.
type natsProcess struct {
	*process
	dir, port string
}

func startNATSProcess(t *testing.T) *natsProcess {
	t.Helper()
	n := &natsProcess{dir: t.TempDir(), port: freePort(t)}
	n.launch(t)
	return n
}

func (n *natsProcess) address() string { return "nats://127.0.0.1:" + n.port }

func (n *natsProcess) launch(t *testing.T) {
	t.Helper()
	n.process = &process{t: t, name: "nats", done: make(chan struct{})}
	n.cmd = exec.Command(os.Args[0])
	n.cmd.Env = []string{natsDirVariable + "=" + n.dir, natsPortVariable + "=" + n.port}
	n.cmd.Stdout, n.cmd.Stderr = &n.log, &n.log
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	n.run()
	eventually(t, startLimit, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+n.port)
		if err != nil {
			return false
		}
		_ = conn.Close() // it was only to see that somebody is there
		return true
	}, func() string { return "NATS does not listen: " + n.log.tail() })
}

// crash kills the server and starts it again, with what it had on disk or with nothing.
func (n *natsProcess) crash(keep bool) {
	t := n.t
	t.Helper()
	n.kill()
	if !keep {
		n.dir = filepath.Join(t.TempDir(), strconv.FormatInt(time.Now().UnixNano(), 36))
		require.NoError(t, os.Mkdir(n.dir, 0o700))
	}
	n.launch(t)
}
