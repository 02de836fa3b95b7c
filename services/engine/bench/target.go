package bench

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// target is a server under measurement.
type target struct {
	name    string
	address string
	// headers are further lines of the request's head.
	headers string
	// graphQL targets get the document at /v1/graphql, the others the variables at /QUERY.
	graphQL bool
	pids    []int
	logs    []string // of its processes, by name
}

// dial connects with the caller's headers of a query.
func (t *target) dial(q *query) (*connection, error) {
	return dial(t.address, "Host: "+t.address+"\r\nContent-Type: application/json\r\n"+t.headers+q.headers)
}

func (t *target) request(q *query, variables string) (path string, body []byte) {
	if !t.graphQL {
		return "/" + q.name, []byte(variables)
	}
	return "/v1/graphql", fmt.Appendf(nil, `{"query":%s,"variables":%s}`, q.encoded, variables)
}

// processes starts programs and stops them all again.
type processes struct {
	dir     string // for logs
	running []*exec.Cmd
}

// start runs a program with settings in its environment. Its output goes to a file.
func (p *processes) start(name, program string, settings map[string]string, args ...string) (int, error) {
	log, err := os.Create(filepath.Join(p.dir, name+".log"))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	cmd := exec.Command(program, args...)
	cmd.Env = os.Environ()
	for k, v := range settings {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is ours to pass on
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	p.running = append(p.running, cmd)
	return cmd.Process.Pid, nil
}

// stop ends everything that was started, last first.
func (p *processes) stop() {
	for i := len(p.running) - 1; i >= 0; i-- {
		cmd := p.running[i]
		_ = cmd.Process.Signal(syscall.SIGTERM)
		kill := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // how it ended doesn't matter any more
		kill.Stop()
	}
	p.running = nil
}

// tail is the end of a program's output, for an error.
func (p *processes) tail(name string) string {
	b, _ := os.ReadFile(filepath.Join(p.dir, name+".log")) // detail only
	return strings.TrimSpace(string(b[max(0, len(b)-4000):]))
}

// awaitOK waits until an address answers 200.
func awaitOK(ctx context.Context, url string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	last := "no answer"
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			body, _ := io.ReadAll(io.LimitReader(response.Body, 1000)) // detail only
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
			last = string(body)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %s", url, last)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// freeAddress is an address without a listener at this moment.
func freeAddress() (address string, port string, err error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	defer l.Close()
	return l.Addr().String(), strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}
