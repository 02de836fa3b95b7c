package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/stretchr/testify/require"
)

// ledger keeps the answers to clients and the calls of webhooks, and which of them were wrong.
type ledger struct {
	mu sync.Mutex
	// written are the tokens of inserts, true where the insert was acknowledged.
	written map[string]bool
	// counted is how often a counter was raised: acknowledged, and asked for.
	acknowledged, asked map[int]int
	// heard are the tokens that the webhook has taken; last is the newest value of each counter.
	heard map[string]int
	last  map[int]int
	// answers counts what requests came to.
	answers map[string]int
	wrong   []string
	// slow are the requests that took long, which is no fault by itself.
	slow []string
}

// slowRequest is the duration that is reported at the end.
const slowRequest = 8 * time.Second

func newLedger() *ledger {
	return &ledger{
		written: map[string]bool{}, acknowledged: map[int]int{}, asked: map[int]int{}, heard: map[string]int{}, last: map[int]int{},
		answers: map[string]int{},
	}
}

func (l *ledger) note(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// complain notes something that may not be, with its time.
func (l *ledger) complain(format string, args ...any) {
	l.note(func() {
		l.wrong = append(l.wrong, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
	})
}

// serveEvents is the webhook of the ledger. It takes the counters' values in no other order than
// theirs: a value may come again, but not after a later one.
func (l *ledger) serveEvents(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body struct {
			Table struct{ Name string }
			Event struct {
				Data struct {
					New struct {
						Token string
						ID, N int
					}
				}
			}
		}
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			return
		}
		row := body.Event.Data.New
		if body.Table.Name == "ledger" {
			l.note(func() { l.heard[row.Token]++ })
			return
		}
		var before int
		l.note(func() {
			before = l.last[row.ID]
			l.last[row.ID] = row.N
		})
		if row.N != before && row.N != before+1 {
			l.complain("counter %d came as %d after %d", row.ID, row.N, before)
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	return s.URL
}

// reply is the outcome of a request: success, an error, or unknown.
type reply struct {
	ok     bool
	status int
	text   string
}

// clientPatience is how long a client of the chaos waits for an answer.
const clientPatience = 40 * time.Second

// ask sends a JSON body and takes whatever comes of it.
func (l *ledger) ask(p *process, path string, header map[string]string, body any) reply {
	encoded, err := json.Marshal(body)
	if err != nil {
		return reply{text: err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), clientPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+path, bytes.NewReader(encoded))
	if err != nil {
		return reply{text: err.Error()}
	}
	for k, v := range header {
		r.Header.Set(k, v)
	}
	began := time.Now()
	response, err := http.DefaultClient.Do(r)
	if took := time.Since(began); took > slowRequest {
		l.note(func() {
			l.slow = append(l.slow, fmt.Sprintf("%s %s %s: %.120s", began.Format("15:04:05.000"), took.Round(time.Millisecond), p.url, encoded))
		})
	}
	if err != nil {
		l.note(func() { l.answers["none"]++ })
		return reply{text: err.Error()}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	a := reply{status: response.StatusCode, text: string(text)}
	a.ok = err == nil && a.status == http.StatusOK && !strings.Contains(a.text, `"errors"`)
	kind := strconv.Itoa(a.status)
	if a.status == http.StatusOK && !a.ok {
		kind = "errors"
	}
	l.note(func() { l.answers[kind]++ })
	return a
}

func (l *ledger) query(p *process, header map[string]string, document string, variables map[string]any) reply {
	return l.ask(p, "/v1/graphql", header, map[string]any{"query": document, "variables": variables})
}

// subscriptionLimit is how long a subscription of the chaos lasts at most.
const subscriptionLimit = 15 * time.Second

// subscription subscribes and gives each the results, until the server ends it or for a while.
func (l *ledger) subscription(p *process, header map[string]string, document string, each func(result string)) {
	ctx, cancel := context.WithTimeout(context.Background(), subscriptionLimit)
	defer cancel()
	socket, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(p.url, "http")+"/v1/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return
	}
	defer func() { _ = socket.CloseNow() }()
	for _, m := range []any{
		map[string]any{"type": "connection_init", "payload": map[string]any{"headers": header}},
		map[string]any{"type": "subscribe", "id": "1", "payload": map[string]any{"query": document}},
	} {
		if wsjson.Write(ctx, socket, m) != nil {
			return
		}
	}
	for {
		var m struct {
			Type    string
			Payload json.RawMessage
		}
		if wsjson.Read(ctx, socket, &m) != nil || m.Type == "error" || m.Type == "complete" {
			return
		}
		if m.Type == "next" {
			l.note(func() { l.answers["results"]++ })
			each(string(m.Payload))
		}
	}
}

// write writes one row that has no other like it.
func (l *ledger) write(p *process, token string) {
	l.note(func() { l.written[token] = false })
	if l.query(p, asAdmin, `mutation ($t: String!) { insert_ledger_one(object: {token: $t}) { token } }`, map[string]any{"t": token}).ok {
		l.note(func() { l.written[token] = true })
	}
}

// raise raises a counter by one.
func (l *ledger) raise(p *process, id int) {
	l.note(func() { l.asked[id]++ })
	if l.query(p, asAdmin, `mutation ($id: Int!) { update_counter_by_pk(pk_columns: {id: $id}, _inc: {n: 1}) { n } }`, map[string]any{"id": id}).ok {
		l.note(func() { l.acknowledged[id]++ })
	}
}

// check compares the ledger with the database, which holds rows and values.
func (l *ledger) check(t *testing.T, rows map[string]int, values map[int]int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for token, acknowledged := range l.written {
		if n := rows[token]; n > 1 || acknowledged && n == 0 {
			l.wrong = append(l.wrong, fmt.Sprintf("insert %s (acknowledged: %t) is there %d times", token, acknowledged, n))
		}
	}
	for token := range rows {
		if l.heard[token] == 0 {
			l.wrong = append(l.wrong, "no event of the insert "+token)
		}
	}
	for id, n := range values {
		if n < l.acknowledged[id] || n > l.asked[id] {
			l.wrong = append(l.wrong, fmt.Sprintf("counter %d is %d, was raised %d to %d times", id, n, l.acknowledged[id], l.asked[id]))
		}
		if l.last[id] != n {
			l.wrong = append(l.wrong, fmt.Sprintf("counter %d is %d, its last event said %d", id, n, l.last[id]))
		}
	}
	require.Empty(t, l.wrong)
}
