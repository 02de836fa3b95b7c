package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"queryengine/services/engine/sample"
)

// RemoteOptions configure the measurement of queries on a remote schema.
type RemoteOptions struct {
	// Programs is the directory of the engine's programs.
	Programs string
	// Duration is how long each target is measured with each query, over all rounds.
	Duration time.Duration
	Rounds   int
	// Connections is the number of clients at the same time.
	Connections int
}

// RunRemote compares what a query on a remote schema alone costs the engine with what the same
// request costs a plain reverse proxy in front of the same server.
func RunRemote(ctx context.Context, o RemoteOptions, out, progress io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	database, err := startDatabase(ctx, dir, false, sample.Small, nil, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopDatabase(ctx, database)) }()
	p := &place{
		options: Options{Programs: o.Programs, Connections: []int{o.Connections}, Rounds: o.Rounds, Duration: o.Duration},
		dir:     dir, processes: &processes{dir: dir}, databaseURL: database.URL,
	}
	defer p.processes.stop()
	targets, err := p.startRemoteTargets(ctx)
	if err != nil {
		return err
	}
	m := &measurer{database: func() (time.Duration, error) { return 0, nil }}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "answer\ttarget\trequests\tµs of CPU each\tratio\tp50 ms\tp99 ms\t")
	for _, q := range remoteQueries() {
		fmt.Fprintf(progress, "%s: %s\n", q.name, q.about)
		all := make([]figures, len(targets))
		for range o.Rounds {
			for i, t := range targets {
				c, err := newCrew(t, &q, o.Connections)
				if err != nil {
					return err
				}
				slice, err := m.slice(ctx, c, beginning, o.Duration/time.Duration(o.Rounds))
				c.close()
				if err != nil {
					p.explain(t, err, progress)
					return err
				}
				all[i].add(slice)
			}
		}
		for i, t := range targets {
			f := &all[i]
			sortLatencies(f)
			fmt.Fprintf(table, "%s\t%s\t%d\t%.0f\t%.2f\t%s\t%s\t\n", q.name, t.name, f.requests, each(f.cpu, f),
				each(f.cpu, f)/each(all[0].cpu, &all[0]), ms(f.percentile(50)), ms(f.percentile(99)))
		}
	}
	return table.Flush()
}

// startRemoteTargets starts the remote server, the proxy, and the engine.
func (p *place) startRemoteTargets(ctx context.Context) ([]*target, error) {
	remote, err := p.startSelf(ctx, "remote")
	if err != nil {
		return nil, err
	}
	proxy, err := p.startSelf(ctx, "proxy", "http://"+remote.address)
	if err != nil {
		return nil, err
	}
	engine, err := p.start(ctx, "one")
	if err != nil {
		return nil, err
	}
	c, err := engine.dial(&query{})
	if err != nil {
		return nil, err
	}
	defer c.close()
	body := `{"type":"add_remote_schema","args":{"name":"remote","definition":{"url":"http://` + remote.address + `/graphql"}}}`
	if _, err := c.post("/v1/metadata", []byte(body)); err != nil {
		return nil, fmt.Errorf("add the remote schema: %w", err)
	}
	return []*target{proxy, engine}, nil
}

// startSelf starts this program as a server of its own process.
func (p *place) startSelf(ctx context.Context, kind string, args ...string) (*target, error) {
	address, _, err := freeAddress()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	pid, err := p.processes.start(kind, self, nil, append([]string{kind, address}, args...)...)
	if err != nil {
		return nil, err
	}
	if err := awaitOK(ctx, "http://"+address+healthPath, startLimit); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, p.processes.tail(kind))
	}
	return &target{name: kind, address: address, graphQL: true, pids: []int{pid}, logs: []string{kind}}, nil
}

// Sizes of the answers, in rows of about 100 bytes.
const (
	smallRows = 10
	largeRows = 10_000
)

// remoteQueries are the two that are measured.
func remoteQueries() []query {
	none := func(*client) string { return `{}` }
	list := []query{
		{name: "1 KB", about: "ten rows", document: `query Small { small { id name city country { code } } }`, variables: none, mark: `"city"`, count: smallRows},
		{name: "1 MB", about: "10,000 rows", document: `query Large { large { id name city country { code } } }`, variables: none, mark: `"city"`, count: largeRows},
	}
	for i := range list {
		list[i].encoded, _ = json.Marshal(list[i].document) // a text always can be encoded
	}
	return list
}

// ServeRemote serves the remote schema that is queried: its answers are ready, so that it costs
// as little as possible.
func ServeRemote(ctx context.Context, l net.Listener) error {
	small, large := remoteRows("small", smallRows), remoteRows("large", largeRows)
	return serveUntil(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		answer := small
		switch {
		case err != nil:
			return
		case bytes.Contains(body, []byte("IntrospectionQuery")):
			answer = []byte(remoteIntrospection)
		case bytes.Contains(body, []byte("Large")):
			answer = large
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer) // a client that went is not ours to mind
	}))
}

// ServeProxy passes all requests on to another server.
func ServeProxy(ctx context.Context, l net.Listener, to string) error {
	u, err := url.Parse(to)
	if err != nil {
		return err
	}
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}
	return serveUntil(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Otherwise net/http closes the body of the request with the first byte of the answer,
		// maybe before the proxy has seen its end: then it takes the request for a failed one.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
}

// serveUntil serves until ctx is done.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: patience}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// remoteRows is the answer to a query for rows.
func remoteRows(field string, n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"data":{%q:[`, field)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"customer with the number %d","city":%q,"country":{"code":"CZ"}}`, i, i, cities[i%len(cities)])
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

const remoteIntrospection = `{"data":{"__schema":{"queryType":{"name":"Query"},"types":[
{"kind":"OBJECT","name":"Query","interfaces":[],"fields":[
 {"name":"small","args":[],"type":{"kind":"LIST","ofType":{"kind":"OBJECT","name":"Customer"}}},
 {"name":"large","args":[],"type":{"kind":"LIST","ofType":{"kind":"OBJECT","name":"Customer"}}}]},
{"kind":"OBJECT","name":"Customer","interfaces":[],"fields":[
 {"name":"id","args":[],"type":{"kind":"SCALAR","name":"Int"}},
 {"name":"name","args":[],"type":{"kind":"SCALAR","name":"String"}},
 {"name":"city","args":[],"type":{"kind":"SCALAR","name":"String"}},
 {"name":"country","args":[],"type":{"kind":"OBJECT","name":"Country"}}]},
{"kind":"OBJECT","name":"Country","interfaces":[],"fields":[{"name":"code","args":[],"type":{"kind":"SCALAR","name":"String"}}]},
{"kind":"SCALAR","name":"Int"},{"kind":"SCALAR","name":"String"},{"kind":"SCALAR","name":"Boolean"}]}}}`
