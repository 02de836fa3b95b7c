package metadata

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	metadatav1 "queryengine/proto/metadata/v1"
)

func (i *instance) dumped(t *testing.T, body string) (string, error) {
	t.Helper()
	_, answer, err := i.bus.CallMessage(t.Context(), bus.MetadataDump, &metadatav1.DumpRequest{Body: []byte(body)},
		func() proto.Message { return &metadatav1.DumpHead{} }, 1<<20)
	return string(answer), err
}

func TestDump(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pg_dump"); err != nil {
		t.Skip("pg_dump is not on PATH")
	}
	_, i := startRunSQL(t)
	all, err := i.dumped(t, `{"opts":["-O","-x","--schema-only","--schema","public"]}`)
	require.NoError(t, err)
	require.Contains(t, all, "CREATE TABLE public.stock (")
	require.Contains(t, all, "-- PostgreSQL database dump")
	require.Contains(t, all, "SET statement_timeout = 0;")

	clean, err := i.dumped(t, `{"opts":["-O","-x","--schema-only","--schema","public"],"clean_output":true}`)
	require.NoError(t, err)
	require.Contains(t, clean, "CREATE TABLE public.stock (")
	for line := range strings.Lines(clean) {
		require.NotRegexp(t, `^(--|\s*$|SET statement_timeout)`, line)
	}

	// What is clean is read by a database, not by psql.
	rows, err := i.dumped(t, `{"opts":["--data-only","--column-inserts","--table","public.stock"],"clean_output":true}`)
	require.NoError(t, err)
	i.okAt(t, v2query, runSQLRequest(t, "TRUNCATE public.stock CASCADE; "+rows, ""))

	again, err := i.dumped(t, `{"opts":["-O","-x","--schema-only","--schema","public"]}`)
	require.NoError(t, err)
	require.Equal(t, all, again, "the same schema gives the same bytes")
}

func TestDumpErrors(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pg_dump"); err != nil {
		t.Skip("pg_dump is not on PATH")
	}
	_, i := startRunSQL(t)
	for _, c := range []struct{ body, code, path, message string }{
		{`{"opts":["-x","--nothing-of-the-kind"]}`, "not-supported", "$.opts[1]", "the option --nothing-of-the-kind of pg_dump is not allowed"},
		{`{"opts":["--section","nowhere"]}`, "unexpected", "$", "error while executing pg_dump"},
		{`{"opts":[],"source":"nowhere"}`, "not-found", "$", `source "nowhere" not found`},
		{`{"source":"default"}`, "parse-failed", "$", `key "opts" not found`},
		{`{"opts":[1]}`, "parse-failed", "$.opts[0]", "parsing Text failed, expected String, but encountered Number"},
		{`{`, "invalid-json", "$", "unexpected end of JSON input"},
	} {
		_, err := i.dumped(t, c.body)
		e := apierror.From(err)
		require.Equal(t, []string{c.code, c.path, c.message}, []string{string(e.Code), e.Path, e.Message}, c.body)
		require.NotContains(t, string(e.InternalJSON()), "postgres://", "an error doesn't hold the address")
	}
}
