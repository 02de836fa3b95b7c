package bustest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
)

// dirVariable makes a test binary a NATS server with that directory, and nothing else.
const dirVariable = "BUSTEST_NATS_DIR"

// What a Process reads from its standard input, and answers when it is done.
const (
	fill     = "fill"
	makeRoom = "make room"
)

// Process is a NATS server in a process of its own, whose disk can be full.
type Process struct {
	t     testing.TB
	url   string
	input io.Writer
	lines *bufio.Scanner
}

// ServeIfAsked serves NATS and doesn't return when the test binary was started for that. TestMain
// calls it first.
func ServeIfAsked() {
	dir := os.Getenv(dirVariable)
	if dir == "" {
		return
	}
	if err := serve(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(dir string) error {
	signal.Ignore(syscall.SIGXFSZ) // the write that goes too far is to fail, not the process
	var room syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		return err
	}
	s, err := natsserver.Start(natsserver.Config{Dir: dir, Port: -1, NoSync: true})
	if err != nil {
		return err
	}
	defer s.Stop()
	fmt.Fprintln(os.Stdout, s.ClientURL())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		limit := room
		if lines.Text() == fill {
			limit.Cur = 1 // no file may grow
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		fmt.Fprintln(os.Stdout, lines.Text())
	}
	return nil
}

// NewProcess starts a server that ends with the test.
func NewProcess(t testing.TB) *Process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{dirVariable + "=" + t.TempDir()}
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = input.Close() // which ends it
		_ = cmd.Wait()
	})
	p := &Process{t: t, input: input, lines: bufio.NewScanner(output)}
	p.url = p.read()
	return p
}

func (p *Process) read() string {
	p.t.Helper()
	require.True(p.t, p.lines.Scan(), "the NATS server has ended")
	return strings.TrimSpace(p.lines.Text())
}

// URL is where clients connect.
func (p *Process) URL() string { return p.url }

// FillDisk has each write of the server fail, MakeRoom ends that.
func (p *Process) FillDisk() { p.tell(fill) }

// MakeRoom lets the server write again.
func (p *Process) MakeRoom() { p.tell(makeRoom) }

func (p *Process) tell(what string) {
	p.t.Helper()
	_, err := io.WriteString(p.input, what+"\n")
	require.NoError(p.t, err)
	require.Equal(p.t, what, p.read())
}
