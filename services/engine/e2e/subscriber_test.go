package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// subscriber is a client of the protocol graphql-transport-ws, with subscriptions that go on
// until the test ends.
type subscriber struct {
	t      *testing.T
	socket *websocket.Conn

	mu   sync.Mutex
	next int
	// results are the data of all results, by the id of the subscription.
	results map[string][]json.RawMessage
	errors  []string
	// completed are the subscriptions that the server has ended.
	completed map[string]bool
	closed    error
}

// subscriber opens a connection.
func (p *process) subscriber(header map[string]string) *subscriber {
	p.t.Helper()
	return p.upgraded(nil, header)
}

// upgraded is subscriber with headers of the request that opens the connection.
func (p *process) upgraded(upgrade http.Header, header map[string]string) *subscriber {
	p.t.Helper()
	address := "ws" + strings.TrimPrefix(p.url, "http") + "/v1/graphql"
	socket, _, err := websocket.Dial(p.t.Context(), address, &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: upgrade,
	})
	require.NoError(p.t, err)
	socket.SetReadLimit(1 << 30)
	s := &subscriber{t: p.t, socket: socket, results: map[string][]json.RawMessage{}, completed: map[string]bool{}}
	s.send(map[string]any{"type": "connection_init", "payload": map[string]any{"headers": header}})
	_, ack, err := socket.Read(p.t.Context())
	require.NoError(p.t, err)
	require.JSONEq(p.t, `{"type":"connection_ack"}`, string(ack))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.read()
	}()
	p.t.Cleanup(func() {
		_ = socket.CloseNow()
		<-done
	})
	return s
}

func (s *subscriber) send(message any) {
	s.t.Helper()
	text, err := json.Marshal(message)
	require.NoError(s.t, err)
	require.NoError(s.t, s.socket.Write(s.t.Context(), websocket.MessageText, text))
}

func (s *subscriber) read() {
	for {
		_, text, err := s.socket.Read(context.Background())
		s.mu.Lock()
		if err != nil {
			s.closed = err
			s.mu.Unlock()
			return
		}
		var m struct {
			Type, ID string
			Payload  json.RawMessage
		}
		_ = json.Unmarshal(text, &m) // shows as a missing result
		var result struct{ Data, Errors json.RawMessage }
		switch m.Type {
		case "next":
			_ = json.Unmarshal(m.Payload, &result)
			if result.Errors == nil {
				s.results[m.ID] = append(s.results[m.ID], result.Data)
				break
			}
			s.errors = append(s.errors, string(text))
		case "error":
			s.errors = append(s.errors, string(text))
		case "complete":
			s.completed[m.ID] = true
		}
		s.mu.Unlock()
	}
}

// subscribe begins a subscription and returns its id.
func (s *subscriber) subscribe(document string, variables map[string]any) string {
	s.t.Helper()
	s.mu.Lock()
	s.next++
	id := string(rune('a'+s.next%26)) + strconv.Itoa(s.next)
	s.mu.Unlock()
	s.send(map[string]any{"type": "subscribe", "id": id, "payload": map[string]any{"query": document, "variables": variables}})
	return id
}

// all are the results of a subscription so far, last the newest one.
func (s *subscriber) all(id string) []json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.results[id]
}

func (s *subscriber) last(id string) string {
	all := s.all(id)
	if len(all) == 0 {
		return ""
	}
	return string(all[len(all)-1])
}

// await waits until the newest result of a subscription is the wanted one.
func (s *subscriber) await(id, want string) {
	s.t.Helper()
	eventually(s.t, startLimit, func() bool { return sameJSON(s.last(id), want) },
		func() string { return "wanted " + want + ", got " + s.last(id) + s.trouble() })
}

// awaitTrouble waits until an error contains the wanted text.
func (s *subscriber) awaitTrouble(want string) {
	s.t.Helper()
	eventually(s.t, startLimit, func() bool { return strings.Contains(s.trouble(), want) },
		func() string { return "wanted " + want + ", got " + s.trouble() })
}

// awaitEnd waits until the server has ended a subscription.
func (s *subscriber) awaitEnd(id string) {
	s.t.Helper()
	eventually(s.t, startLimit, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.completed[id]
	}, func() string { return "the subscription goes on" + s.trouble() })
}

// trouble is what went wrong on the connection, in words.
func (s *subscriber) trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.Join(s.errors, "\n")
	if s.closed != nil {
		text += "\n" + s.closed.Error()
	}
	return text
}

func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	left, _ := json.Marshal(x) // everything that was read can be written
	right, _ := json.Marshal(y)
	return string(left) == string(right)
}

// firstEvent sends a JSON body and gives the first result of the subscription in it.
func (p *process) firstEvent(path string, header map[string]string, body any) answer {
	p.t.Helper()
	encoded, err := json.Marshal(body)
	require.NoError(p.t, err)
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+path, bytes.NewReader(encoded))
	require.NoError(p.t, err)
	r.Header.Set("Accept", "text/event-stream")
	for k, v := range header {
		r.Header.Set(k, v)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(p.t, err)
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return answer{response.StatusCode, response.Header, []byte(data)}
		}
	}
	require.Fail(p.t, "no event has come")
	return answer{}
}
