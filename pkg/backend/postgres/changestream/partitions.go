package changestream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
)

// part is a partition of a table, or of one of its partitions.
type part struct {
	// leaf reports whether it has rows, rather than partitions.
	leaf bool
	// since names the transaction that has made it part of the table.
	since string
	// empty reports whether it was made as a partition, so that all of its rows are in the log.
	empty bool
}

// partsSQL reads the partitions from the catalog, as of the snapshot of the statement. A table that was made as a partition has rows of its
// columns that are as old as that of its first system column, which never changes: attaching a table changes all of its columns.
const partsSQL = `WITH RECURSIVE part AS (
		SELECT i.inhrelid, i.xmin::text AS since FROM pg_catalog.pg_inherits i WHERE i.inhparent = $1::oid
		UNION ALL SELECT i.inhrelid, i.xmin::text FROM pg_catalog.pg_inherits i JOIN part ON part.inhrelid = i.inhparent)
	SELECT c.oid::text, (c.relkind <> 'p')::text, part.since,
		(a.xmin::text = part.since AND EXISTS (SELECT FROM pg_catalog.pg_attribute own WHERE own.attrelid = c.oid AND own.attnum > 0
			AND own.xmin = a.xmin AND own.cmin = a.cmin))::text, CASE
		WHEN c.relkind NOT IN ('r', 'p') THEN format('partition %I.%I isn''t a table', s.nspname, c.relname)
		WHEN c.relpersistence = 'u' THEN format('partition %I.%I is unlogged', s.nspname, c.relname)
		WHEN c.relkind = 'r' AND c.relreplident <> 'f' THEN ` + wholeRowsSQL + `
		WHEN EXISTS (SELECT FROM pg_catalog.pg_attribute own JOIN pg_catalog.pg_attribute parent ON parent.attrelid = $1::oid AND parent.attname = own.attname
			LEFT JOIN pg_catalog.pg_attrdef od ON od.adrelid = own.attrelid AND od.adnum = own.attnum
			LEFT JOIN pg_catalog.pg_attrdef pd ON pd.adrelid = parent.attrelid AND pd.adnum = parent.attnum
			WHERE own.attrelid = c.oid AND (own.attgenerated <> '' OR parent.attgenerated <> '')
				AND (own.attgenerated <> parent.attgenerated OR pg_get_expr(od.adbin, od.adrelid) <> pg_get_expr(pd.adbin, pd.adrelid)))
			THEN format('partition %I.%I generates a column in another way', s.nspname, c.relname) END
	FROM part JOIN pg_catalog.pg_class c ON c.oid = part.inhrelid JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
		JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = -1`

// partsOf reads the partitions of a table, nil for one that can't have any.
func (p *publisher) partsOf(ctx context.Context, t *table) (map[uint32]part, error) {
	if !t.partitioned {
		return nil, nil
	}
	rows, err := query(ctx, p.pg, partsSQL, strconv.AppendUint(nil, uint64(t.relation), 10))
	if err != nil {
		return nil, err
	}
	parts := map[uint32]part{}
	for _, r := range rows {
		if why := string(r[4]); why != "" {
			return nil, t.refused(why)
		}
		n, err := strconv.ParseUint(string(r[0]), 10, 32)
		if err != nil {
			return nil, err
		}
		parts[uint32(n)] = part{leaf: string(r[1]) == "true", since: string(r[2]), empty: string(r[3]) == "true"}
	}
	return parts, nil
}

// partitions names the partitions of the tables, empty where none is partitioned. What it names differs also when a partition was detached and
// attached again.
func partitions(tables []*table) string {
	var list []string
	some := false
	for _, t := range tables {
		some = some || t.partitioned
		for relation, of := range t.parts {
			list = append(list, fmt.Sprint(relation, " ", of.since))
		}
	}
	if !some {
		return ""
	}
	slices.Sort(list)
	sum := sha256.Sum256([]byte(fmt.Sprint(list)))
	return hex.EncodeToString(sum[:8])
}

// followPartitions fails with errUnclear when rows have come to a table, or left it, with a partition, of which the log tells nothing. A statement that
// runs after a change was read sees all that was attached or detached before it, so what is stored after that is right. New partitions that
// were empty are read from then on.
func (p *publisher) followPartitions(ctx context.Context) error {
	grown := false
	for _, t := range p.tables {
		now, err := p.partsOf(ctx, t)
		if err != nil {
			return err
		}
		if !grew(t.parts, now) {
			return errUnclear
		}
		grown = grown || len(now) > len(t.parts)
		t.parts = now
	}
	if !grown {
		return nil
	}
	var err error
	p.place.Partitions = partitions(p.tables)
	p.byRelation, err = relations(p.tables)
	return err
}

// grew reports whether partitions are those from before, and new ones that were empty.
func grew(before, now map[uint32]part) bool {
	for relation, of := range before {
		if now[relation] != of {
			return false
		}
	}
	for relation, of := range now {
		if _, known := before[relation]; !known && !of.empty {
			return false
		}
	}
	return true
}

// truncated are the tables all rows of which are gone with those of relations. It isn't known which rows are gone with a partition alone.
func (p *publisher) truncated(relations []uint32) ([]*table, error) {
	var tables []*table
	for _, relation := range relations {
		t := p.byRelation[relation]
		if t == nil {
			return nil, errUnclear
		}
		if slices.Contains(tables, t) {
			continue
		}
		for part, of := range t.parts {
			if of.leaf && !slices.Contains(relations, part) {
				return nil, errUnclear
			}
		}
		tables = append(tables, t)
	}
	return tables, nil
}
