package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// liveStep is a part of the one sequence of transactions that the random subscriptions see.
type liveStep struct {
	sql string
	// aside runs it on the second connection, whose transactions stay open over several of the first.
	aside bool
	// settle has the test wait afterwards until all subscribers have the state.
	settle bool
}

// randomSteps are transactions; the same for the same choice, whatever else runs. Those aside write to tag alone, and
// the others don't, so nothing waits for a lock.
func randomSteps(r *rand.Rand, n int) (steps []liveStep) {
	open, next := false, 13
	for range n {
		if r.IntN(5) == 0 {
			sql := tagWrite(r)
			if !open {
				sql = "BEGIN;" + sql
			}
			if open = r.IntN(2) == 0; !open {
				sql += []string{"COMMIT", "COMMIT", "ROLLBACK"}[r.IntN(3)]
			}
			steps = append(steps, liveStep{sql: sql, aside: true, settle: !open && r.IntN(3) == 0})
			continue
		}
		sql := "BEGIN;"
		for range 1 + r.IntN(3) {
			if r.IntN(5) == 0 {
				sql += entryWrite(r, &next)
			} else {
				sql += itemWrite(r)
			}
		}
		if r.IntN(6) == 0 {
			sql += "SAVEPOINT s;" + itemWrite(r) + []string{"ROLLBACK TO s;", "RELEASE s;"}[r.IntN(2)]
		}
		sql += []string{"COMMIT", "COMMIT", "COMMIT", "COMMIT", "ROLLBACK"}[r.IntN(5)]
		steps = append(steps, liveStep{sql: sql, settle: r.IntN(3) == 0})
	}
	if open {
		steps = append(steps, liveStep{sql: "COMMIT", aside: true})
	}
	return steps
}

func tagWrite(r *rand.Rand) string {
	id, item, label := 1+r.IntN(60), 1+r.IntN(40), r.IntN(4)
	return []string{
		fmt.Sprintf(`INSERT INTO tag VALUES (%d, %d, 'l%d') ON CONFLICT (id) DO UPDATE SET label = excluded.label;`, id, item, label),
		fmt.Sprintf(`UPDATE tag SET item = %d WHERE id = %d;`, item, id),
		fmt.Sprintf(`UPDATE tag SET label = 'l%d' WHERE item = %d;`, label, item),
		fmt.Sprintf(`DELETE FROM tag WHERE id = %d;`, id),
	}[r.IntN(4)]
}

// entryWrite keeps the ids of entry growing with the commits, and owner and kind of its rows what they are.
func entryWrite(r *rand.Rand, next *int) string {
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf(`UPDATE entry SET n = n + 1 WHERE id %% 3 = %d;`, r.IntN(3))
	case 1:
		return fmt.Sprintf(`DELETE FROM entry WHERE id = %d;`, 1+r.IntN(*next))
	}
	var sql strings.Builder
	for range 1 + r.IntN(3) {
		fmt.Fprintf(&sql, `INSERT INTO entry VALUES (%d, %d, '%s', 0);`, *next, r.IntN(5), kindName(r))
		*next++
	}
	return sql.String()
}

// itemWrite is a statement on any other table. One that violates a key ends its transaction.
func itemWrite(r *rand.Rand) string {
	id, other, owner, n, kind := 1+r.IntN(62), 1+r.IntN(62), r.IntN(6), r.IntN(25), kindName(r)
	list := []string{
		fmt.Sprintf(`UPDATE item SET n = n + 1 WHERE id = %d;`, id),
		fmt.Sprintf(`UPDATE item SET n = %d WHERE id = %d;`, n, id),
		fmt.Sprintf(`UPDATE item SET owner = %d WHERE id = %d;`, owner, id),
		fmt.Sprintf(`UPDATE item SET owner = NULL, note = NULL WHERE id = %d;`, id),
		fmt.Sprintf(`UPDATE item SET kind = '%s' WHERE owner = %d;`, kind, owner),
		fmt.Sprintf(`UPDATE item SET kind = NULL WHERE id = %d;`, id),
		fmt.Sprintf(`UPDATE item SET price = %d.%d0 WHERE id = %d;`, r.IntN(8), 5*r.IntN(2), id),
		fmt.Sprintf(`UPDATE item SET price = price * 1.000 WHERE n = %d;`, n),
		fmt.Sprintf(`UPDATE item SET price = 'NaN', done = NOT done WHERE id = %d;`, id),
		fmt.Sprintf(`UPDATE item SET done = %s WHERE id = %d;`, []string{"true", "false", "NULL"}[r.IntN(3)], id),
		fmt.Sprintf(`UPDATE item SET day = '%s', note = 'note %d' WHERE id = %d;`, liveDay(r), r.IntN(5), id),
		fmt.Sprintf(`UPDATE item SET note = (SELECT string_agg(md5(g::text), '') FROM generate_series(1, 300) g) WHERE id = %d;`, id),
		fmt.Sprintf(`DELETE FROM item WHERE id = %d;`, id),
		fmt.Sprintf(`INSERT INTO item VALUES (%d, %d, '%s', %d, %d.5, true, '%s', 'new') ON CONFLICT (id) DO UPDATE SET n = item.n + 10;`, id, owner, kind, n, r.IntN(8), liveDay(r)),
		fmt.Sprintf(`UPDATE item SET id = %d WHERE id = %d AND NOT EXISTS (SELECT FROM item WHERE id = %d);`, other, id, other),
		fmt.Sprintf(`UPDATE kind SET rank = %s WHERE name = '%s';`, []string{"1", "2", "3", "NULL"}[r.IntN(4)], kind),
		fmt.Sprintf(`UPDATE item SET n = %d WHERE owner = %d;`, n, owner),
		fmt.Sprintf(`INSERT INTO parcel VALUES (%d, '%s', %d) ON CONFLICT DO NOTHING;`, 1+r.IntN(35), kind, n),
		fmt.Sprintf(`UPDATE parcel SET n = %d WHERE id = %d;`, r.IntN(12), 1+r.IntN(35)),
		fmt.Sprintf(`UPDATE parcel p SET region = '%s' WHERE id = %d AND NOT EXISTS (SELECT FROM parcel WHERE id = p.id AND region = '%s');`, kind, 1+r.IntN(35), kind),
		fmt.Sprintf(`DELETE FROM parcel WHERE id = %d;`, 1+r.IntN(35)),
	}
	if r.IntN(12) > 0 {
		return list[r.IntN(len(list))]
	}
	return []string{ // what is large, or is about all rows
		`UPDATE item SET n = (n + 7) % 25;`,
		`TRUNCATE item; INSERT INTO item SELECT i, i % 5, 'a', i % 20 FROM generate_series(1, 40) i;`,
		`TRUNCATE parcel_a;`,
		`INSERT INTO item SELECT i, i % 5, 'b', i % 20 FROM generate_series(1000, 1700) i ON CONFLICT DO NOTHING;`,
		`DELETE FROM item WHERE id >= 1000;`,
		`UPDATE kind SET name = CASE name WHEN 'c' THEN 'e' ELSE 'c' END WHERE name IN ('c', 'e');`,
	}[r.IntN(6)]
}
