package queryexecutor

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/testlong"
)

// TestRandomNestedInserts: what goes in comes out again, as a variable and when it is spelt in
// the document; a mutation that fails leaves nothing behind.
func TestRandomNestedInserts(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/mutations", Config{})
	const seed = 20240309
	r := rand.New(rand.NewPCG(seed, seed))
	for i := range testlong.Of(12, 40) {
		restore(t, e, "testdata/cases/mutations")
		g := rowGenerator{r: r}
		in, want := g.artists(1 + r.IntN(4))
		spelt := spell(in)
		body, err := json.Marshal(map[string]any{"rows": in})
		require.NoError(t, err)

		text, variables := `mutation ($rows: [artist_insert_input!]!) { insert_artist(objects: $rows) { affected_rows } }`, body
		if i%2 == 0 {
			text, variables = `mutation { insert_artist(objects: `+spelt+`) { affected_rows } }`, nil
		}
		fails := r.IntN(4) == 0
		if fails { // the last row is there already
			text = text[:len(text)-1] + ` x: insert_country_one(object: {code: "de", name: "x"}) { code } }`
		}
		got := string(answer(t, e, &request{session: adminSession(), text: text, variables: variables}))
		if fails {
			require.Contains(t, got, "Uniqueness violation", text)
			state := runSQL(t, e, string(readFile(t, "testdata/cases/mutations/state.sql")))
			require.Equal(t, "[]", state.Rows[1][0])
			continue
		}
		require.Equal(t, fmt.Sprintf(`{"data":{"insert_artist":{"affected_rows" : %d}}}`, g.rows), got, "%s %s", text, body)
		read := answer(t, e, &request{session: adminSession(), text: `{ artist(where: {id: {_gt: 3}, _or: [{country: {_is_null: true}}, {country: {_neq: "x"}}]}, order_by: {name: asc}) {
			name home { name } biography { text } albums(order_by: {title: asc}) { title sold tracks(order_by: {title: asc}) { title seconds } } } }`})
		wanted, err := json.Marshal(map[string]any{"data": map[string]any{"artist": want}})
		require.NoError(t, err)
		require.JSONEq(t, string(wanted), string(read), "%s %s", text, body)
	}
}

type object = map[string]any

// rowGenerator makes inserts of random depth and width, and what a query finds then.
type rowGenerator struct {
	r    *rand.Rand
	rows int
	name int
}

func (g *rowGenerator) next(prefix string) string {
	g.name++
	g.rows++
	return fmt.Sprintf("%s%04d", prefix, g.name)
}

func (g *rowGenerator) coin() bool { return g.r.IntN(2) == 0 }

func (g *rowGenerator) artists(n int) (in, want []object) {
	for range n {
		name := g.next("artist")
		row, found := object{"name": name}, object{"name": name, "home": nil, "biography": nil}
		if g.coin() {
			code := g.next("c")
			row["home"] = object{"data": object{"code": code, "name": "of " + code}}
			found["home"] = object{"name": "of " + code}
		}
		if g.coin() {
			text := g.next("text")
			row["biography"] = object{"data": object{"text": text}}
			found["biography"] = object{"text": text}
		}
		albums, foundAlbums := g.albums(g.r.IntN(4))
		if len(albums) > 0 || g.coin() {
			row["albums"] = object{"data": albums}
		}
		found["albums"] = foundAlbums
		in, want = append(in, row), append(want, found)
	}
	return in, want
}

func (g *rowGenerator) albums(n int) (in, want []object) {
	in, want = []object{}, []object{}
	for range n {
		title := g.next("album")
		row, found := object{"title": title}, object{"title": title, "sold": 0}
		if g.coin() {
			row["sold"], found["sold"] = g.name, g.name
		}
		tracks, foundTracks := []object{}, []object{}
		for range g.r.IntN(4) {
			title := g.next("track")
			track, foundTrack := object{"title": title}, object{"title": title, "seconds": nil}
			if g.coin() {
				track["seconds"], foundTrack["seconds"] = g.name, g.name
			}
			tracks, foundTracks = append(tracks, track), append(foundTracks, foundTrack)
		}
		if len(tracks) > 0 || g.coin() {
			row["tracks"] = object{"data": tracks}
		}
		found["tracks"] = foundTracks
		in, want = append(in, row), append(want, found)
	}
	return in, want
}

// spell writes a value as GraphQL.
func spell(v any) string {
	switch v := v.(type) {
	case []object:
		text := "["
		for _, item := range v {
			text += spell(item) + " "
		}
		return text + "]"
	case object:
		text := "{"
		for key, member := range v {
			text += key + ": " + spell(member) + " "
		}
		return text + "}"
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}
