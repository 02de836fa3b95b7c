package sample

import (
	"fmt"
	"iter"
	"math/big"
	"sort"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// Size is how many rows the shop has.
type Size struct {
	Name                           string
	Artists, Albums, Tracks        int
	Playlists, PlaylistTracks      int
	Employees, Customers, Invoices int
}

// The two sizes.
var (
	Small = Size{
		Name: "small", Artists: 275, Albums: 350, Tracks: 3_500, Playlists: 18, PlaylistTracks: 9_000,
		Employees: 8, Customers: 60, Invoices: 400,
	}
	Large = Size{
		Name: "large", Artists: 40_000, Albums: 100_000, Tracks: 1_000_000, Playlists: 5_000,
		PlaylistTracks: 1_500_000, Employees: 200, Customers: 20_000, Invoices: 200_000,
	}
)

// Table is the rows of one table, in the order of their keys.
type Table struct {
	Name    string
	Columns []string
	Rows    iter.Seq[[]any]
}

// Tables are all tables of a size; each comes after those that it refers to.
func (s Size) Tables() []Table {
	albums := s.layOutAlbums()
	return []Table{
		{"artists", []string{"id", "name", "country", "formed"}, numbered(s.Artists, artist)},
		{"albums", []string{"id", "title", "artist_id", "released"}, numbered(s.Albums, s.album)},
		{"genres", []string{"id", "name"}, names(genres)},
		{"media_types", []string{"id", "name"}, names(mediaTypes)},
		{
			"tracks",
			[]string{"id", "name", "album_id", "media_type_id", "genre_id", "composer", "duration_ms", "bytes", "unit_price"},
			numbered(s.Tracks, albums.track),
		},
		{"playlists", []string{"id", "name"}, numbered(s.Playlists, playlist)},
		{"playlist_tracks", []string{"playlist_id", "track_id", "position"}, s.playlistTracks},
		{
			"employees",
			[]string{"id", "first_name", "last_name", "title", "reports_to", "email", "hired_on", "city", "country"},
			numbered(s.Employees, employee),
		},
		{
			"customers",
			[]string{
				"id", "first_name", "last_name", "company", "email", "phone", "address", "city", "postal_code",
				"country", "support_rep_id",
			},
			numbered(s.Customers, customer),
		},
		{
			"invoices",
			[]string{"id", "customer_id", "invoice_date", "billing_address", "billing_city", "billing_country", "total"},
			numbered(s.Invoices, s.invoice),
		},
		{"invoice_lines", []string{"id", "invoice_id", "track_id", "unit_price", "quantity"}, s.invoiceLines},
	}
}

func numbered(n int, row func(id int) []any) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for id := 1; id <= n; id++ {
			if !yield(row(id)) {
				return
			}
		}
	}
}

func names(list []weighted) iter.Seq[[]any] {
	return numbered(len(list), func(id int) []any { return []any{id, list[id-1].name} })
}

func artist(id int) []any {
	r := rowRandom(artistRows, id)
	name := person(r)
	switch r.below(4) {
	case 0:
		name = "The " + pick(r, adjectives) + " " + pick(r, nouns) + "s"
	case 1:
		name = pick(r, nouns) + " " + pick(r, nouns)
	case 2:
		name = pick(r, adjectives) + " " + pick(r, nouns)
	}
	var formed any // not known for all
	if r.chance(85) {
		formed = int16(r.between(1955, 2020))
	}
	return []any{id, name, pick(r, places).country, formed}
}

func (s Size) album(id int) []any {
	r := rowRandom(albumRows, id)
	title := pick(r, adjectives) + " " + pick(r, nouns)
	if r.chance(40) {
		title = pick(r, openings) + " " + pick(r, nouns)
	}
	released := time.Date(r.between(1965, 2025), time.Month(r.between(1, 12)), r.between(1, 28), 0, 0, 0, 0, time.UTC)
	return []any{id, title, 1 + r.below(s.Artists), released}
}

// layout assigns tracks to albums: those from its first to the one before the next album's first. All
// tracks of an album share its genre.
type layout struct {
	firsts []int
	genres []int
}

func (s Size) layOutAlbums() layout {
	l := layout{firsts: make([]int, s.Albums), genres: make([]int, s.Albums)}
	const spread = 6
	// Every so many albums the genres take turns, so that none of them is empty.
	const turn = 14
	each := s.Tracks / s.Albums
	for i := range l.firsts {
		r := rowRandom(albumSizes, i)
		l.firsts[i] = 1 + i*each
		if i > 0 {
			l.firsts[i] += r.between(0, spread) - spread/2
		}
		l.genres[i] = 1 + r.weigh(genres)
		if i%turn == 0 {
			l.genres[i] = 1 + i/turn%len(genres)
		}
	}
	return l
}

func (l layout) track(id int) []any {
	album := sort.SearchInts(l.firsts, id+1) // of the albums that start after this track, the one before
	r := rowRandom(trackRows, id)
	name := pick(r, nouns)
	switch r.below(4) {
	case 0:
		name = pick(r, openings) + " " + name
	case 1, 2:
		name = pick(r, adjectives) + " " + name
	}
	var composer any
	if r.chance(72) {
		who := []string{person(r)}
		for range r.early(4) {
			who = append(who, person(r))
		}
		composer = strings.Join(who, ", ")
	}
	ms := r.between(95_000, 330_000) + r.early(260_000)
	return []any{
		id, name, album, 1 + r.weigh(mediaTypes), l.genres[album-1], composer, ms,
		ms*32 + r.below(90_000), money(trackCents(id)),
	}
}

func trackCents(id int) int {
	if rowRandom(trackRows, -id).chance(6) {
		return 199
	}
	return 99
}

func playlist(id int) []any {
	name := listNames[(id-1)%len(listNames)]
	if id > len(listNames) {
		name = fmt.Sprintf("%s %d", name, (id-1)/len(listNames)+1)
	}
	return []any{id, name}
}

// playlistTracks gives the n-th list a share of about 1/n, a run of neighbouring tracks:
// a list has whole albums, and not all genres.
func (s Size) playlistTracks(yield func([]any) bool) {
	shares := 0.0
	for id := 1; id <= s.Playlists; id++ {
		shares += 1 / float64(id)
	}
	left := s.PlaylistTracks
	for id := 1; id <= s.Playlists; id++ {
		n := int(float64(s.PlaylistTracks) / shares / float64(id))
		if id == s.Playlists {
			n = left
		}
		n = min(n, left, s.Tracks)
		left -= n
		first := rowRandom(playlistRows, id).below(s.Tracks)
		for i := range n {
			if !yield([]any{id, 1 + (first+i)%s.Tracks, i + 1}) {
				return
			}
		}
	}
}

func employee(id int) []any {
	r := rowRandom(employeeRows, id)
	first, last, p := pick(r, firstNames), pick(r, lastNames), pick(r, places)
	var boss any
	switch {
	case id == 2 || id == 6:
		boss = 1
	case id > 1:
		boss = []int{2, 6}[r.below(2)]
	}
	hired := time.Date(r.between(2010, 2023), time.Month(r.between(1, 12)), r.between(1, 28), 0, 0, 0, 0, time.UTC)
	title := supportAgent
	if id <= len(titles) {
		title = titles[id-1]
	}
	return []any{id, first, last, title, boss, fmt.Sprintf("employee%d@shop.example", id), hired, p.city, p.country}
}

func customer(id int) []any {
	r := rowRandom(customerRows, id)
	first, last, p := pick(r, firstNames), pick(r, lastNames), pick(r, places)
	var company, phone, postal any
	if r.chance(20) {
		company = pick(r, companies)
	}
	if r.chance(90) {
		phone = fmt.Sprintf("+%d %d", r.between(1, 99), r.between(10_000_000, 99_999_999))
	}
	if r.chance(95) {
		postal = fmt.Sprintf("%05d", r.below(100_000))
	}
	return []any{
		id, first, last, company, fmt.Sprintf("customer%d@mail.example", id), phone, address(r), p.city, postal,
		p.country, 3 + r.below(3), // the support agents of every size
	}
}

func address(r *random) string {
	return fmt.Sprintf("%d %s", r.between(1, 240), pick(r, streets))
}

func (s Size) invoice(id int) []any {
	r := rowRandom(invoiceRows, id)
	first := time.Date(2021, 1, 1, 8, 0, 0, 0, time.UTC)
	step := 5 * 365 * 24 * time.Hour / time.Duration(s.Invoices)
	at := first.Add(time.Duration(id-1) * step).Add(time.Duration(r.below(36_000)) * time.Second).Truncate(time.Second)
	total := 0
	for _, l := range s.lines(id) {
		total += l.cents * l.quantity
	}
	p := pick(r, places)
	return []any{id, 1 + r.below(s.Customers), at, address(r), p.city, p.country, money(total)}
}

type line struct{ track, cents, quantity int }

// lines are the lines of one invoice.
func (s Size) lines(invoice int) []line {
	r := rowRandom(lineRows, invoice)
	lines := make([]line, 1+r.early(10)+r.below(6))
	for i := range lines {
		track := 1 + r.below(s.Tracks)
		lines[i] = line{track: track, cents: trackCents(track), quantity: 1}
		if r.chance(5) {
			lines[i].quantity = 2
		}
	}
	return lines
}

func (s Size) invoiceLines(yield func([]any) bool) {
	id := 0
	for invoice := 1; invoice <= s.Invoices; invoice++ {
		for _, l := range s.lines(invoice) {
			id++
			if !yield([]any{id, invoice, l.track, money(l.cents), l.quantity}) {
				return
			}
		}
	}
}

func person(r *random) string { return pick(r, firstNames) + " " + pick(r, lastNames) }

func money(cents int) pgtype.Numeric {
	return pgtype.Numeric{Int: big.NewInt(int64(cents)), Exp: -2, Valid: true}
}
