// Package examine collects what package doctor wants to know of a PostgreSQL database. It asks its
// catalogue with plain queries, each of which answers with one JSON value, so that it works over a
// connection and through the metadata API alike.
package examine

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/catalog"
	"queryengine/pkg/doctor"
)

//go:embed facts.sql
var factsSQL string

// Examiner examines PostgreSQL databases. It has no state.
type Examiner struct{}

// New returns the examiner.
func New() Examiner { return Examiner{} }

// Examine asks the database for the facts.
func (Examiner) Examine(ctx context.Context, ask doctor.Ask) (*doctor.Facts, error) {
	facts := &doctor.Facts{}
	if err := one(ctx, ask, factsSQL, facts); err != nil {
		return nil, err
	}
	if err := clock(ctx, ask, &facts.Server); err != nil {
		return nil, err
	}
	if err := highest(ctx, ask, facts.Tables); err != nil {
		return nil, err
	}
	if err := placements(ctx, ask, facts.Tables); err != nil {
		return nil, err
	}
	return facts, eventLog(ctx, ask, facts)
}

// one runs a query that answers with one JSON value.
func one(ctx context.Context, ask doctor.Ask, query string, to any) error {
	rows, err := ask(ctx, query)
	if err != nil {
		return err
	}
	if len(rows) != 1 || len(rows[0]) != 1 {
		return errors.New("the database answered a query for one value with something else")
	}
	if err := json.Unmarshal([]byte(rows[0][0]), to); err != nil {
		return fmt.Errorf("facts of the database: %w", err)
	}
	return nil
}

// clock compares the clocks. The query took place at some time between before and after.
func clock(ctx context.Context, ask doctor.Ask, s *doctor.Server) error {
	before := time.Now()
	rows, err := ask(ctx, `SELECT extract(epoch FROM pg_catalog.clock_timestamp())`)
	after := time.Now()
	if err != nil {
		return err
	}
	if s.Clock, err = strconv.ParseFloat(rows[0][0], 64); err != nil {
		return fmt.Errorf("clock of the database: %w", err)
	}
	switch there := time.UnixMicro(int64(s.Clock * 1e6)); {
	case there.Before(before):
		s.Ahead = there.Sub(before)
	case there.After(after):
		s.Ahead = there.Sub(after)
	}
	return nil
}

// highest asks for the greatest values of columns with sequences, where an index makes that cheap.
func highest(ctx context.Context, ask doctor.Ask, tables []*doctor.Table) error {
	var parts []string
	var sequences []*doctor.Sequence
	for _, t := range tables {
		for _, s := range t.Sequences {
			if !t.Usage || !t.Select || !s.Usable || !begins(t, s.Column) {
				continue
			}
			parts = append(parts, fmt.Sprintf(`(SELECT max("%s") FROM %s)`, strings.ReplaceAll(s.Column, `"`, `""`), t.Identifier))
			sequences = append(sequences, s)
		}
	}
	const each = 100 // columns of one query
	for len(parts) > 0 {
		n := min(each, len(parts))
		var values []*int64
		if err := one(ctx, ask, "SELECT pg_catalog.json_build_array("+strings.Join(parts[:n], ", ")+")", &values); err != nil {
			return err
		}
		for i, v := range values {
			sequences[i].Highest = v
		}
		parts, sequences = parts[n:], sequences[n:]
	}
	return nil
}

// begins reports whether a whole index begins with the column.
func begins(t *doctor.Table, column string) bool {
	for _, i := range t.Indexes {
		if i.Valid && !i.Partial && len(i.Columns) > 0 && i.Columns[0] == column {
			return true
		}
	}
	return false
}

// eventLog asks for the state of the log of events, when there is one that may be read. The estimate
// is taken for the number of rows: counting them would read them all.
func eventLog(ctx context.Context, ask doctor.Ask, facts *doctor.Facts) error {
	rows, err := ask(ctx, `SELECT EXISTS (SELECT FROM pg_catalog.pg_class c
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'engine_catalog' AND c.relname = 'event_log' AND c.relkind = 'r'
			AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT'))::int`)
	if err != nil || rows[0][0] != "1" {
		return err
	}
	facts.EventLog = &doctor.EventLog{}
	return one(ctx, ask, `SELECT pg_catalog.json_build_object(
		'rows', (SELECT greatest(reltuples, 0)::bigint FROM pg_catalog.pg_class WHERE oid = 'engine_catalog.event_log'::regclass),
		'bytes', pg_catalog.pg_total_relation_size('engine_catalog.event_log'),
		'oldest_done', coalesce((SELECT extract(epoch FROM now() AT TIME ZONE 'UTC' - min(created_at)) FROM engine_catalog.event_log
			WHERE delivered OR error), 0),
		'oldest_open', coalesce((SELECT extract(epoch FROM now() AT TIME ZONE 'UTC' - min(created_at)) FROM engine_catalog.event_log
			WHERE NOT delivered AND NOT error AND NOT archived), 0))`, facts.EventLog)
}

// placements asks a Citus which nodes its tables are on. Where there is none, nothing is known of them.
func placements(ctx context.Context, ask doctor.Ask, tables []*doctor.Table) error {
	rows, err := ask(ctx, `SELECT n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relname = 'citus_tables' AND c.relkind = 'v' ORDER BY n.nspname <> 'pg_catalog', n.nspname LIMIT 1`)
	if err != nil || len(rows) == 0 {
		return err
	}
	var placed []struct {
		Schema, Name, Kind, Column, Colocation string
	}
	err = one(ctx, ask, `SELECT coalesce(json_agg(json_build_object('schema', n.nspname, 'name', c.relname, 'kind', x.citus_table_type, 'column', x.distribution_column,
		'colocation', x.colocation_id::text)), '[]') FROM "`+strings.ReplaceAll(rows[0][0], `"`, `""`)+`".citus_tables x
		JOIN pg_catalog.pg_class c ON c.oid = x.table_name JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace`, &placed)
	for _, p := range placed {
		i := slices.IndexFunc(tables, func(t *doctor.Table) bool { return t.Name == catalog.Name{Schema: p.Schema, Name: p.Name} })
		if i < 0 {
			continue
		}
		switch p.Kind {
		case "reference":
			tables[i].Distribution = &catalog.Distribution{Placement: catalog.Reference}
		case "distributed", "schema":
			d := &catalog.Distribution{Placement: catalog.Distributed, Colocation: p.Colocation}
			if p.Kind == "distributed" && p.Column != "<none>" {
				d.Column = p.Column
			}
			tables[i].Distribution = d
		}
	}
	return err
}
