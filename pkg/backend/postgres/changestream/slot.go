package changestream

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/walreader"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/lifecycle"
)

// A slot is named after the definition and the epoch, which holds what the definition was: so a slot and what
// is stored belong together, or the slot is dropped.
const (
	slotsSQL = `SELECT slot_name, active::text, (wal_status IS NOT DISTINCT FROM 'lost')::text FROM pg_catalog.pg_replication_slots
		WHERE starts_with(slot_name, $1) AND database = current_database()`
	publishedSQL = `SELECT count(*)::text FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
		WHERE p.pubname = $1 AND r.prrelid = ANY ($2::oid[]) AND p.pubinsert AND p.pubupdate AND p.pubdelete AND p.pubtruncate`
	dropSlotSQL = `SELECT pg_drop_replication_slot($1)`
	// failoverVersion is the first version of the server whose standby servers can have the slot.
	failoverVersion = "SELECT (current_setting('server_version_num')::int >= 170000)::text"
)

const (
	// dropWithin bounds the attempts to drop a slot that is being read.
	dropWithin = 5 * time.Second
	dropEvery  = 50 * time.Millisecond
)

// Name is the name of a definition in a database: of the installation, as several may use the server, the
// source, and the user's name of it.
func Name(installation, source, name string) string {
	sum := sha256.Sum256([]byte(installation + "\x00" + source + "\x00" + name))
	return "engine_changes_" + hex.EncodeToString(sum[:8])
}

// version names what a definition is.
func (d *Definition) version() (string, error) {
	text, err := json.Marshal(d)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6]), err
}

// findSlot returns the slot of what is stored, "" for none. Others of the definition are dropped.
func (p *publisher) findSlot(ctx context.Context) (string, error) {
	version, err := p.definition.version()
	if err != nil {
		return "", err
	}
	published, err := p.isPublished(ctx)
	if err != nil {
		return "", err
	}
	wanted := ""
	if published && p.place.Epoch != "" && strings.HasPrefix(p.place.Epoch, version) {
		wanted = p.definition.Name + "_" + p.place.Epoch
	}
	err = p.keepSlot(ctx, &wanted)
	return wanted, err
}

// keepSlot drops the slots of the definition but one, which becomes "" when it isn't there.
func (p *publisher) keepSlot(ctx context.Context, wanted *string) error {
	rows, err := query(ctx, p.pg, slotsSQL, []byte(p.definition.Name+"_"))
	if err != nil {
		return err
	}
	found := false
	for _, r := range rows {
		if string(r[1]) == "true" {
			return backend.ErrRead // by a process that has lost its lock
		}
		lost := string(r[2]) == "true"
		if string(r[0]) == *wanted && !lost {
			found = true
			continue
		}
		if lost {
			p.on.Logger.ErrorContext(ctx, "WAL needed to resume publishing was removed", "slot", string(r[0]))
		}
		if _, err := query(ctx, p.pg, dropSlotSQL, r[0]); err != nil {
			return err
		}
	}
	if !found {
		*wanted = ""
	}
	return nil
}

// dropSlots drops all slots of the definition. The server takes a moment to notice that one isn't read any
// more.
func (p *publisher) dropSlots(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, dropWithin)
	defer cancel()
	for {
		none := ""
		err := p.keepSlot(ctx, &none)
		if !errors.Is(err, backend.ErrRead) || !lifecycle.Sleep(within, dropEvery) {
			return err
		}
	}
}

// begin makes the publication and a slot, begins an epoch, and stores the rows as they are where the slot
// begins.
func (p *publisher) begin(ctx context.Context) (slot string, err error) {
	version, err := p.definition.version()
	if err != nil {
		return "", err
	}
	var salt [4]byte
	_, _ = rand.Read(salt[:]) // never fails
	epoch := version + hex.EncodeToString(salt[:])
	slot = p.definition.Name + "_" + epoch
	if err := p.publication(ctx); err != nil {
		return "", refusal(ctx, err)
	}
	options := "EXPORT_SNAPSHOT"
	rows, err := query(ctx, p.pg, failoverVersion)
	if err != nil {
		return "", err
	}
	if string(rows[0][0]) == "true" {
		options = "(SNAPSHOT 'export', FAILOVER true)"
	}
	exporting, err := p.pool.DialReplication(ctx)
	if err != nil {
		return "", fmt.Errorf("the log can't be read: %w", err)
	}
	defer closeQuietly(ctx, exporting)
	timeline, _, err := walreader.Identify(ctx, exporting)
	if err != nil {
		return "", err
	}
	results, err := exporting.Exec(ctx, "CREATE_REPLICATION_SLOT "+quote.Name(slot)+" LOGICAL pgoutput "+options).ReadAll()
	if err != nil {
		return "", refusal(ctx, err)
	}
	snapshot := string(results[0].Rows[0][2])
	at, err := pgoutput.ParseLSN(string(results[0].Rows[0][1]))
	if err != nil {
		return "", err
	}
	if err := run(ctx, p.pg, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT "+quote.Literal(snapshot)); err != nil {
		return "", err
	}
	if p.tables, p.byRelation, err = p.examined(ctx); err != nil { // as of the snapshot
		return "", err
	}
	place := Place{Epoch: epoch, Timeline: uint32(timeline), Rows: uint64(at), Partitions: partitions(p.tables)}
	if err := p.store(ctx, []Message{{Op: OpBegin, Place: place}}); err != nil {
		return "", err
	}
	return slot, nil
}

// publication makes the publication of the tables again.
func (p *publisher) publication(ctx context.Context) error {
	names := make([]string, len(p.definition.Tables))
	for i := range p.definition.Tables {
		names[i] = "ONLY " + quote.Qualified(p.definition.Tables[i].Name)
	}
	name := quote.Name(p.definition.Name)
	return run(ctx, p.pg, "BEGIN; DROP PUBLICATION IF EXISTS "+name+"; CREATE PUBLICATION "+name+" FOR TABLE "+strings.Join(names, ", ")+
		" WITH (publish = 'insert, update, delete, truncate'); COMMIT")
}

// isPublished reports whether the publication has the tables: one that was dropped has left it.
func (p *publisher) isPublished(ctx context.Context) (bool, error) {
	relations := make([][]byte, 0, len(p.tables))
	for _, t := range p.tables {
		relations = append(relations, strconv.AppendUint(nil, uint64(t.relation), 10))
	}
	rows, err := query(ctx, p.pg, publishedSQL, []byte(p.definition.Name), quote.Array(relations))
	return err == nil && string(rows[0][0]) == strconv.Itoa(len(relations)), err
}

// check fails when a table isn't what it was: the log doesn't report that.
func (p *publisher) check(ctx context.Context) error {
	tables, err := p.examine(ctx)
	if err != nil {
		return err
	}
	for i, t := range tables {
		if before := p.tables[i]; t.relation != before.relation || t.partitioned != before.partitioned || !grew(before.parts, t.parts) {
			return errUnclear
		}
	}
	published, err := p.isPublished(ctx)
	if err == nil && !published {
		return errUnclear
	}
	return err
}

// refusal is the error of what the database doesn't let the user do.
func refusal(ctx context.Context, err error) error {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) && ctx.Err() == nil {
		return apierror.Newf(apierror.NotSupported, "changes of the source can't be published: %s", e.Message)
	}
	return err
}

// Drop removes what publishing a definition has left in the database. The error is backend.ErrRead while a
// process publishes it.
func Drop(ctx context.Context, pool *wire.Pool, name string, on Progress) error {
	pg, err := pool.DialQuiet(ctx)
	if err != nil {
		return err
	}
	defer closeQuietly(ctx, pg)
	p := &publisher{pool: pool, pg: pg, definition: &Definition{Name: name}, on: on}
	if err := p.lock(ctx); err != nil {
		return err
	}
	if err := p.dropSlots(ctx); err != nil {
		return err
	}
	return run(ctx, pg, "DROP PUBLICATION IF EXISTS "+quote.Name(name))
}
