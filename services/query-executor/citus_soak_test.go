package queryexecutor

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/testlong"
	queryv1 "queryengine/proto/query/v1"
)

// soakTenants is the number of tenants, each with a writer.
const soakTenants = 4

// TestCitusSoak writes, reads and subscribes while shards move and a worker is killed: what was written is there, once; subscriptions
// get to it; and requests fail only while nodes can't be reached.
func TestCitusSoak(t *testing.T) { //nolint:paralleltest // it kills a server that other tests use
	on, plain := distributedCitus(t)
	e := [2]*Executor{citusFixture(t, "citus", on), citusFixture(t, "postgres", plain)}
	g := newGatewayOf(t, e[0])
	live := map[uint64]string{9: `subscription { customer_aggregate { aggregate { count sum { score } } } }`}
	for id := range uint64(soakTenants) {
		live[id] = fmt.Sprintf(`subscription { customer(where: {tenant_id: {_eq: %d}}, order_by: {id: asc}) { id score invoices(order_by: {id: asc}) { id } } }`, id+1)
		stream := fmt.Sprintf(`subscription { customer_stream(batch_size: 5, cursor: {initial_value: {id: 1000}}, where: {tenant_id: {_eq: %d}}) { id } }`, id+1)
		require.NoError(t, g.join(100+id, &request{session: (&citusRequest{}).session(), text: stream}, nil))
	}
	for id, text := range live {
		require.NoError(t, g.join(id, &request{session: (&citusRequest{}).session(), text: text}, nil))
	}

	w := &citusWriters{e: e, stop: make(chan struct{})}
	var group sync.WaitGroup
	for i := range w.wrote {
		w.wrote[i] = make(chan struct{})
		group.Go(func() { w.run(t, i) })
	}
	moved, killed := 0, 0
	for range testlong.Of(2, 60) {
		w.await(3)
		moved += moveShard(t, on)
		w.await(3)
		killed += killWorker(t, on)
		w.await(3)
	}
	close(w.stop)
	group.Wait()

	for id, text := range live {
		want := citusAnswer(t, e[1], &citusRequest{text: strings.Replace(text, "subscription", "query", 1)})
		g.awaitLast(id, func(r *queryv1.LiveResult) bool { return r.GetError() == nil && string(r.GetData()) == want })
	}
	for id := range uint64(soakTenants) {
		var want []int
		for n := range w.rows[id] {
			want = append(want, 1001+n)
		}
		var got []int
		g.awaitLast(100+id, func(*queryv1.LiveResult) bool { got = streamed(t, g, 100+id); return len(got) >= len(want) })
		require.Equal(t, want, got, "a stream gives each row once")
	}
	checked := 0
	for i := range citusRequests {
		c := &citusRequests[i]
		if strings.HasPrefix(c.text, "mutation") || strings.HasPrefix(c.text, "subscription") || c.refused != nil {
			continue
		}
		got, want := citusAnswer(t, e[0], c), citusAnswer(t, e[1], c)
		require.Equal(t, sorted(t, want), sorted(t, got), c.text)
		checked++
	}
	t.Logf("%d shards moved and %d workers killed during %v rounds of writes; %d requests failed meanwhile; %d answers checked", moved, killed, w.rows, w.failed, checked)
	backendtest.Report(t, backendtest.Tested{
		Server: dbtest.CitusVersion(t, on), Tests: fmt.Sprintf("writes while %d shards move and %d workers are killed", moved, killed), Layout: "distributed",
		Cases: w.rows[0] + w.rows[1] + w.rows[2] + w.rows[3], Except: map[string]string{},
	})
}

// citusWriters write the same rows into Citus and PostgreSQL, a writer for each tenant.
type citusWriters struct {
	e    [2]*Executor
	stop chan struct{}
	// wrote has a writer wait for what awaits its progress, rows are how many it has written.
	wrote [soakTenants]chan struct{}
	rows  [soakTenants]int

	mu     sync.Mutex
	failed int
}

// await waits for each writer to write rows.
func (w *citusWriters) await(rows int) {
	for _, wrote := range w.wrote {
		for range rows {
			<-wrote
		}
	}
}

// run writes until it is stopped.
func (w *citusWriters) run(t *testing.T, tenant int) {
	defer close(w.wrote[tenant])
	for {
		n := w.rows[tenant]
		id, own := 1001+n, fmt.Sprint(tenant+1)
		row := "tenant_id: " + own + ", id: " + fmt.Sprint(id)
		for _, c := range []*citusRequest{
			{text: `mutation { insert_customer_one(object: {` + row + `, invoices: {data: [{id: ` + fmt.Sprint(id) + `, total: "1"}],
				on_conflict: {constraint: invoice_pkey, update_columns: [total]}}}, on_conflict: {constraint: customer_pkey, update_columns: [score]}) { id tenant { name } invoices { id } } }`},
			{tenant: own, text: `mutation { update_customer_by_pk(pk_columns: {` + row + `}, _set: {score: ` + fmt.Sprint(n%50) + `}) { id tenant { name } invoices { id total } } }`},
			{text: `mutation { delete_invoice(where: {tenant_id: {_eq: ` + own + `}, id: {_eq: ` + fmt.Sprint(id-n%3) + `}}) { returning { customer { id } } } }`},
			{tenant: own, text: `{ customer(where: {id: {_gt: ` + fmt.Sprint(id-5) + `}}, order_by: {id: asc}) { id score invoices_aggregate { aggregate { count } } } }`},
		} {
			if !w.same(t, c) {
				return
			}
		}
		w.rows[tenant]++
		select {
		case <-w.stop:
			return
		case w.wrote[tenant] <- struct{}{}:
		default:
		}
	}
}

// same sends a request to both, again where Citus can't reach a node. A mutation is one that can be repeated.
func (w *citusWriters) same(t *testing.T, c *citusRequest) bool {
	for {
		got := citusAnswer(t, w.e[0], c)
		if strings.HasPrefix(got, `{"data"`) {
			want := citusAnswer(t, w.e[1], c)
			return strings.HasPrefix(c.text, "mutation") && assert.Contains(t, want, `{"data"`) || assert.Equal(t, want, got, c.text)
		}
		if !assert.True(t, strings.HasPrefix(got, "postgres-error at"), "%s: %s", c.text, got) {
			return false
		}
		w.mu.Lock()
		w.failed++
		w.mu.Unlock()
		time.Sleep(10 * time.Millisecond) // between attempts
	}
}

// streamed are the rows that a subscriber to a stream was given.
func streamed(t *testing.T, g *gateway, id uint64) (ids []int) {
	t.Helper()
	for _, r := range g.await(id, 1) {
		var answer struct {
			Data struct {
				Rows []struct{ ID int } `json:"customer_stream"`
			}
		}
		if r.GetError() == nil {
			require.NoError(t, json.Unmarshal(r.GetData(), &answer))
		}
		for _, row := range answer.Data.Rows {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// moveShard moves a part of the tables to another node; 0 where no other takes it.
func moveShard(t *testing.T, address string) int {
	t.Helper()
	conn := connect(t, address)
	moved, err := conn.Exec(t.Context(), `SELECT citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, 'block_writes')
		FROM citus_shards s, pg_dist_node n WHERE s.table_name = 'shop.customer'::regclass AND n.shouldhaveshards AND (n.nodename, n.nodeport) <> (s.nodename, s.nodeport)
		ORDER BY random() LIMIT 1`)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	return int(moved.RowsAffected())
}

// killWorker kills a process of a worker, which ends all its sessions and starts again; 0 where the coordinator is alone.
func killWorker(t *testing.T, address string) int {
	t.Helper()
	conn := connect(t, address)
	rows, err := conn.Query(t.Context(), "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY random() LIMIT 1")
	require.NoError(t, err)
	type worker struct {
		Name string
		Port uint16
	}
	workers, err := pgx.CollectRows(rows, pgx.RowToStructByPos[worker])
	require.NoError(t, err)
	for _, n := range workers {
		own, err := pgx.ParseConfig(address)
		require.NoError(t, err)
		own.Host, own.Port, own.Fallbacks = n.Name, n.Port, nil
		session, err := pgx.ConnectConfig(t.Context(), own)
		require.NoError(t, err)
		_, err = session.Exec(t.Context(), "COPY (SELECT 1) TO PROGRAM 'kill -9 $PPID'")
		require.Error(t, err, "the process that would answer is gone")
		_ = session.Close(t.Context())
	}
	require.NoError(t, conn.Close(t.Context()))
	return len(workers)
}
