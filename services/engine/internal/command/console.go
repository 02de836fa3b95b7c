package command

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"

	"queryengine/services/engine/internal/console"
	"queryengine/services/gateway"
)

// consoleCommand serves the console of a project until it is stopped.
func consoleCommand() projectCommand {
	var address *string
	var stay *bool
	return projectCommand{
		serves: true,
		flags: func(f *flag.FlagSet) {
			address = f.String("address", "127.0.0.1:9695", "`host:port` to listen at")
			stay = f.Bool("no-browser", false, "don't open it in a browser")
		},
		run: func(ctx context.Context, p *workplace, args []string) error {
			if len(args) > 0 {
				fmt.Fprintf(p.Errs, "engine: unknown argument %q (see --help)\n", args[0])
				return errUsage
			}
			return p.serveConsole(ctx, *address, !*stay)
		},
	}
}

// projectInfo is what the page has to know about the project.
type projectInfo struct {
	Directory string `json:"directory"`
	// Endpoint is the address of the server itself.
	Endpoint string `json:"endpoint"`
}

func (p *workplace) serveConsole(ctx context.Context, address string, open bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("option --address: %w", err)
	}
	directory, err := filepath.Abs(p.config.Dir)
	if err != nil {
		return err
	}
	info, err := json.Marshal(projectInfo{Directory: directory, Endpoint: p.config.Endpoint})
	if err != nil {
		return err
	}
	c := console.New(console.Config{
		Project: p.config, Server: p.server, Path: gateway.ConsolePath, Page: gateway.ConsoleHandler(string(info)), Timeout: p.timeout, Say: p.say,
	}, host)
	if err := p.compare(ctx, c); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	root := "http://" + reachable(listener.Addr())
	p.say("engine console writes what is changed into %s; Ctrl-C stops it", directory)
	p.print("%s", root+c.Link(false))
	if open {
		p.browse(ctx, root+c.Link(true))
	}
	err = serveHTTP(ctx, listener, c)
	c.Close()
	return err
}

// reachable is the address of a listener as a browser takes it.
func reachable(address net.Addr) string {
	if at, ok := address.(*net.TCPAddr); ok && at.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(at.Port))
	}
	return address.String()
}

// compare asks whether the server can be used, and warns when the project has other metadata.
func (p *workplace) compare(ctx context.Context, c *console.Console) error {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	if err := p.server.Ping(ctx, p.Errs); err != nil {
		return err
	}
	// The secret is good for the metadata API.
	if _, err := p.server.Metadata(ctx, "list_source_kinds", 0, struct{}{}); err != nil {
		return err
	}
	differs, err := c.Check(ctx)
	if differs {
		p.say("warning: the metadata of the project isn't that of the server, and changes are refused until it is: " +
			"see engine metadata diff, then engine metadata apply or engine metadata export")
	}
	return err
}

// browse opens an address in the browser of the desktop, if there is one.
func (p *workplace) browse(ctx context.Context, address string) {
	var command []string
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", address}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	default:
		_, x11 := p.Env("DISPLAY")
		_, wayland := p.Env("WAYLAND_DISPLAY")
		if !x11 && !wayland {
			return
		}
		command = []string{"xdg-open", address}
	}
	opener := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...) //nolint:gosec // G204: a program of the system, an address of ours
	if err := opener.Start(); err != nil {
		p.say("no browser can be opened (%s): open the address above", err)
		return
	}
	go func() { _ = opener.Wait() }() // a browser may go on for as long as it likes
}
