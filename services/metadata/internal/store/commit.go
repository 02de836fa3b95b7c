package store

import (
	"context"
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
)

// Channel is notified of every commit.
const Channel = "engine_metadata"

// Conflict is the error of a request that builds on another version than the current one.
func Conflict(version int64) error {
	return apierror.Newf(apierror.Conflict, "metadata resource version referenced (%d) did not match current version", version)
}

// IsConflict reports whether err is a Conflict.
func IsConflict(err error) bool {
	var e *apierror.Error
	return errors.As(err, &e) && e.Code == apierror.Conflict
}

// Tx is a claim on the current version: no other process can commit before it ends.
type Tx struct {
	tx   pgx.Tx
	base Version
}

// claimLock is the advisory lock of a claim. A lock on the row of the version would give the transaction a
// number, and while a transaction with a number is open, no replication slot can be made on the server of the
// metadata: an event trigger that needs one is made within a claim.
const claimLock = `SELECT pg_advisory_xact_lock(7402311900201)`

// Claim takes the right to commit on top of base. It fails with Conflict when base isn't
// in effect any more, and waits for a claim of another process.
func (s *Store) Claim(ctx context.Context, base Version) (*Tx, error) {
	// What is read after the lock has to be from after it, too.
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return nil, failure(err)
	}
	var found Version
	b := &pgx.Batch{}
	b.Queue(claimLock)
	b.Queue(versionSQL).QueryRow(func(row pgx.Row) error { return row.Scan(&found.StreamID, &found.Number) })
	err = tx.SendBatch(ctx, b).Close()
	if err == nil && found != base {
		err = Conflict(base.Number)
	}
	if err != nil {
		_ = tx.Rollback(ctx)
		return nil, failure(err)
	}
	return &Tx{tx: tx, base: base}, nil
}

const (
	setSQL = `INSERT INTO engine_catalog.metadata_object (kind, source, schema, name, value)
		SELECT kind, source, schema, name, value::json
		FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS o (kind, source, schema, name, value)
		ON CONFLICT (kind, source, schema, name) DO UPDATE SET value = excluded.value`
	removeSQL = `DELETE FROM engine_catalog.metadata_object m
		USING unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS o (kind, source, schema, name)
		WHERE m.kind = o.kind AND m.source = o.source AND m.schema = o.schema AND m.name = o.name`
	// What belongs to a source or a catalog goes with it.
	removeSourceSQL = `DELETE FROM engine_catalog.metadata_object
		WHERE source = $1 AND kind = ANY ($2::text[])`
	changeSQL = `INSERT INTO engine_catalog.metadata_change (version, change, undo, summary) VALUES ($1, $2::json, $3::json, $4::json)`
	// The condition holds for all who claim by the same lock. Earlier versions of the service lock the row instead.
	versionNow = `UPDATE engine_catalog.metadata_version SET resource_version = $1 WHERE resource_version = $2 AND stream_id::text = $3`
	pruneSQL   = `DELETE FROM engine_catalog.metadata_change WHERE published AND version <= $1`
	pruneAged  = `DELETE FROM engine_catalog.metadata_change WHERE published AND version < $1 AND at < now() - $2::interval`
)

// Record is a change with what the history keeps of it.
type Record struct {
	Change *snapshot.Change
	// Undo leads back, in the document only.
	Undo *snapshot.Change
	// Operation is the type of the request that made the change.
	Operation string
	// By is who asked for it, nil for the engine itself.
	By *Author
}

// Commit writes a change on top of the claimed version. Its version is the next one.
func (t *Tx) Commit(ctx context.Context, r Record) error {
	if err := t.write(ctx, r); err != nil {
		t.Rollback(ctx)
		return err
	}
	err := failure(t.tx.Commit(ctx))
	if e := apierror.From(err); e != nil && e.Status == http.StatusServiceUnavailable {
		err = apierror.New(e.Code, "the connection to the metadata database was lost while the change was committed: it may be saved").
			WithStatus(e.Status).WithInternal(e.Internal)
	}
	return err
}

func (t *Tx) write(ctx context.Context, r Record) error {
	c := r.Change
	if c.Base != t.base.Number || c.Version != t.base.Number+1 || c.StreamID != t.base.StreamID {
		return apierror.Newf(apierror.Unexpected, "change %d does not follow version %d", c.Version, t.base.Number)
	}
	texts := make([]string, 3)
	for i, part := range []any{c, r.Undo, summarise(r)} {
		raw, err := metadata.Encode(part)
		if err != nil {
			return err
		}
		texts[i] = string(raw)
	}
	b := &pgx.Batch{}
	b.Queue(versionNow, c.Version, c.Base, c.StreamID).Exec(func(tag pgconn.CommandTag) error {
		if tag.RowsAffected() == 0 {
			return Conflict(c.Base)
		}
		return nil
	})
	queueObjects(b, c.Objects)
	b.Queue(changeSQL, c.Version, texts[0], texts[1], texts[2])
	b.Queue(`SELECT pg_notify($1, '')`, Channel)
	return failure(t.tx.SendBatch(ctx, b).Close())
}

func queueObjects(b *pgx.Batch, objects []snapshot.Object) {
	var set, remove columns
	for _, o := range objects {
		switch {
		case o.Op == snapshot.OpSet:
			set.add(o)
		case o.Kind == snapshot.KindSource:
			b.Queue(removeSourceSQL, o.Source, []snapshot.Kind{snapshot.KindSource, snapshot.KindTable, snapshot.KindFunction})
		case o.Kind == snapshot.KindCatalog:
			b.Queue(removeSourceSQL, o.Source, []snapshot.Kind{
				snapshot.KindCatalog, snapshot.KindCatalogTable, snapshot.KindCatalogFunction, snapshot.KindCatalogEnum,
			})
		default:
			remove.add(o)
		}
	}
	if len(remove.kind) > 0 {
		b.Queue(removeSQL, remove.kind, remove.source, remove.schema, remove.name)
	}
	if len(set.kind) > 0 {
		b.Queue(setSQL, set.kind, set.source, set.schema, set.name, set.value)
	}
}

// columns are objects as arrays.
type columns struct{ kind, source, schema, name, value []string }

func (c *columns) add(o snapshot.Object) {
	c.kind = append(c.kind, string(o.Kind))
	c.source = append(c.source, o.Source)
	c.schema = append(c.schema, o.Schema)
	c.name = append(c.name, o.Name)
	c.value = append(c.value, string(o.Value))
}

// Rollback gives the claim up. It is safe after Commit.
func (t *Tx) Rollback(ctx context.Context) { _ = t.tx.Rollback(context.WithoutCancel(ctx)) }
