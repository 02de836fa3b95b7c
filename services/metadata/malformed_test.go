package metadata

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

// TestOneOfTwoReplacementsWins has two clients replace the metadata at once, through two
// processes, both building on the version that is in effect.
func TestOneOfTwoReplacementsWins(t *testing.T) {
	t.Parallel()
	w, first := startShop(t)
	clients := []*instance{first, w.start(t)}
	for range 25 {
		state, err := clients[0].engine.Refresh(t.Context())
		require.NoError(t, err)
		request := `{"type":"replace_metadata","version":2,"resource_version":` + jsonOf(t, state.Version) + `,"args":{"metadata":` + first.export(t) + `}}`
		errs := make([]error, len(clients))
		var both sync.WaitGroup
		for n, c := range clients {
			both.Go(func() { _, _, errs[n] = call(t, c.bus, v1metadata, request) })
		}
		both.Wait()
		lost := errs[0]
		if lost == nil {
			lost = errs[1]
		}
		require.NotEqual(t, (errs[0] == nil), (errs[1] == nil), "%v", errs)
		e := apierror.From(lost)
		require.Equal(t, apierror.Conflict, e.Code)
		require.Equal(t, 409, e.Status)
		after, err := clients[1].engine.Refresh(t.Context())
		require.NoError(t, err)
		require.Equal(t, state.Version+1, after.Version)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

// TestMalformedRequestsAreRefused breaks valid requests at random. A dry run tells which of them are
// still valid; all others are refused as a client's fault, and change nothing.
func TestMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	i.ok(t, track)
	version, before := i.version(), i.export(t)
	files, err := filepath.Glob("../../pkg/metadata/testdata/ops/*/request.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	slices.Sort(files)
	var requests []any
	for _, f := range files {
		raw, err := os.ReadFile(f)
		require.NoError(t, err)
		var request any
		if json.Unmarshal(raw, &request) == nil {
			requests = append(requests, request)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	refused := 0
	for tried := 0; refused < 1000; tried++ {
		require.Less(t, tried, 20000, "hardly any request is malformed")
		broken := breakAt(r, clone(t, requests[r.IntN(len(requests))]), 2)
		request, isObject := broken.(map[string]any)
		if isObject {
			delete(request, "resource_version")
			request["dry_run"] = true
		}
		_, _, err := call(t, i.bus, v1metadata, jsonOf(t, broken))
		if err == nil {
			continue
		}
		if isObject {
			delete(request, "dry_run")
		}
		_, _, err = call(t, i.bus, v1metadata, jsonOf(t, broken))
		var e *apierror.Error
		require.ErrorAs(t, err, &e, jsonOf(t, broken))
		if saidByTheSpecification(e) {
			continue
		}
		refused++
		require.True(t, e.Status >= 400 && e.Status < 500, "%d: %s\n%v", e.Status, jsonOf(t, broken), e)
		require.NotEmpty(t, e.Code)
		require.True(t, strings.HasPrefix(e.Path, "$"), e.Path)
		require.Equal(t, version, i.version(), jsonOf(t, broken))
	}
	require.Equal(t, before, i.export(t))
}

// saidByTheSpecification are the refusals of well-formed requests that have status 500 on
// purpose.
func saidByTheSpecification(e *apierror.Error) bool {
	return e.Status == 500 && slices.ContainsFunc([]string{
		"cannot continue due to newly found inconsistent metadata", "not supported by Postgres", "Schema fetching is not supported",
	}, func(text string) bool { return strings.Contains(e.Message, text) })
}

// breakAt changes one place of a value, near its root or deep in it.
func breakAt(r *rand.Rand, v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if len(keys) > 0 && r.IntN(depth+2) > 0 {
			k := keys[r.IntN(len(keys))]
			switch r.IntN(4) {
			case 0:
				delete(v, k)
			case 1:
				v[k+"x"] = v[k]
				delete(v, k)
			default:
				v[k] = breakAt(r, v[k], depth+1)
			}
			return v
		}
	case []any:
		if len(v) > 0 && r.IntN(3) > 0 {
			k := r.IntN(len(v))
			v[k] = breakAt(r, v[k], depth+1)
			return v
		}
	}
	return []any{nil, true, -1.5, 1e30, "", "none", strings.Repeat("x", 300), []any{}, map[string]any{}, []any{[]any{7}}, map[string]any{"a": "b"}}[r.IntN(11)]
}

func clone(t *testing.T, v any) any {
	t.Helper()
	var c any
	require.NoError(t, json.Unmarshal([]byte(jsonOf(t, v)), &c))
	return c
}
