package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/testlong"
)

// aimed are the subjects at which a service hears something, or a stream stores it.
func aimed() []string {
	list := []string{bus.ChangesSubject, "engine.deliveries.event", "$KV.QUERY_CACHE.a.b.0"}
	for i := range 3 {
		list = append(list, "$O.METADATA_SNAPSHOTS.M."+base64.URLEncoding.EncodeToString(fmt.Appendf(nil, "snapshot-%d", i)))
	}
	for _, u := range bus.Users() {
		for _, subject := range u.Subscribe {
			list = append(list, named(subject, "x"))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// named is a subject with a name instead of wildcards.
func named(subject, name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(subject, "*", name), ">", name)
}

// attempts are the messages that a user sends to a subject it may publish to, with a reply to a foreign subject.
func attempts(user, subject, reply string, number int) (list []*nats.Msg) {
	add := func(subject string, payload any) {
		data, _ := payload.([]byte)
		if data == nil {
			data, _ = json.Marshal(payload)
		}
		m := nats.NewMsg(subject)
		m.Reply, m.Data = reply, data
		m.Header.Set("Engine-Version", "99")
		m.Header.Set("Nats-Expected-Last-Sequence", "0")
		list = append(list, m)
	}
	api, stream, _ := strings.Cut(strings.TrimPrefix(subject, "$JS.API."), ".")
	verb, stream, _ := strings.Cut(strings.TrimPrefix(stream, "DURABLE."), ".")
	stream, _, _ = strings.Cut(stream, ".")
	type object = map[string]any
	switch own := named(stream, "FOREIGN-"+user); {
	case !strings.HasPrefix(subject, "$JS.API."):
		add(named(subject, "x"), []byte{})
		add(named(subject, "x"), []byte(`{"version":99,"seq":1}`))
		return list
	case api == "CONSUMER" && verb == "CREATE":
		// What the stream holds is sent to the subject, now and later.
		name := fmt.Sprintf("foreign%d", number)
		at := strings.TrimSuffix(strings.TrimSuffix(subject, ".>"), ".*") + "." + name
		if stream == bus.DeliveriesStream {
			at, name = subject, "event-delivery"
		}
		add(at, object{"stream_name": own, "config": object{"name": name, "deliver_subject": reply, "deliver_policy": "all", "ack_policy": "none"}})
		add(at+"p", object{"stream_name": own, "config": object{"name": name + "p", "deliver_policy": "all", "ack_policy": "none"}})
	case api == "CONSUMER" && verb == "MSG":
		at := strings.TrimSuffix(subject, ".*")
		add(fmt.Sprintf("%s.foreign%dp", at, number), object{"batch": 10, "no_wait": true})
	case api == "STREAM" && (verb == "CREATE" || verb == "UPDATE"):
		at := named(subject, own)
		add(at, object{"name": own, "subjects": []string{reply}, "storage": "memory"})
		add(at, object{"name": own, "sources": []object{{"name": bus.ChangesStream}}, "storage": "memory"})
		add(at, object{"name": own, "mirror": object{"name": bus.ChangesStream}, "storage": "memory"})
		add(at, object{"name": own, "subjects": []string{"foreign." + user}, "storage": "memory", "subject_transform": object{"src": ">", "dest": reply}})
		add(at, object{"name": own, "subjects": []string{"foreign." + user}, "storage": "memory", "republish": object{"src": ">", "dest": reply}})
	default:
		add(named(subject, own), []byte{})
		add(named(subject, own), object{"seq": 1, "last_by_subj": bus.ChangesSubject})
	}
	return list
}

// TestUsersOfNATSDoNoLastingHarm: whatever a user of a service sends to the subjects it may publish to, with every subject of others for the
// reply, as the target of consumers and in the configuration of streams, afterwards metadata changes, a revocation counts at once, queries run
// and services start. The streams that event-delivery may create are deleted first, as docs/security.md says.
func TestUsersOfNATSDoNoLastingHarm(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	execute(t, g.databaseURL, `CREATE TABLE item (id int PRIMARY KEY); INSERT INTO item VALUES (1)`)
	for _, name := range []string{metadata, executor, eventDelivery, scheduler} {
		g.startAs(name)
	}
	p := g.startAs(gateway)
	p.metadata("pg_track_table", map[string]any{"table": "item"})
	hook := newWebhook(t)
	p.metadata("pg_create_event_trigger", map[string]any{
		"name": "hooked", "table": "item", "webhook": hook.url, "insert": map[string]any{"columns": "*"},
	})
	asUser := as("user")
	change := func(kind string, args map[string]any) {
		t.Helper()
		last := ""
		eventually(t, startLimit, func() bool {
			a := p.post("/v1/metadata", asAdmin, map[string]any{"type": kind, "args": args})
			last = a.text()
			// One that was answered 503 may count already.
			return a.status == http.StatusOK || strings.Contains(last, "already") || strings.Contains(last, "does not exist")
		}, func() string { return "the metadata doesn't change: " + last })
	}
	permission := map[string]any{"table": "item", "role": "user", "permission": map[string]any{"columns": "*", "filter": map[string]any{}}}
	users, replies := bus.Users(), aimed()
	operator := func() *nats.Conn {
		nc, _ := g.connect(bus.ServiceEventDelivery, bus.InboxPrefix(bus.ServiceEventDelivery))
		return nc
	}()
	for round, user := range users {
		change("pg_create_select_permission", permission)
		p.queryUntilAs(asUser, `{ item { id } }`, `"id":1`)
		inbox := bus.InboxPrefix(user.User)
		if user.Inbox != "" {
			inbox = strings.TrimSuffix(user.Inbox, ".>")
		}
		nc, _ := g.connect(user.User, inbox)
		for i, reply := range replies {
			for k, subject := range user.Publish {
				if testlong.Of(i%8 != k%8, false) && reply != bus.ChangesSubject && !strings.HasPrefix(reply, "$") {
					continue
				}
				for _, m := range attempts(user.User, subject, reply, i) {
					require.NoError(t, nc.PublishMsg(m))
				}
			}
			require.NoError(t, nc.FlushTimeout(startLimit))
		}
		nc.Close()
		for _, u := range users {
			_, err := operator.Request("$JS.API.STREAM.DELETE.FOREIGN-"+u.User, nil, startLimit)
			require.NoError(t, err)
		}

		change("pg_drop_select_permission", map[string]any{"table": "item", "role": "user"})
		require.NotContains(t, p.query(asUser, `{ item { id } }`).text(), `"id"`, user.User)
		p.queryUntilAs(asAdmin, `{ item { id } }`, `"id":1`)
		g.processes[executor].stop()
		g.startAs(executor)
		p.queryUntilAs(asAdmin, fmt.Sprintf(`mutation { insert_item_one(object: {id: %d}) { id } }`, round+10), fmt.Sprintf(`"id":%d`, round+10))
		hook.awaitTaken(round+1, startLimit)
	}
	for name := range g.processes {
		g.processes[name].stop()
	}
	for _, name := range []string{metadata, executor, eventDelivery, scheduler} {
		g.startAs(name)
	}
	p = g.startAs(gateway)
	require.NotContains(t, p.query(asUser, `{ item { id } }`).text(), `"id"`)
	p.queryUntilAs(asAdmin, `{ item { id } }`, `"id":1`)
}

// queryUntilAs asks until an answer has a text.
func (p *process) queryUntilAs(header map[string]string, document, want string) {
	p.t.Helper()
	last := ""
	eventually(p.t, startLimit, func() bool {
		last = p.query(header, document).text()
		return strings.Contains(last, want)
	}, func() string { return "no answer has " + want + ": " + last })
}
