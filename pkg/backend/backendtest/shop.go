package backendtest

import (
	"fmt"
	"strconv"
)

// Shop is the database that queries read: artists with their albums and tracks. Names, numbers
// and dates are missing here and there, a name needs quotes, and one table is Elsewhere.
func Shop() []Table {
	id := Column{Name: "id", Type: Integer, NotNull: true}
	key := []string{"id"}
	return []Table{
		{
			Name: "genre", Columns: []Column{id, {Name: "name", Type: Text, NotNull: true}}, Key: key, Unique: [][]string{{"name"}},
			Rows: [][]string{{"1", "Rock"}, {"2", "Jazz"}, {"3", "Silence"}},
		},
		{
			Name: "artist", Key: key,
			Columns: []Column{id, {Name: "name", Type: Text, NotNull: true}, {Name: "born", Type: Date}, {Name: "owner_id", Type: Integer}},
			Rows: [][]string{
				{"1", "Joni", "1943-11-07", "7"}, {"2", "Miles", "1926-05-26", "7"}, {"3", "Nobody", Null, Null}, {"4", `AC"DC`, Null, "8"},
			},
		},
		{
			Name: "album", Key: key,
			Columns: []Column{
				id,
				{Name: "title", Type: Text, NotNull: true},
				{Name: "artist_id", Type: Integer, References: "artist"},
				{Name: "released", Type: Timestamp},
				{Name: "meta", Type: Document},
				{Name: `odd "name`, Type: Text},
			},
			Rows: [][]string{
				{"1", "Blue", "1", "1971-06-22T00:00:00Z", `{"labels": ["Reprise", "WB"], "year": 1971}`, "odd"},
				{"2", "Hejira", "1", "1976-11-22T00:00:00Z", `{"labels": []}`, Null},
				{"3", "Kind of Blue", "2", "1959-08-17T12:30:00.5Z", Null, "x"},
				{"4", "Lost", Null, Null, "null", Null},
				{"5", "Powerage", "4", "9998-12-31T00:00:00Z", "[1, 2]", `"`},
			},
		},
		{
			Name: "track", Key: key,
			Columns: []Column{
				id,
				{Name: "album_id", Type: Integer, References: "album"},
				{Name: "genre_id", Type: Integer, References: "genre"},
				{Name: "title", Type: Text, NotNull: true},
				{Name: "seconds", Type: Integer},
				{Name: "price", Type: Decimal, NotNull: true},
				{Name: "plays", Type: Big},
				{Name: "mood", Type: Mood},
			},
			Rows: trackRows(),
		},
		{
			Name: "note", Elsewhere: true, Columns: []Column{{Name: "track_id", Type: Integer}, {Name: "body", Type: Text}},
			Rows: [][]string{{"1", "first"}, {"1", "second"}, {"2", Null}},
		},
	}
}

// trackRows are 40 tracks, with gaps of different periods in their columns.
func trackRows() [][]string {
	unless := func(missing bool, value int) string {
		if missing {
			return Null
		}
		return strconv.Itoa(value)
	}
	var rows [][]string
	for i := 1; i <= 40; i++ {
		mood := Null
		switch i % 4 {
		case 0:
			mood = "calm"
		case 1:
			mood = "loud"
		}
		rows = append(rows, []string{
			strconv.Itoa(i), unless(i%11 == 0, 1+i%4), unless(i%7 == 0, 1+i%2),
			fmt.Sprintf("track %d", i), unless(i%5 == 0, 100+i*37%300),
			fmt.Sprintf("%.2f", 0.5+float64(i%9)/4), unless(i%3 == 0, i*1000000007), mood,
		})
	}
	return rows
}
