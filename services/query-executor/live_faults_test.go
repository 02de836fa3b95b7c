package queryexecutor

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
)

// faultyTracks makes find_tracks fail, or take long, for some words.
const faultyTracks = `CREATE OR REPLACE FUNCTION find_tracks(word text, longest int DEFAULT 1000) RETURNS SETOF track LANGUAGE plpgsql STABLE AS $$ BEGIN
	IF NOT EXISTS (SELECT FROM album WHERE title = 'cured') THEN
		IF word = 'raise' THEN RAISE 'no such word'; END IF;
		IF word = 'divide' THEN PERFORM 1 / (SELECT count(*) FROM album WHERE false); END IF;
		IF word = 'sleep' THEN PERFORM pg_sleep(3); END IF;
		IF word = 'search' THEN PERFORM to_tsquery('two words'); END IF;
	END IF;
	RETURN QUERY SELECT * FROM track WHERE title ILIKE '%' || word || '%';
END $$`

// TestFaultsOfSubscribersAreTheirOwn: subscribers share a statement. When it fails, or takes too long, because of what some of them ask for,
// they get their own error, the others get their results and what changes later, and those who failed go on once they can.
func TestFaultsOfSubscribersAreTheirOwn(t *testing.T) {
	t.Parallel()
	const (
		pattern = `subscription ($v: String!) { songs(where: {title: {_iregex: $v}}, order_by: {id: asc}) { title } }`
		stream  = `subscription ($v: String!) { song_stream(batch_size: 9, cursor: {initial_value: {id: 0}}, where: {title: {_iregex: $v}}) { title } }`
		tracks  = `subscription ($v: String!) { find_tracks(args: {word: $v}, order_by: {id: asc}) { title } }`
		words   = "first second third"
	)
	for name, c := range map[string]struct {
		document, bad string
		// code and message are of the error; there is none where the statement only takes long.
		code    apierror.Code
		message string
	}{
		"pattern":             {pattern, `(`, apierror.DataException, `invalid regular expression: parentheses () not balanced`},
		"pattern of a stream": {stream, `(`, apierror.DataException, `invalid regular expression: parentheses () not balanced`},
		"function":            {tracks, `raise`, apierror.Unexpected, `database query error`},
		"division":            {tracks, `divide`, apierror.DataException, `division by zero`},
		"syntax":              {tracks, `search`, apierror.Unexpected, `database query error`},
		"slow function":       {tracks, `sleep`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGatewayTo(t, "testdata/cases/shop", Config{LiveBatch: 100, StreamBatch: 100, livePatience: 200 * time.Millisecond})
			g.exec(faultyTracks)
			subscribe := func(id uint64, value string) {
				variables, err := json.Marshal(map[string]string{"v": value})
				require.NoError(t, err)
				require.NoError(t, g.subscribe(id, session.Admin, c.document, string(variables), nil))
			}
			const well, faulty = uint64(len(words)), 3
			for id := range well {
				subscribe(id, words[:id+1])
			}
			for id := range well {
				if c.document != stream { // which sends nothing as long as there is nothing
					require.NotEmpty(t, g.await(id, 1)[0].GetData())
				}
			}
			for id := well; id < well+faulty; id++ {
				subscribe(id, c.bad)
			}
			if c.code != "" {
				for id := well; id < well+faulty; id++ {
					e := g.await(id, 1)[0].GetError()
					require.Equal(t, string(c.code), e.GetCode())
					require.Equal(t, c.message, e.GetMessage())
				}
			}
			g.exec(`INSERT INTO track (id, title, album_id) VALUES (100, 'first second third', 1)`)
			for id := range well {
				last := g.awaitLast(id, func(r *queryv1.LiveResult) bool { return strings.Contains(string(r.GetData()), words) })
				for _, r := range last {
					require.Nil(t, r.GetError(), "subscriber %d", id)
				}
			}
			if c.document == tracks {
				g.exec(`UPDATE album SET title = 'cured' WHERE id = 1`)
				for id := well; id < well+faulty; id++ {
					g.awaitLast(id, func(r *queryv1.LiveResult) bool { return len(r.GetData()) > 0 })
				}
			}
		})
	}
}
