package changestream

import (
	"bytes"
	"context"
	"strconv"

	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/quote"
)

// seen is what a role sees of a row; key is nil for nothing.
type seen struct{ key, document []byte }

// flush stores the changes that are pending.
func (p *publisher) flush(ctx context.Context) error {
	if len(p.pending) == 0 {
		return nil
	}
	old, new, err := p.see(ctx)
	if err != nil {
		return err
	}
	if err := p.followPartitions(ctx); err != nil {
		return err
	}
	var messages []Message
	for i := range p.pending {
		for _, m := range p.pending[i].messages(old[i], new[i]) {
			m.Place.Epoch, m.Place.Ready, m.Place.Timeline, m.Place.Partitions = p.place.Epoch, true, p.place.Timeline, p.place.Partitions
			if m.Place.LSN < p.place.Rows {
				m.Place.Rows = p.place.Rows
			}
			if !p.place.Covers(m.Place.LSN, m.Place.Index) {
				messages = append(messages, m)
			}
		}
	}
	p.pending, p.bytes = nil, 0
	return p.store(ctx, messages)
}

// messages are what a change is for a role.
func (c *change) messages(old, new seen) []Message {
	m := Message{Table: c.table.Name, Place: Place{LSN: uint64(c.lsn), Index: c.index}, Commit: c.commit, XID: c.xid}
	next := m
	next.Place.Index++
	switch {
	case c.truncate:
		m.Op = OpTruncate
	case old.key == nil && new.key == nil:
		return nil
	case old.key == nil:
		m.Op, m.Key, m.New = OpInsert, new.key, new.document
	case new.key == nil:
		m.Op, m.Key, m.Old = OpDelete, old.key, old.document
	case !bytes.Equal(old.key, new.key):
		m.Op, m.Key, m.Old = OpDelete, old.key, old.document
		next.Op, next.Key, next.New = OpInsert, new.key, new.document
		return []Message{m, next}
	case bytes.Equal(old.document, new.document):
		return nil // that something else has changed is nothing that the role may know
	default:
		m.Op, m.Key, m.Old, m.New = OpUpdate, new.key, old.document, new.document
	}
	return []Message{m}
}

// images are those of pending changes of a table, with where what the role sees of them goes.
type images struct {
	texts [][]byte
	into  []*seen
}

// see evaluates the rows of the pending changes before and after them.
func (p *publisher) see(ctx context.Context) (old, new []seen, err error) {
	old, new = make([]seen, len(p.pending)), make([]seen, len(p.pending))
	byTable := map[*table]*images{}
	for i := range p.pending {
		c := &p.pending[i]
		of := byTable[c.table]
		if of == nil {
			of = &images{}
			byTable[c.table] = of
		}
		of.add(c.table.columns, c.relation, c.old, nil, &old[i])
		of.add(c.table.columns, c.relation, c.new, c.old, &new[i])
	}
	for t, of := range byTable {
		if err := p.evaluate(ctx, t, of); err != nil {
			return nil, nil, err
		}
	}
	return old, new, nil
}

func (i *images) add(columns []string, relation *pgoutput.Relation, row, before pgoutput.Tuple, into *seen) {
	if text := pgoutput.RowText(columns, relation, row, before); text != nil {
		i.texts, i.into = append(i.texts, text), append(i.into, into)
	}
}

// evaluate has the database tell what the role sees of images. When it can't read them as rows of the table,
// or apply the rule to them, that isn't known.
func (p *publisher) evaluate(ctx context.Context, t *table, of *images) error {
	if len(of.texts) == 0 {
		return nil
	}
	rows, err := query(ctx, p.pg, t.evaluate, quote.Array(of.texts))
	if refuses(err) {
		p.on.Logger.WarnContext(ctx, "row no longer matches the table definition", "table", t.Name.Name, "error", err)
		return errUnclear
	}
	if err != nil {
		return err
	}
	for _, r := range rows {
		n, err := strconv.Atoi(string(r[0]))
		if err != nil {
			return err
		}
		*of.into[n-1] = seen{key: r[1], document: r[2]}
	}
	return nil
}
