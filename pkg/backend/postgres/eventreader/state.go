package eventreader

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/eventlog"
	"queryengine/pkg/backend/postgres/pgoutput"
)

// trigger is one whose events are made from the log.
type trigger struct {
	name          string
	relation      uint32
	operations    []string
	onReplication bool

	// pending are changes that aren't written.
	pending []change
}

// change is a change of a row, as the function of a trigger takes it.
type change struct {
	op          string
	relation    *pgoutput.Relation
	old, new    pgoutput.Tuple // nil for none
	microsecond int64          // of the commit, since 2000
}

// place is where reading goes on.
type place struct {
	slot string
	// needed reports whether there is something to read, readable whether the log has it still: a slot that is ahead of the place, as
	// after a failover to a server that has the slot but not the last events, doesn't give it.
	needed, readable bool
	// unbounded reports whether the server keeps its log for as long as it isn't read.
	unbounded bool
}

const (
	preparedSQL = `SELECT to_regclass('engine_catalog.log_trigger')::oid::text`
	neededSQL   = `SELECT (EXISTS (SELECT FROM engine_catalog.log_trigger) OR EXISTS (SELECT FROM engine_catalog.log_position))::text`
	placeSQL    = `SELECT ` + eventlog.SlotSQL + `, p.lsn, (s.slot_name IS NOT NULL AND s.wal_status IS DISTINCT FROM 'lost'
		AND p.slot = s.slot_name AND s.confirmed_flush_lsn <= p.lsn::pg_lsn)::text, (current_setting('max_slot_wal_keep_size') = '-1')::text,
		coalesce(s.active, false)::text, pg_is_in_recovery()::text
		FROM (VALUES (1)) AS one LEFT JOIN engine_catalog.log_position p ON true
		LEFT JOIN pg_catalog.pg_replication_slots s ON s.slot_name = ` + eventlog.SlotSQL
	triggersSQL = `SELECT trigger_name, relation::text, array_to_string(operations, ','), on_replication::text
		FROM (SELECT DISTINCT ON (trigger_name) * FROM engine_catalog.log_trigger WHERE seen ORDER BY trigger_name, id DESC) AS l
		WHERE relation IS NOT NULL`
	columnsSQL = `SELECT a.attname, format('%I.%I', s.nspname, c.relname) FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
		WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`
	seenSQL = `WITH older AS (DELETE FROM engine_catalog.log_trigger WHERE trigger_name = $1 AND id < $2::bigint)
		UPDATE engine_catalog.log_trigger SET seen = true WHERE id = $2::bigint AND NOT seen`
	archiveSQL = `UPDATE engine_catalog.event_log SET archived = true WHERE trigger_name = $1 AND NOT archived`
)

// errStandby reports that the server can't write events. A slot that was made there would pass for the one that is missed
// once the server is promoted.
var errStandby = errors.New("the server is a standby server")

// load reads which triggers there are at the place where events were made last, and the place.
func (w *writer) load(ctx context.Context) (place, error) {
	if err := run(ctx, w.pg, sessionSQL); err != nil {
		return place{}, err
	}
	prepared, err := query(ctx, w.pg, preparedSQL)
	if err != nil || prepared[0][0] == nil {
		return place{}, err
	}
	w.definitions = relationID(prepared[0][0])
	needed, err := query(ctx, w.pg, neededSQL)
	if err != nil || !is(needed[0][0]) {
		return place{}, err
	}
	rows, err := query(ctx, w.pg, placeSQL)
	if err != nil {
		return place{}, err
	}
	r := rows[0]
	if is(r[5]) {
		return place{}, errStandby
	}
	if is(r[4]) {
		return place{}, backend.ErrRead
	}
	at := place{slot: string(r[0]), readable: is(r[2]), unbounded: is(r[3]), needed: true}
	if w.position = 0; r[1] != nil {
		if w.position, err = pgoutput.ParseLSN(string(r[1])); err != nil {
			return place{}, err
		}
	}
	rows, err = query(ctx, w.pg, triggersSQL)
	if err != nil {
		return place{}, err
	}
	w.triggers = map[string]*trigger{}
	for _, r := range rows {
		w.set(&trigger{
			name: string(r[0]), relation: relationID(r[1]), operations: strings.Split(string(r[2]), ","), onReplication: is(r[3]),
		})
	}
	return at, nil
}

func is(text []byte) bool { return string(text) == "true" || string(text) == "t" }

func relationID(text []byte) uint32 {
	n, _ := strconv.ParseUint(string(text), 10, 32)
	return uint32(n)
}

// set makes a trigger the one of its name.
func (w *writer) set(t *trigger) {
	w.triggers[t.name] = t
	w.arrange()
}

// arrange finds the triggers of each table.
func (w *writer) arrange() {
	w.byTable = map[uint32][]*trigger{}
	for _, t := range w.triggers {
		w.byTable[t.relation] = append(w.byTable[t.relation], t)
	}
}

// define applies a row of log_trigger: a trigger begins or ends with it. What was read before is written
// first.
func (w *writer) define(ctx context.Context, m *pgoutput.Insert) error {
	relation := w.relations[m.Relation]
	if relation == nil || len(relation.Columns) != len(m.New) {
		return errors.New("the log has a trigger that can't be read")
	}
	values := map[string][]byte{}
	for i, c := range relation.Columns {
		if m.New[i].Kind == pgoutput.Text {
			values[c.Name] = m.New[i].Text
		}
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	if err := w.begin(ctx); err != nil {
		return err
	}
	name, id := values["trigger_name"], values["id"]
	if _, err := query(ctx, w.pg, seenSQL, name, id); err != nil {
		return err
	}
	if values["relation"] != nil {
		w.set(&trigger{
			name: string(name), relation: relationID(values["relation"]), onReplication: is(values["on_replication"]),
			operations: strings.Split(strings.Trim(string(values["operations"]), "{}"), ","),
		})
		return nil
	}
	delete(w.triggers, string(name))
	w.ended = true
	w.arrange()
	if !is(values["archive"]) {
		return nil // the function of the trigger stays until it is dropped: the trigger may be about to use it again
	}
	_, err := query(ctx, w.pg, archiveSQL, name)
	return err
}

// table describes a table as it is now.
type table struct {
	name    string // quoted, "" for one that is gone
	columns []string
}

// table describes a table. What the session has planned for rows of it is planned again: the functions of triggers depend on its columns
// without the database's knowing of it.
func (w *writer) table(ctx context.Context, relation uint32) (*table, error) {
	if t := w.tables[relation]; t != nil {
		return t, nil
	}
	if err := run(ctx, w.pg, "DISCARD PLANS"); err != nil {
		return nil, err
	}
	rows, err := query(ctx, w.pg, columnsSQL, strconv.AppendUint(nil, uint64(relation), 10))
	if err != nil {
		return nil, err
	}
	t := &table{}
	for _, r := range rows {
		t.columns, t.name = append(t.columns, string(r[0])), string(r[1])
	}
	w.tables[relation] = t
	return t, nil
}

// wants reports whether a trigger makes events of an operation.
func (t *trigger) wants(op string, replicated bool) bool {
	return slices.Contains(t.operations, op) && (!replicated || t.onReplication)
}
