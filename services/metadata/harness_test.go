package metadata

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/logtest"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	metadatav1 "queryengine/proto/metadata/v1"
)

// world is a NATS server, a metadata database and a source, for any number of services.
type world struct {
	nats                *natsserver.Server
	natsDir             string
	metadataURL, source string
	// url is the address of another NATS server that the services use, "" for nats.
	url string
	// maintenance is the mode of the services that are started from then on.
	maintenance bool
	// remotePermissions is whether permissions hide remote schemas.
	remotePermissions bool
	// replicas of the stream, 1 for 0.
	replicas int
	// recheck is the pause before failed sources are tried again, 0 for the default.
	recheck time.Duration
	// seenTimeout of the services, 0 for the default.
	seenTimeout time.Duration
	// metrics takes those of the services, nil for none.
	metrics prometheus.Registerer
	// log takes what the services log, nil for none unless the tests are verbose.
	log *logtest.Buffer
}

// newWorld makes a world whose source has what SQL makes.
func newWorld(t testing.TB, source ...string) *world {
	t.Helper()
	w := &world{natsDir: t.TempDir(), metadataURL: dbtest.URL(t), source: dbtest.Filled(t, strings.Join(source, ";"))}
	w.startNATS(t)
	return w
}

func (w *world) startNATS(t testing.TB) {
	t.Helper()
	var err error
	w.nats, err = natsserver.Start(natsserver.Config{Dir: w.natsDir, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(w.nats.Stop)
}

func (w *world) connect(t testing.TB) *bus.Bus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c := bus.Config{InProcess: w.nats, Name: t.Name()}
	if w.url != "" {
		c = bus.Config{URL: w.url, Name: bus.ServiceMetadata}
	}
	b, err := bus.Connect(ctx, c)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

func (w *world) logger() *slog.Logger {
	if w.log != nil {
		return slog.New(slog.NewTextHandler(w.log, nil))
	}
	return logger()
}

func logger() *slog.Logger {
	if testing.Verbose() {
		return slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return slog.New(slog.DiscardHandler)
}

// service is a running metadata service and its bus.
type instance struct {
	*Service
	bus *bus.Bus
}

func (w *world) start(t testing.TB) *instance {
	t.Helper()
	i := w.build(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, i.Start(ctx))
	t.Cleanup(i.Stop)
	return i
}

func (w *world) build(t testing.TB) *instance {
	t.Helper()
	b := w.connect(t)
	raw, err := json.Marshal(w.source)
	require.NoError(t, err)
	kinds := kind.All(os.LookupEnv, "metadata test")
	s, err := New(Config{
		MetadataURL: w.metadataURL, Replicas: max(1, w.replicas), History: 1000, InferFunctionPermissions: true, Maintenance: w.maintenance,
		RemoteSchemaPermissions: w.remotePermissions, SeenTimeout: w.seenTimeout, Recheck: w.recheck,
		DefaultSource: json.RawMessage(`{"connection_info":{"database_url":` + string(raw) + `,"isolation_level":"read-committed"}}`),
	}, Deps{
		Bus: b, Logger: w.logger(), Metrics: w.metrics,
		Open: kinds.Open, Kinds: kinds,
		Env: os.LookupEnv,
	})
	require.NoError(t, err)
	return &instance{s, b}
}

func (w *world) sql(t testing.TB, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background()) //nolint:errcheck // the test is over then
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// follow starts a follower, as a service has one.
func (w *world) follow(t testing.TB, announce bool) *snapshot.Follower {
	t.Helper()
	b := w.connect(t)
	c := snapshot.Config{Changes: b.Changes(), Snapshots: b.Snapshots(), Service: bus.ServiceGateway, Instance: b.Instance(), Logger: logger()}
	if announce {
		c.Announcer = b
	}
	f := snapshot.NewFollower(c)
	require.NoError(t, f.Start(t.Context()))
	t.Cleanup(f.Stop)
	return f
}

// call sends a request as the gateway does.
func call(t testing.TB, b *bus.Bus, endpoint metadatav1.ApplyRequest_Endpoint, body string) (string, int64, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	admin := &session.Session{Role: session.Admin, Variables: map[string]string{session.RoleHeader: session.Admin}}
	head, answer, err := b.CallMessage(ctx, bus.MetadataApply,
		&metadatav1.ApplyRequest{Endpoint: endpoint, Session: admin.Proto(), Body: []byte(body)},
		func() proto.Message { return &metadatav1.ApplyHead{} }, 64<<20)
	if err != nil {
		return "", 0, err
	}
	return string(answer), head.(*metadatav1.ApplyHead).GetResourceVersion(), nil
}

const (
	v1metadata = metadatav1.ApplyRequest_ENDPOINT_V1_METADATA
	v1query    = metadatav1.ApplyRequest_ENDPOINT_V1_QUERY
	v2query    = metadatav1.ApplyRequest_ENDPOINT_V2_QUERY
)

// ok sends a request to /v1/metadata that must succeed.
func (i *instance) ok(t testing.TB, body string) string {
	t.Helper()
	return i.okAt(t, v1metadata, body)
}

func (i *instance) okAt(t testing.TB, endpoint metadatav1.ApplyRequest_Endpoint, body string) string {
	t.Helper()
	answer, _, err := call(t, i.bus, endpoint, body)
	require.NoError(t, err, "%s: %v", body, detail(err))
	return answer
}

// run runs SQL through run_sql of /v2/query.
func (i *instance) run(t testing.TB, sql string) string {
	t.Helper()
	text, err := json.Marshal(sql)
	require.NoError(t, err)
	return i.okAt(t, v2query, `{"type":"run_sql","args":{"sql":`+string(text)+`}}`)
}

// refusal is what else is in an error.
type refusal struct {
	status   int
	internal string
}

// fails sends a request that must fail with code, path and message.
func (i *instance) fails(t testing.TB, endpoint metadatav1.ApplyRequest_Endpoint, body, code, path, message string) refusal {
	t.Helper()
	_, _, err := call(t, i.bus, endpoint, body)
	require.Error(t, err, body)
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, [3]string{code, path, message}, [3]string{string(e.Code), e.Path, e.Message}, body)
	return refusal{e.Status, string(e.InternalJSON())}
}

func detail(err error) string {
	var e *apierror.Error
	if errors.As(err, &e) {
		return string(e.InternalJSON())
	}
	return ""
}

func (i *instance) version() int64 { return i.engine.State().Version }

func waitFor(t testing.TB, f *snapshot.Follower, version int64) *snapshot.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := f.WaitFor(ctx, version)
	require.NoError(t, err)
	return s
}

// export is the document as the API exports it.
func (i *instance) export(t testing.TB) string {
	return i.ok(t, `{"type":"export_metadata","args":{}}`)
}

func exported(t testing.TB, s *snapshot.Snapshot) string {
	t.Helper()
	raw, err := metadata.Encode(s.Document)
	require.NoError(t, err)
	return string(raw)
}

// readAll is the newest stored snapshot.
func latest(t testing.TB, b *bus.Bus) *snapshot.Snapshot {
	t.Helper()
	_, content, err := b.Snapshots().Latest(t.Context())
	require.NoError(t, err)
	data, err := io.ReadAll(content)
	require.NoError(t, err)
	s, err := snapshot.Decode(data)
	require.NoError(t, err)
	return s
}
