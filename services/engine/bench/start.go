package bench

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/services/engine/sample"
)

// startLimit is how long a target may take to be healthy.
const startLimit = time.Minute

// place is what all targets share.
type place struct {
	options   Options
	dir       string
	processes *processes
	// databaseURL gives the address of a database by its name.
	databaseURL func(name string) string
	profiler    profiler
}

// sampleDatabase is the database that is queried.
const sampleDatabase = "music"

// start starts a target by its name: a yardstick, or the engine as one process ("one") or
// as services of their own ("split").
func (p *place) start(ctx context.Context, name string) (*target, error) {
	programs := p.options.Programs
	kind, earlier := strings.CutSuffix(name, before)
	if earlier && p.options.Before != "" {
		programs = p.options.Before
	}
	switch kind {
	case "one":
		return p.startOneWith(ctx, name, programs, nil)
	case "split":
		return p.startSplit(ctx, name, programs)
	}
	return p.startYardstick(ctx, name)
}

func (p *place) startYardstick(ctx context.Context, name string) (*target, error) {
	address, _, err := freeAddress()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	pid, err := p.processes.start(name, self, map[string]string{DatabaseVariable: p.databaseURL(sampleDatabase)},
		"yardstick", name, address, strconv.Itoa(slices.Max(p.options.Connections)))
	if err != nil {
		return nil, err
	}
	if err := awaitOK(ctx, "http://"+address+healthPath, startLimit); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, p.processes.tail(name))
	}
	return &target{name: name, address: address, pids: []int{pid}, logs: []string{name}}, nil
}

// engineSettings are those that the engine's programs share, and the address that its
// gateway listens on. The metadata database is made.
func (p *place) engineSettings(ctx context.Context, name string) (settings map[string]string, t *target, err error) {
	address, port, err := freeAddress()
	if err != nil {
		return nil, nil, err
	}
	if err := execute(ctx, p.databaseURL("postgres"), "CREATE DATABASE "+pgx.Identifier{"metadata_" + name}.Sanitize()); err != nil {
		return nil, nil, err
	}
	secret := rand.Text()
	settings = map[string]string{
		"ENGINE_GRAPHQL_SERVER_HOST":           "127.0.0.1",
		"ENGINE_GRAPHQL_SERVER_PORT":           port,
		"ENGINE_GRAPHQL_DATA_DIR":              filepath.Join(p.dir, name),
		"ENGINE_GRAPHQL_DATABASE_URL":          p.databaseURL(sampleDatabase),
		"ENGINE_GRAPHQL_METADATA_DATABASE_URL": p.databaseURL("metadata_" + name),
		"ENGINE_GRAPHQL_ADMIN_SECRET":          secret,
		// The yardsticks write no line per request either.
		"ENGINE_GRAPHQL_ENABLED_LOG_TYPES": "startup",
	}
	return settings, &target{
		name: name, address: address, graphQL: true, headers: "X-Engine-Admin-Secret: " + secret + "\r\n",
	}, nil
}

// startOneWith starts one process with parameters in the address of its source.
func (p *place) startOneWith(ctx context.Context, name, programs string, parameters url.Values) (*target, error) {
	settings, t, err := p.engineSettings(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(parameters) > 0 {
		source, err := url.Parse(settings["ENGINE_GRAPHQL_DATABASE_URL"])
		if err != nil {
			return nil, err
		}
		for k, v := range source.Query() {
			parameters[k] = v
		}
		source.RawQuery = parameters.Encode()
		settings["ENGINE_GRAPHQL_DATABASE_URL"] = source.String()
	}
	settings, err = p.profiler.settings(name, settings)
	if err != nil {
		return nil, err
	}
	pid, err := p.processes.start(name, filepath.Join(programs, "engine"), settings, "serve")
	if err != nil {
		return nil, err
	}
	t.pids, t.logs = []int{pid}, []string{name}
	return t, p.prepare(ctx, t, settings, name)
}

// startSplit starts each service as a process, and a NATS server between them.
func (p *place) startSplit(ctx context.Context, name, programs string) (*target, error) {
	settings, t, err := p.engineSettings(ctx, name)
	if err != nil {
		return nil, err
	}
	_, natsPort, err := freeAddress()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	pid, err := p.processes.start(name+"-nats", self, nil, "nats", filepath.Join(p.dir, name+"-nats"), natsPort)
	if err != nil {
		return nil, err
	}
	t.pids = append(t.pids, pid)
	settings["ENGINE_GRAPHQL_NATS_URL"] = "nats://127.0.0.1:" + natsPort
	for _, service := range []string{"metadata", "query-executor", "event-delivery", "scheduler", "gateway"} {
		log := name + "-" + service
		own, err := p.profiler.settings(log, settings)
		if err != nil {
			return nil, err
		}
		pid, err := p.processes.start(log, filepath.Join(programs, service), own)
		if err != nil {
			return nil, err
		}
		t.pids, t.logs = append(t.pids, pid), append(t.logs, log)
	}
	return t, p.prepare(ctx, t, settings, name+"-gateway")
}

// prepare waits for the engine and gives it the sample's metadata.
func (p *place) prepare(ctx context.Context, t *target, settings map[string]string, log string) error {
	if err := awaitOK(ctx, "http://"+t.address+healthPath, startLimit); err != nil {
		return fmt.Errorf("%w\n%s", err, p.processes.tail(log))
	}
	document := sample.Metadata()
	if strings.HasSuffix(t.name, before) && p.options.Execution != "" {
		var err error
		if document, err = withExecution(document, p.options.Execution); err != nil {
			return err
		}
	}
	for _, body := range [][]byte{fmt.Appendf(nil, `{"type":"replace_metadata","args":%s}`, document), []byte(rolePermissions)} {
		if err := p.metadata(ctx, t, settings["ENGINE_GRAPHQL_ADMIN_SECRET"], body); err != nil {
			return err
		}
	}
	return nil
}

// withExecution gives the source of a document an execution.
func withExecution(document json.RawMessage, execution string) (json.RawMessage, error) {
	var all map[string]any
	if err := json.Unmarshal(document, &all); err != nil {
		return nil, err
	}
	source := all["metadata"].(map[string]any)["sources"].([]any)[0].(map[string]any)
	source["configuration"].(map[string]any)["execution"] = json.RawMessage(execution)
	return json.Marshal(all)
}

func (p *place) metadata(ctx context.Context, t *target, secret string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+t.address+"/v1/metadata", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Engine-Admin-Secret", secret)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("metadata: status %d: %s", response.StatusCode, answer)
	}
	return err
}

func execute(ctx context.Context, databaseURL, sql string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}
