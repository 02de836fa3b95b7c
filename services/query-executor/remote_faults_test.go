package queryexecutor

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/remote"
)

// misbehaviour is what a remote does instead of answering, and what a client gets: data, errors
// of the remote, or an error with a code and (the beginning of) a message.
type misbehaviour struct {
	name          string
	answer        http.HandlerFunc
	code, message string
	want          string
	transport     string // the message of the transport error
}

// timedOut is the message for a remote that doesn't answer in time.
const timedOut = "Response timeout"

// says answers with a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// endless writes until the reader is gone.
func endless(w io.Writer, first, more string) {
	_, err := io.WriteString(w, first)
	for part := []byte(strings.Repeat(more, 1<<16/len(more))); err == nil; {
		_, err = w.Write(part)
	}
}

// cutOff ends the connection in the middle of an answer.
func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"data":{"hello":"he`)
	panic(http.ErrAbortHandler)
}

var misbehaviours = []misbehaviour{
	{name: "hangs", answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, transport: timedOut},
	{name: "hangs in the middle", answer: func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"data":`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, transport: timedOut},
	{name: "drips", answer: func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
			<-tick.C
		}
	}, transport: timedOut},
	{name: "goes on for ever", answer: func(w http.ResponseWriter, _ *http.Request) {
		endless(w, `{"data":{"hello":"`, "all work and no play makes ")
	}, transport: "Internal error: the response is larger than 1048576 bytes"},
	{name: "claims 10 GB", answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(10<<30))
		endless(w, "", " ")
	}, transport: "Internal error: the response is larger than 1048576 bytes"},
	{name: "a gzip bomb", answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packer := gzip.NewWriter(w)
		endless(packer, `{"data":{"hello":"`, "0")
	}, transport: "Internal error: the response is larger than 1048576 bytes"},
	{name: "broken gzip", answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, `{"data":{"hello":"hi"}}`)
	}, transport: "Connection failure: the answer is not HTTP, or the connection broke"},
	{name: "closes half way", answer: cutOff, transport: "No response data received"},
	{name: "closes at once", answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, transport: "No response data received"},
	{name: "redirects to a secret", answer: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusTemporaryRedirect)
	}, transport: "Connection failure: the address is refused by the configuration of this server"},
	{name: "redirects to a secret in IPv6", answer: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://[::ffff:169.254.169.254]/", http.StatusPermanentRedirect)
	}, transport: "Connection failure: the address is refused by the configuration of this server"},
	{name: "redirects to a file", answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}, transport: "Connection failure: the answer is not HTTP, or the connection broke"},
	{name: "redirects for ever", answer: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/again", http.StatusTemporaryRedirect)
	}, transport: "Too many redirects: 11 redirects"},

	{name: "HTML", answer: says(`<html>`), code: "remote-schema-error", message: "Error in $: invalid character '<'"},
	{name: "nothing", answer: says(``), code: "remote-schema-error", message: "Error in $: "},
	{name: "half of JSON", answer: says(`{"data":{"hello":"hi"}`), code: "remote-schema-error", message: "Error in $: "},
	{name: "more than JSON", answer: says(`{"data":{"hello":"hi"}} {}`), code: "remote-schema-error", message: "Error in $: "},
	{name: "a list", answer: says(`[1]`), code: "remote-schema-error"},
	{name: "invalid UTF-8", answer: says("{\"data\":{\"hello\":\"\xff\"}}"), code: "remote-schema-error", message: "Error in $: Cannot decode input: Invalid UTF-8 stream"},
	{name: "a control character", answer: says("{\"data\":{\"hello\":\"\x01\"}}"), code: "remote-schema-error", message: "Error in $: "},
	{name: "a number that is none", answer: says(`{"data":{"hello":NaN}}`), code: "remote-schema-error", message: "Error in $: "},
	{name: "brackets and nothing else", answer: says(strings.Repeat(`{"data":[`, 50_000)), code: "remote-schema-error", message: "Error in $: "},
	{name: "data that are no object", answer: says(`{"data":[1]}`), code: "remote-schema-error", message: "expecting an object as the data of the remote"},
	{name: "another field", answer: says(`{"data":{"other":1}}`), code: "remote-schema-error", message: "expecting key hello"},
	{name: "no data", answer: says(`{}`), code: "remote-schema-error", message: `Missing "data" field with no errors in response from remote`},
	{name: "data that are null", answer: says(`{"data":null}`), code: "remote-schema-error", message: `Received null "data" field with no errors in response from remote`},
	{name: "no errors in errors", answer: says(`{"errors":[]}`), code: "remote-schema-error", message: `Empty "errors" field in response from remote`},
	{name: "errors that are a text", answer: says(`{"errors":"no"}`), code: "remote-schema-error", message: `Invalid "errors" field in response from remote`},

	{name: "errors without data", answer: says(`{"errors":[{"message":"no","extensions":{"a":[1]}}]}`), want: `{"data":null,"errors":[{"message":"no","extensions":{"a":[1]}}]}`},
	{name: "errors and data", answer: says(`{"data":{"hello":"hi"},"errors":[{"message":"no"}]}`), want: `{"data":null,"errors":[{"message":"no"}]}`},
	{name: "errors that are null", answer: says(`{"errors":null,"data":{"hello":"hi"}}`), want: `{"data":{"hello":"hi"}}`},
	{name: "a field twice", answer: says(`{"data":{"hello":"one","hello":"two"}}`), want: `{"data":{"hello":"two"}}`},
	{name: "more than was requested", answer: says(`{"extensions":{"cost":1},"data":{"secret":1,"hello":"hi"}}`), want: `{"data":{"hello":"hi"}}`},
	{name: "null", answer: says(`{"data":{"hello":null}}`), want: `{"data":{"hello":null}}`},
	{name: "another type", answer: says(`{"data":{"hello":{"any":[1]}}}`), want: `{"data":{"hello":{"any":[1]}}}`},
	{name: "another status and content type", answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, `{"data":{"hello":"hi"}}`)
	}, want: `{"data":{"hello":"hi"}}`},
	{name: "gzip that no request asked for by name", answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		var packed bytes.Buffer
		packer := gzip.NewWriter(&packed)
		_, _ = io.WriteString(packer, `{"data":{"hello":"hi"}}`)
		_ = packer.Close()
		_, _ = w.Write(packed.Bytes())
	}, want: `{"data":{"hello":"hi"}}`},
}

// TestRemoteFaults: whatever a remote does, the client gets a clear answer in bounded time and
// memory, and the next request works.
func TestRemoteFaults(t *testing.T) { //nolint:paralleltest // it measures memory
	server := newRemoteServer(t)
	c := egress.DefaultConfig()
	c.MaxResponse = 1 << 20
	client, err := egress.New(c)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	waiting := func(seconds int) *Executor {
		e := newRemote(t, fmt.Sprintf(`[{"name":"people","definition":{"timeout_seconds":%d}}]`, seconds), Config{}, server)
		e.remotes = remote.NewClient(client, os.LookupEnv, false)
		return e
	}
	// Only what never answers has to be waited for in vain.
	patient, impatient := waiting(60), waiting(1)
	e := patient
	ask := func(query string) (string, error) {
		r := &reply{}
		err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: query}, r)
		return r.String(), err
	}
	for _, m := range misbehaviours {
		t.Run(m.name, func(t *testing.T) {
			server.answerWith(m.answer)
			e = patient
			if m.transport == timedOut {
				e = impatient
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			started := time.Now()
			got, err := ask(`{ hello }`)
			require.Less(t, time.Since(started), 40*time.Second)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
			if m.want != "" {
				require.NoError(t, err)
				require.Equal(t, m.want, got)
				return
			}
			require.Empty(t, got)
			failed := apierror.From(err)
			if m.transport == "" {
				require.Equal(t, m.code, string(failed.Code))
				require.Contains(t, failed.Message, m.message)
				return
			}
			require.Equal(t, "remote-schema-error", string(failed.Code))
			require.Equal(t, `HTTP exception occurred while sending the request to "`+server.URL+`"`, failed.Message)
			internal, err := json.Marshal(failed.Internal)
			require.NoError(t, err)
			require.JSONEq(t, `{"type":"http_exception","message":"`+m.transport+`"}`, string(internal))
		})
	}
	// A failing field fails the operation; apart from that nothing is lost.
	e = patient
	server.answerWith(says(`<html>`))
	_, err = ask(`{ artist_by_pk(id: 1) { name } hello }`)
	require.ErrorContains(t, err, "Error in $: ")
	got, err := ask(`{ artist_by_pk(id: 1) { name } }`)
	require.NoError(t, err)
	require.Equal(t, `{"data":{"artist_by_pk":{"name":"Kim"}}}`, got)
	server.answerWith(nil)
	got, err = ask(`{ hello }`)
	require.NoError(t, err)
	require.Equal(t, `{"data":{"hello":"Hello world"}}`, got)
}

// TestRemoteCertificates: one that no known authority has signed is refused, unless the host is on
// the TLS allow list of the metadata, from the moment that it is.
func TestRemoteCertificates(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	secure := httptest.NewTLSServer(server)
	t.Cleanup(secure.Close)
	server.Server = secure
	e := newRemote(t, plainRemote, Config{}, server)
	ask := func() (string, error) {
		r := &reply{}
		err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: `{ hello }`}, r)
		return r.String(), err
	}
	list := func(network string) {
		next := *e.state.Load().snapshot
		document := *next.Document
		document.Network, next.Document = json.RawMessage(network), &document
		next.Version++
		e.apply(&next)
	}
	refused := func() {
		t.Helper()
		_, err := ask()
		require.Contains(t, string(apierror.From(err).InternalJSON()), "the certificate is signed by an unknown authority")
	}
	refused()
	list(`{"tls_allowlist":[{"host":"127.0.0.1"}]}`)
	got, err := ask()
	require.NoError(t, err)
	require.Equal(t, `{"data":{"hello":"Hello world"}}`, got)
	list(`{"tls_allowlist":[{"host":"127.0.0.1","suffix":"1"}]}`)
	refused()
}
