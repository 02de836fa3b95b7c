package e2e

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/freeport"
)

// The test binary is a NATS server, and nothing else, when these are set: a server that is to be killed
// needs a process of its own.
const (
	natsDirVariable  = "E2E_NATS_DIR"
	natsPortVariable = "E2E_NATS_PORT"
	// natsRoutesVariable makes the server a node of a cluster: its name, its own port for the others,
	// and the ports of all nodes, separated by spaces.
	natsRoutesVariable = "E2E_NATS_ROUTES"
)

// serveNATS is a NATS server until the process is ended.
func serveNATS(dir string) int {
	port, err := strconv.Atoi(os.Getenv(natsPortVariable))
	switch routes := strings.Fields(os.Getenv(natsRoutesVariable)); {
	case err != nil:
	case len(routes) > 0:
		err = serveNode(dir, port, routes)
	default:
		_, err = natsserver.Start(natsserver.Config{Dir: dir, Port: port, NoSync: true})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	select {}
}

// nodeStore is what a node of a cluster may keep, in bytes: little, so that it can be filled.
const nodeStore = 96 << 20

// serveNode starts a node of a cluster.
func serveNode(dir string, port int, routes []string) error {
	own, err := strconv.Atoi(routes[1])
	if err != nil {
		return err
	}
	o := &server.Options{
		ServerName: routes[0], Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, JetStreamMaxStore: nodeStore,
		MaxPayload: 8 << 20, NoSigs: true,
		Cluster: server.ClusterOpts{Name: "chaos", Host: "127.0.0.1", Port: own},
	}
	for _, p := range routes[2:] {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: "127.0.0.1:" + p})
	}
	s, err := server.NewServer(o)
	if err == nil {
		s.Start()
	}
	return err
}

// natsProcess is a NATS server that can be killed and comes back at its address.
type natsProcess struct {
	*process
	dir, port string
	// routes are those of a node, "" for a server of its own.
	routes string
}

func startNATSProcess(t *testing.T) *natsProcess {
	t.Helper()
	n := &natsProcess{dir: t.TempDir(), port: freeport.Text(t)}
	n.launch(t)
	return n
}

func (n *natsProcess) address() string { return "nats://127.0.0.1:" + n.port }

func (n *natsProcess) launch(t *testing.T) {
	t.Helper()
	n.process = &process{t: t, name: "nats", done: make(chan struct{})}
	n.cmd = exec.Command(os.Args[0])
	n.cmd.Env = []string{natsDirVariable + "=" + n.dir, natsPortVariable + "=" + n.port, natsRoutesVariable + "=" + n.routes}
	n.cmd.Stdout, n.cmd.Stderr = &n.log, &n.log
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	n.run()
	eventually(t, startLimit, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+n.port)
		if err != nil {
			return false
		}
		_ = conn.Close() // it was only to see that the server is there
		return true
	}, func() string { return "NATS does not listen: " + n.log.Tail() })
}

// startNATSNodes starts a cluster of three.
func startNATSNodes(t *testing.T) []*natsProcess {
	t.Helper()
	nodes, routes := make([]*natsProcess, 3), make([]string, 3)
	for i := range routes {
		routes[i] = freeport.Text(t)
	}
	for i := range nodes {
		nodes[i] = &natsProcess{dir: t.TempDir(), port: freeport.Text(t), routes: fmt.Sprintf("n%d %s %s", i, routes[i], strings.Join(routes, " "))}
		nodes[i].launch(t)
	}
	return nodes
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
