package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/config"
	"queryengine/services/gateway"
)

const (
	benchRequest = `{"query":"query Album($id: Int!) { albums_by_pk(id: $id) { id title artist { id name } tracks(limit: 3) { id name } } }","variables":{"id":42},"operationName":"Album"}`
	benchAnswer  = `{"data":{"albums_by_pk":{"id":42,"title":"Blue Train","artist":{"id":7,"name":"John"},"tracks":[{"id":1,"name":"A"},{"id":2,"name":"B"},{"id":3,"name":"C"}]}}}`
)

// BenchmarkGraphQLHandler is one request over one connection, with an executor in the same
// process that answers at once. Floor is what net/http alone takes to do as much.
func BenchmarkGraphQLHandler(b *testing.B) {
	b.Run("floor", func(b *testing.B) {
		answer, length := []byte(benchAnswer), []string{strconv.Itoa(len(benchAnswer))}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil || len(body) != len(benchRequest) {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			h := w.Header()
			h["Content-Type"] = []string{"application/json; charset=utf-8"}
			h["Content-Length"] = length
			_, _ = w.Write(answer)
		}))
		defer server.Close()
		exchangeRequests(b, server.Listener.Addr().String())
	})
	for _, c := range []struct {
		name  string
		types []string
	}{
		{"gateway", []string{"startup"}},
		{"gateway with http-log", []string{"http-log"}},
		{"gateway with http-log and query-log", []string{"http-log", "query-log"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := setup(b, func(c *gateway.Config) { c.AdminSecrets = []config.Secret{"s3cret"} }, c.types...)
			answer := []byte(benchAnswer)
			h.execute(b, h.gatewayBus, func(_ context.Context, _ proto.Message, w bus.ResponseWriter) error {
				_, err := w.Write(answer)
				return err
			})
			exchangeRequests(b, h.gateway.Address().String())
		})
	}
}

// exchangeRequests sends requests one after the other, and allocates nothing itself.
func exchangeRequests(b *testing.B, address string) {
	b.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(b, err)
	defer conn.Close()
	request := []byte("POST /v1/graphql HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: application/json\r\n" +
		"User-Agent: bench\r\nAccept: */*\r\nX-Engine-Admin-Secret: s3cret\r\nX-Engine-Role: clerk\r\nX-Engine-User-Id: 7\r\n" +
		"Content-Length: " + strconv.Itoa(len(benchRequest)) + "\r\n\r\n" + benchRequest)
	r := bufio.NewReaderSize(conn, 16<<10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.Write(request); err != nil {
			b.Fatal(err)
		}
		for {
			line, err := r.ReadSlice('\n')
			if err != nil {
				b.Fatal(err)
			}
			if len(line) == 2 {
				break
			}
		}
		if _, err := r.Discard(len(benchAnswer)); err != nil {
			b.Fatal(err)
		}
	}
}
