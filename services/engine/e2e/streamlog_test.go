package e2e

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// batchesOf are the rows of the batches of a stream, in their order.
func batchesOf(t *testing.T, s *subscriber, id string) (rows []string) {
	t.Helper()
	for _, result := range s.all(id) {
		var batch []json.RawMessage
		require.NoError(t, json.Unmarshal(dataOf(t, result), &batch))
		for _, row := range batch {
			rows = append(rows, string(row))
		}
	}
	return rows
}

// TestStreamsOfTheLogRunNoStatement: once they have all rows, new ones come from the log, as the role may see them.
func TestStreamsOfTheLogRunNoStatement(t *testing.T) {
	t.Parallel()
	c, g, e := itemCluster(t)
	execute(t, c.databaseURL, `ALTER TABLE item ADD COLUMN price numeric, ADD COLUMN large bigint, ADD COLUMN at timestamp, ADD COLUMN tags jsonb`)
	g.metadata("reload_metadata", map[string]any{"reload_sources": true})
	const document = `subscription { item_stream(batch_size: 3, cursor: [{initial_value: {id: 0}, ordering: ASC}]) {
		__typename id mine: owner kind price large at tags } }`
	admin, one, two := g.subscriber(asAdmin), g.subscriber(asUser(1)), g.subscriber(asUser(2))
	all, first, second := admin.subscribe(document, nil), one.subscribe(document, nil), two.subscribe(document, nil)
	await := func(s *subscriber, id string, n int) []string {
		t.Helper()
		eventually(t, startLimit, func() bool { return len(batchesOf(t, s, id)) >= n }, func() string {
			return fmt.Sprintf("%d rows of %d %s", len(batchesOf(t, s, id)), n, s.trouble())
		})
		return batchesOf(t, s, id)
	}
	await(admin, all, 60)
	total, mine := 60, len(await(one, first, 12))
	// A line of the executor's log may come late, and everything is run once a minute: so it may be tried again.
	insert := func() bool {
		before := len(runs(t, e))
		for range 10 {
			total++
			execute(t, c.databaseURL, fmt.Sprintf(`INSERT INTO item VALUES (%d, %d, 'a', 0, 1.50, 9007199254740993, '2011-02-03 04:05:06.5', '{"a": [1, null]}')`,
				100+total, total%5))
			if total%5 == 1 {
				mine++
			}
		}
		await(admin, all, total)
		await(one, first, mine)
		return len(runs(t, e)) == before
	}
	eventually(t, startLimit, insert, func() string { return "statements are run" })
	require.True(t, sameJSON(`{"__typename": "item", "id": `+strconv.Itoa(100+total)+`, "mine": `+strconv.Itoa(total%5)+
		`, "kind": "a", "price": 1.50, "large": 9007199254740993, "at": "2011-02-03T04:05:06.5", "tags": {"a": [1, null]}}`, last(await(admin, all, total))))
	// What is made and hidden, or removed, in one transaction is no row for anybody it is hidden from.
	execute(t, c.databaseURL, `BEGIN; INSERT INTO item VALUES (1001, 1, 'b'), (1002, 2, 'b'), (1003, 1, 'c');
		UPDATE item SET owner = 2 WHERE id = 1001; DELETE FROM item WHERE id = 1003; COMMIT; INSERT INTO item VALUES (1004, 1, 'c')`)
	require.Contains(t, last(await(one, first, mine+1)), `1004`)
	await(two, second, 12)
	eventually(t, startLimit, func() bool { return strings.Contains(last(batchesOf(t, two, second)), "1002") }, func() string { return "no row " + two.trouble() })
	for _, s := range []struct {
		*subscriber
		id    string
		owner string
	}{{admin, all, ""}, {one, first, "1"}, {two, second, "2"}} {
		var ids []int
		for _, text := range batchesOf(t, s.subscriber, s.id) {
			var row struct {
				ID   int
				Mine json.Number
			}
			require.NoError(t, json.Unmarshal([]byte(text), &row))
			require.Contains(t, []string{row.Mine.String(), ""}, s.owner, text)
			ids = append(ids, row.ID)
		}
		require.IsIncreasing(t, ids, "each row comes once, in order")
		require.NotContains(t, ids, 1003)
		require.Empty(t, s.trouble())
	}
}

func last(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}
