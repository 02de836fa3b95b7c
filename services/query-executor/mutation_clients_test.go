package queryexecutor

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var upsertFor = flag.Duration("upsert-for", 0, "how long clients upsert the same rows, at least five times each")

// TestManyClientsUpsert: clients that write the same rows, each in an order of its own, lose no
// update and see no deadlock.
func TestManyClientsUpsert(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/mutations", Config{})
	restore(t, e, "testdata/cases/mutations")
	// The database looks for deadlocks sooner; connections have that from their beginning.
	runSQL(t, e, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''20ms''', current_database()); END $$`)
	e.sources.Update(nil)
	e.sources.Update(e.state.Load().snapshot.Document.Sources)

	const clients, keys = 64, 6
	end := time.Now().Add(*upsertFor)
	var done atomic.Int64
	const query = `mutation ($a: Int!, $b: Int!) {
		insert_album(objects: [{id: $a, title: "new"}, {id: $b, title: "new"}], on_conflict: {constraint: album_pkey, update_columns: title}) { affected_rows }
		update_album(where: {id: {_in: [$a, $b]}}, _inc: {sold: 1}) { affected_rows }
	}`
	var group sync.WaitGroup
	for c := range clients {
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 1))
			for round := 0; round < 5 || time.Now().Before(end); round++ {
				order := r.Perm(keys)
				variables := fmt.Appendf(nil, `{"a": %d, "b": %d}`, 100+order[0], 100+order[1])
				got := answer(t, e, &request{session: adminSession(), text: query, variables: variables})
				done.Add(2)
				assert.Equal(t, 2, strings.Count(string(got), `{"affected_rows" : 2}`), "%s", got)
			}
		})
	}
	group.Wait()
	sum := runSQL(t, e, `SELECT sum(sold) FROM album WHERE id >= 100`)
	require.Equal(t, strconv.FormatInt(done.Load(), 10), sum.Rows[1][0])
}
