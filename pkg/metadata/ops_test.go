package metadata_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

var update = flag.Bool("update", false, "rewrite the want.json of the cases")

// want is what became of a request: an error, the answer of a query, or the changed
// document with what the service has to do about it.
type want struct {
	Error      *wantError              `json:"error,omitempty"`
	Answer     json.RawMessage         `json:"answer,omitempty"`
	Verdict    *metadata.Verdict       `json:"verdict,omitempty"`
	Objects    []metadata.ObjectID     `json:"objects,omitempty"`
	Introspect *metadata.Introspection `json:"introspect,omitempty"`
	Clear      []string                `json:"clear_actions,omitempty"`
	Document   json.RawMessage         `json:"document,omitempty"`
	Unknown    []metadata.Warning      `json:"unknown,omitempty"`
}

type wantError struct {
	Code    apierror.Code `json:"code"`
	Path    string        `json:"path"`
	Message string        `json:"message"`
}

// TestOperations runs the cases of testdata/ops. A case is a directory with request.json,
// and with before.json where it doesn't start from the document that all others share.
func TestOperations(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/ops/*/request.json")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, path := range cases {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			before := read(t, dir+"/before.json")
			if before == nil {
				before = read(t, "testdata/ops/before.json")
			}
			got, err := json.MarshalIndent(runOperation(t, before, read(t, path)), "", "  ")
			require.NoError(t, err)
			if *update {
				require.NoError(t, os.WriteFile(dir+"/want.json", append(got, '\n'), 0o600))
			}
			require.JSONEq(t, string(read(t, dir+"/want.json")), string(got))
		})
	}
}

// read is the content of a file, nil when there is none.
func read(t *testing.T, path string) json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return raw
}

func runOperation(t *testing.T, before, request json.RawMessage) want {
	t.Helper()
	view := viewOf(t, before)
	unchanged, err := metadata.Encode(view.Document)
	require.NoError(t, err)
	w, err := run(view, request)
	if err != nil {
		e := apierror.From(err)
		w = want{Error: &wantError{e.Code, e.Path, e.Message}}
	}
	after, err := metadata.Encode(view.Document)
	require.NoError(t, err)
	require.Equal(t, string(unchanged), string(after), "the document that the operation was given has changed")
	return w
}

func run(view metadata.View, request json.RawMessage) (want, error) {
	e, err := metadata.ParseEnvelope(request)
	if err != nil {
		return want{}, err
	}
	o, err := metadata.NewRegistry(backends()).Operation(metadata.APIMetadata, e)
	if err != nil {
		return want{}, err
	}
	view.Kind = o.Kind
	if query, ok := o.Args.(metadata.Query); ok {
		answer, err := metadata.Answer(query, view)
		return want{Answer: answer}, err
	}
	r, err := metadata.Apply(o.Args.(metadata.Command), view)
	if err != nil {
		return want{}, apierror.At(err, "args")
	}
	document, err := metadata.Encode(r.Document)
	w := want{Verdict: &r.Verdict, Objects: r.Objects, Introspect: &r.Introspect, Clear: r.ClearActions, Document: document, Unknown: o.Unknown}
	if r.Reply != nil && err == nil {
		view.Document = r.Document
		w.Answer, err = r.Reply(view)
	}
	return w, err
}

// viewOf resolves a document against the catalog that all cases share.
func viewOf(t *testing.T, before json.RawMessage) metadata.View {
	t.Helper()
	doc, err := metadata.Parse(before, metadata.Empty(), backends())
	require.NoError(t, err)
	var stored struct {
		Tables    []*catalog.Table    `json:"tables"`
		Functions []*catalog.Function `json:"functions"`
	}
	require.NoError(t, json.Unmarshal(read(t, "testdata/ops/catalog.json"), &stored))
	c := &catalog.Source{
		Version: 150000, Tables: map[catalog.Name]*catalog.Table{}, Functions: map[catalog.Name][]*catalog.Function{},
	}
	for i, table := range stored.Tables {
		table.ID = strconv.Itoa(i + 1)
		c.Tables[table.Name] = table
	}
	for _, f := range stored.Functions {
		c.Functions[f.Name] = append(c.Functions[f.Name], f)
	}
	catalogs := map[string]*catalog.Source{"default": c}
	schema := resolve.Build(doc, catalogs, nil, nil, resolve.Options{
		Kinds: kind.All(os.LookupEnv, "test"), InferFunctionPermissions: true,
	})
	return metadata.View{
		Kinds:   backends(),
		Version: 7, Document: doc, Catalogs: catalogs, Inconsistent: schema.Inconsistencies(), Schema: schema,
	}
}
