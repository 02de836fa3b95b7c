package dataop_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/config"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/dataop"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/validate"
)

// trusted is a session whose caller could have any role.
func trusted(s *session.Session) *session.Session {
	own := *s
	own.Trusted = true
	return &own
}

// guarded gives album permissions that keep the role guest from everything by another guard each.
func (s *shop) guarded(t *testing.T) {
	t.Helper()
	doc, err := metadata.Parse(json.RawMessage(strings.NewReplacer(
		`"select_permissions":[
			{"role":"clerk","permission":{"columns":["id","title"`,
		`"select_permissions":[
			{"role":"hidden","permission":{"columns":"*","filter":{},"allow_aggregations":true,"query_root_fields":[]}},
			{"role":"backend","permission":{"columns":"*","filter":{}}},
			{"role":"asked","permission":{"columns":"*","filter":{}}},
			{"role":"clerk","permission":{"columns":["id","title"`,
		`{"role":"writer","permission":{"columns":["title"],"check":{}}}],`,
		`{"role":"asked","permission":{"columns":"*","check":{},"validate_input":{"type":"http","definition":{"url":"insert"}}}},
			{"role":"backend","permission":{"columns":"*","check":{},"backend_only":true}}],`,
		`{"role":"writer","permission":{"columns":["title"],"filter":{}}},
			{"role":"presetter"`,
		`{"role":"asked","permission":{"columns":"*","filter":{},"validate_input":{"type":"http","definition":{"url":"update"}}}},
			{"role":"backend","permission":{"columns":"*","filter":{},"backend_only":true}},
			{"role":"presetter"`,
		`{"role":"writer","permission":{"filter":{}}}]},`,
		`{"role":"asked","permission":{"filter":{},"validate_input":{"type":"http","definition":{"url":"delete"}}}},
			{"role":"backend","permission":{"filter":{},"backend_only":true}}]},`,
	).Replace(documentJSON)), &metadata.Document{}, kind.All(os.LookupEnv, "test").Metadata())
	require.NoError(t, err)
	next := *s.snapshot
	next.Document = doc
	s.snapshot = &next
	s.schema = resolve.Build(doc, next.Catalogs, nil, nil, s.options)
	require.Empty(t, s.schema.Inconsistencies())
}

const (
	insertAlbum = `{"table":"album","objects":[{"id":50,"title":"New","price":1.50}]}`
	updateAlbum = `{"table":"album","where":{"id":1},"$set":{"title":"Again"},"$inc":{"stock":1},"$default":["tags"]}`
	deleteAlbum = `{"table":"album","where":{"id":{"$eq":-1}}}`
)

func TestRootFieldsAndAggregations(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.guarded(t)
	refused := func(who *session.Session, kind, args string) {
		t.Helper()
		_, err := s.run(t, who, op(kind, args))
		requireError(t, err, "permission-denied", "$.args.table", kind+` on "album" for role "`+who.Role+`" is not allowed. `, args)
	}
	allowed := func(who *session.Session, kind, args string) {
		t.Helper()
		_, err := s.run(t, who, op(kind, args))
		require.NoError(t, err, "%s %s", kind, args)
	}
	const rows, number = `{"table":"album","columns":["id"]}`, `{"table":"album"}`
	refused(as("hidden"), "select", rows)
	refused(as("hidden"), "count", number)
	refused(trusted(as("hidden")), "count", number)
	refused(clerk, "count", number)
	allowed(trusted(clerk), "count", number)
	allowed(trusted(as("admin")), "count", number)

	s.handler.Unguarded = []string{config.GuardRootFields}
	allowed(as("hidden"), "select", rows)
	refused(clerk, "count", number)
	s.handler.Unguarded = []string{config.GuardAggregations}
	refused(as("hidden"), "select", rows)
	allowed(clerk, "count", number)
}

func TestBackendOnly(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.guarded(t)
	for kind, args := range map[string]string{"insert": insertAlbum, "update": updateAlbum, "delete": deleteAlbum} {
		_, err := s.run(t, trusted(as("backend")), op(kind, args))
		requireError(t, err, "permission-denied", "$.args.table", kind+` on "album" for role "backend" is not allowed. `, kind)
		who := trusted(as("backend"))
		who.BackendOnly = true
		_, err = s.run(t, who, op(kind, args))
		require.NoError(t, err, kind)
	}
	s.handler.Unguarded = []string{config.GuardBackendOnly}
	_, err := s.run(t, as("backend"), op("delete", deleteAlbum))
	require.NoError(t, err)
}

func TestValidateInput(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.guarded(t)
	var asked []string
	refusal := apierror.New(apierror.ValidationFailed, "no")
	s.handler.Validate = func(_ context.Context, user *session.Session, _ map[string]string, in validate.Input) error {
		text, err := json.Marshal(in.Data)
		require.NoError(t, err)
		require.Equal(t, "asked", user.Role)
		asked = append(asked, in.Webhook.URL+" "+string(text))
		return refusal
	}
	for kind, c := range map[string]struct{ args, want string }{
		"insert": {insertAlbum, `insert [{"id":50,"price":1.50,"title":"New"}]`},
		"update": {updateAlbum, `update [{"_default":["tags"],"_inc":{"stock":1},"_set":{"title":"Again"},"where":{"id":1}}]`},
		"delete": {deleteAlbum, `delete [{"where":{"id":{"$eq":-1}}}]`},
	} {
		asked = nil
		_, err := s.run(t, as("asked"), op(kind, c.args))
		requireError(t, err, "validation-failed", "$.args", "no", kind)
		require.Equal(t, []string{c.want}, asked)
	}
	got, err := s.run(t, admin, op("count", `{"table":"album","where":{"_or":[{"title":"Again"},{"title":"New"}]}}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"count":0}`, got, "nothing was written")

	// An upsert is an insert and an update.
	refusal, asked = nil, nil
	s.handler.Validate = func(_ context.Context, _ *session.Session, _ map[string]string, in validate.Input) error {
		text, err := json.Marshal(in.Data)
		asked = append(asked, in.Webhook.URL+" "+string(text))
		return err
	}
	_, err = s.run(t, as("asked"), op("insert", `{"table":"album","objects":[{"id":1,"title":"Again"}],"on_conflict":{"action":"update","constraint":"album_pkey"}}`))
	require.NoError(t, err)
	require.Equal(t, []string{`insert [{"id":1,"title":"Again"}]`, `update [{"_set":{"id":1,"title":"Again"}}]`}, asked)
	asked = nil
	_, err = s.run(t, as("asked"), op("insert", `{"table":"album","objects":[{"id":1,"title":"Again"}],"on_conflict":{"action":"ignore","constraint":"album_pkey"}}`))
	require.NoError(t, err)
	require.Equal(t, []string{`insert [{"id":1,"title":"Again"}]`}, asked)

	asked, s.handler.Unguarded = nil, []string{config.GuardValidateInput}
	_, err = s.run(t, as("asked"), op("delete", deleteAlbum))
	require.NoError(t, err)
	require.Empty(t, asked)
}

// measured refuses everything, and keeps the requests.
type measured struct{ sizes *[]parse.Size }

func (measured) Listed(_ *session.Session, document string) error {
	if document == "" {
		return apierror.New(apierror.ValidationFailed, "query is not allowed")
	}
	return nil
}

func (m measured) Sized(_ *session.Session, size parse.Size) error {
	*m.sizes = append(*m.sizes, size)
	return apierror.New(apierror.DepthLimitExceeded, "too deep")
}

func (measured) ScanLimit(*session.Session) (int64, bool) { return 0, false }

// frugal admits all, but lets nothing be read of databases that charge for it.
type frugal struct{ everything }

func (frugal) ScanLimit(*session.Session) (int64, bool) { return 0, true }

// charging is a source whose statements read a byte each.
type charging struct{ backend.Source }

func (c charging) Query(ctx context.Context, s backend.Statement, a backend.Args, out *backend.Answer) error {
	if a.Scan.Bounded() {
		if err := a.Scan.Admit(1); err != nil {
			return err
		}
	}
	return c.Source.Query(ctx, s, a, out)
}

func TestLimitOfBytes(t *testing.T) {
	t.Parallel()
	s := setup(t)
	source := s.handler.Source
	s.handler.Source = func(name string) (backend.Source, func(), error) {
		found, release, err := source(name)
		return charging{found}, release, err
	}
	s.handler.Admission = func() dataop.Admission { return frugal{} }
	_, err := s.run(t, admin, op("select", `{"table":"artist","columns":["id"]}`))
	requireError(t, err, "bytes-limit-exceeded", "$.args", "bytes limit exceeded: the operation would scan 1 bytes, the limit is 0", "")
	s.handler.Unguarded = []string{config.GuardAPILimits}
	_, err = s.run(t, admin, op("select", `{"table":"artist","columns":["id"]}`))
	require.NoError(t, err)
}

func TestAdmission(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var sizes []parse.Size
	s.handler.Admission = func() dataop.Admission { return measured{&sizes} }
	_, err := s.run(t, admin, op("select", `{"table":"nothing","columns":["id"]}`))
	requireError(t, err, "validation-failed", "$", "query is not allowed", "")
	require.Empty(t, sizes)
	s.handler.Unguarded = []string{config.GuardAllowlist}
	for args, want := range map[string]parse.Size{
		`{"table":"artist","columns":["id"]}`:   {Depth: 1, Nodes: 1},
		`{"table":"artist","columns":["*.*"]}`:  {Depth: 2, Nodes: 2},
		`{"table":"album","columns":["*.*.*"]}`: {Depth: 3, Nodes: 5},
		`{"table":"artist","columns":[{"name":"albums","columns":["id",{"name":"tracks","columns":["id"]}]}]}`: {Depth: 3, Nodes: 3},
	} {
		sizes = nil
		_, err = s.run(t, admin, op("select", args))
		requireError(t, err, "depth-limit-exceeded", "$", "too deep", args)
		require.Equal(t, []parse.Size{want}, sizes, args)
	}
	s.handler.Unguarded = []string{config.GuardAllowlist, config.GuardAPILimits}
	_, err = s.run(t, admin, op("select", `{"table":"artist","columns":["id"]}`))
	require.NoError(t, err)
}
