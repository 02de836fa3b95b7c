package dbtest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// CitusVariable names the coordinator of a Citus: the address of a database with the extension.
const CitusVariable = "ENGINE_TEST_CITUS_URL"

// citusNode is a server of a Citus cluster.
type citusNode struct {
	Name   string
	Port   uint16
	Shards bool
}

// at is the address of a database on a node.
func (n citusNode) at(u url.URL, database string) string {
	u.Host, u.Path = net.JoinHostPort(n.Name, strconv.Itoa(int(n.Port))), "/"+database
	return u.String()
}

// CitusURL makes a database on all nodes of the cluster that CitusVariable names, has statements make its content, and returns its
// address on the coordinator. It skips the test where there is none.
func CitusURL(t testing.TB, sql string) string {
	t.Helper()
	address := os.Getenv(CitusVariable)
	if address == "" {
		t.Skip(CitusVariable + " is not set")
	}
	main, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	nodes, name := citusNodes(t, address), databaseName(t.Name())
	for _, n := range nodes {
		from := n.at(*main, strings.TrimPrefix(main.Path, "/"))
		run(t.Context(), t, from, "CREATE DATABASE "+quoted(name)+" TEMPLATE template0 STRATEGY file_copy")
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			run(ctx, t, from, "DROP DATABASE IF EXISTS "+quoted(name)+" WITH (FORCE)")
		})
		run(t.Context(), t, n.at(*main, name), "SET client_min_messages = warning; CREATE EXTENSION citus")
	}
	own := *main
	own.Path = "/" + name
	var setup strings.Builder
	for i, n := range nodes {
		node, add := "'"+n.Name+"', "+strconv.Itoa(int(n.Port)), "citus_add_node"
		if i == 0 {
			add = "citus_set_coordinator_host"
		}
		setup.WriteString("SELECT " + add + "(" + node + "); SELECT citus_set_node_property(" + node + ", 'shouldhaveshards', " + strconv.FormatBool(n.Shards) + ");")
	}
	join(t, own.String(), setup.String())
	run(t.Context(), t, own.String(), "SET citus.shard_count = 4; SET citus.shard_replication_factor = 1;\n"+sql)
	return own.String()
}

// CitusVersion names a Citus, with the number of its nodes.
func CitusVersion(t testing.TB, address string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // it only reads
	var name string
	err = conn.QueryRow(t.Context(), `SELECT split_part(citus_version(), ' on ', 1) || ' on PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1) ||
		CASE count(*) WHEN 1 THEN ', one node' ELSE ', coordinator and ' || count(*) - 1 || ' workers' END FROM pg_dist_node`).Scan(&name)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// citusNodes are the servers of a cluster, the coordinator first.
func citusNodes(t testing.TB, address string) []citusNode {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // it only reads
	rows, err := conn.Query(t.Context(), `SELECT nodename, nodeport, shouldhaveshards FROM pg_dist_node ORDER BY groupid`)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[citusNode])
	if err != nil || len(nodes) == 0 {
		t.Fatalf("%s has no nodes: %v", CitusVariable, err)
	}
	return nodes
}

// join makes a cluster of the nodes, which refuse that now and then when they are busy.
func join(t testing.TB, address, sql string) {
	t.Helper()
	for attempts := 5; ; attempts-- {
		err := try(t.Context(), address, sql)
		if err == nil {
			return
		}
		if attempts == 0 {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
	}
}

// run runs statements, which end with a line, on a connection of their own.
func run(ctx context.Context, t testing.TB, address, sql string) {
	t.Helper()
	if err := try(ctx, address, sql); err != nil {
		t.Fatal(err)
	}
}

func try(ctx context.Context, address, sql string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // what it ran is done
	// Citus takes some statements only one by one.
	for statement := range strings.SplitSeq(sql, ";\n") {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
