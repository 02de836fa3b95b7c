package bench

import (
	"encoding/binary"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// rowsStatements read plain rows in the binary format and write the JSON by hand. Lists of
// nested objects come as joined rows.
var rowsStatements = map[string]statement{
	"Q1": {
		sql:  `SELECT id, name, composer, duration_ms, unit_price, album_id FROM tracks WHERE id = $1`,
		args: func(p parameters) []any { return []any{p.ID} },
		head: `{"data":{"tracks_by_pk":`, tail: `}}`,
		encode: func(out []byte, rows pgx.Rows) ([]byte, error) {
			if !rows.Next() {
				return append(out, "null"...), nil
			}
			v := rows.RawValues()
			out = appendInt(append(out, `{"id":`...), v[0])
			out = appendText(append(out, `,"name":`...), v[1])
			out = appendText(append(out, `,"composer":`...), v[2])
			out = appendInt(append(out, `,"duration_ms":`...), v[3])
			out = appendNumeric(append(out, `,"unit_price":`...), v[4])
			out = appendInt(append(out, `,"album_id":`...), v[5])
			return append(out, '}'), nil
		},
	},
	"Q2": {
		sql:  `SELECT id, name, album_id, duration_ms, unit_price FROM tracks ORDER BY id LIMIT 20`,
		head: `{"data":{"tracks":[`, tail: `]}}`,
		encode: list(func(out []byte, v [][]byte) []byte {
			out = appendInt(append(out, `{"id":`...), v[0])
			out = appendText(append(out, `,"name":`...), v[1])
			out = appendInt(append(out, `,"album_id":`...), v[2])
			out = appendInt(append(out, `,"duration_ms":`...), v[3])
			out = appendNumeric(append(out, `,"unit_price":`...), v[4])
			return append(out, '}')
		}),
	},
	"Q3": {
		sql: `SELECT ar.id, ar.name, al.id, al.title, t.id, t.name, t.duration_ms
			FROM (SELECT id, name FROM artists ORDER BY id LIMIT 50) ar
			LEFT JOIN LATERAL (SELECT id, title FROM albums WHERE artist_id = ar.id ORDER BY id LIMIT 10) al ON true
			LEFT JOIN LATERAL (SELECT id, name, duration_ms FROM tracks WHERE album_id = al.id ORDER BY id LIMIT 10) t ON true
			ORDER BY ar.id, al.id, t.id`,
		head: `{"data":{"artists":[`, tail: `]}}`, encode: artistRows,
	},
	"Q4": {
		sql: `SELECT id, name, composer, duration_ms FROM tracks WHERE genre_id = $1 AND duration_ms > $2
			ORDER BY duration_ms DESC, id LIMIT $3`,
		args: func(p parameters) []any { return []any{p.Genre, p.Min, p.Limit} },
		head: `{"data":{"tracks":[`, tail: `]}}`,
		encode: list(func(out []byte, v [][]byte) []byte {
			out = appendInt(append(out, `{"id":`...), v[0])
			out = appendText(append(out, `,"name":`...), v[1])
			out = appendText(append(out, `,"composer":`...), v[2])
			out = appendInt(append(out, `,"duration_ms":`...), v[3])
			return append(out, '}')
		}),
	},
	"Q5": {
		sql:  `SELECT count(*) FROM tracks WHERE genre_id = $1`,
		args: func(p parameters) []any { return []any{p.Genre} },
		head: `{"data":{"tracks_aggregate":{"aggregate":{"count":`, tail: `}}}}`,
		encode: func(out []byte, rows pgx.Rows) ([]byte, error) {
			if !rows.Next() {
				return out, rows.Err()
			}
			return strconv.AppendUint(out, binary.BigEndian.Uint64(rows.RawValues()[0]), 10), nil
		},
	},
	"Q6": {
		sql: `SELECT id, name, album_id, media_type_id, genre_id, composer, duration_ms, bytes, unit_price
			FROM tracks`,
		head: `{"data":{"tracks":[`, tail: `]}}`,
		encode: list(func(out []byte, v [][]byte) []byte {
			out = appendInt(append(out, `{"id":`...), v[0])
			out = appendText(append(out, `,"name":`...), v[1])
			out = appendInt(append(out, `,"album_id":`...), v[2])
			out = appendInt(append(out, `,"media_type_id":`...), v[3])
			out = appendInt(append(out, `,"genre_id":`...), v[4])
			out = appendText(append(out, `,"composer":`...), v[5])
			out = appendInt(append(out, `,"duration_ms":`...), v[6])
			out = appendInt(append(out, `,"bytes":`...), v[7])
			out = appendNumeric(append(out, `,"unit_price":`...), v[8])
			return append(out, '}')
		}),
	},
}

// list encodes each row as an element, with commas in between.
func list(element func(out []byte, v [][]byte) []byte) func([]byte, pgx.Rows) ([]byte, error) {
	return func(out []byte, rows pgx.Rows) ([]byte, error) {
		for first := true; rows.Next(); first = false {
			if !first {
				out = append(out, ',')
			}
			out = element(out, rows.RawValues())
		}
		return out, rows.Err()
	}
}

// artistRows nests joined rows: a new artist or album begins where its key changes.
func artistRows(out []byte, rows pgx.Rows) ([]byte, error) {
	const none = -1
	artist, album := int32(none), int32(none)
	for rows.Next() {
		v := rows.RawValues()
		if id := int4(v[0]); id != artist {
			if album != none {
				out = append(out, `]}`...)
			}
			if artist != none {
				out = append(out, `]},`...)
			}
			artist, album = id, none
			out = appendInt(append(out, `{"id":`...), v[0])
			out = appendText(append(out, `,"name":`...), v[1])
			out = append(out, `,"albums":[`...)
		}
		if v[2] == nil {
			continue
		}
		if id := int4(v[2]); id != album {
			if album != none {
				out = append(out, `]},`...)
			}
			album = id
			out = appendInt(append(out, `{"id":`...), v[2])
			out = appendText(append(out, `,"title":`...), v[3])
			out = append(out, `,"tracks":[`...)
		} else {
			out = append(out, ',')
		}
		if v[4] == nil {
			continue
		}
		out = appendInt(append(out, `{"id":`...), v[4])
		out = appendText(append(out, `,"name":`...), v[5])
		out = appendInt(append(out, `,"duration_ms":`...), v[6])
		out = append(out, '}')
	}
	if album != none {
		out = append(out, `]}`...)
	}
	if artist != none {
		out = append(out, `]}`...)
	}
	return out, rows.Err()
}

func int4(b []byte) int32 { return int32(binary.BigEndian.Uint32(b)) } //nolint:gosec // the wire format

func appendInt(out, b []byte) []byte {
	if b == nil {
		return append(out, "null"...)
	}
	return strconv.AppendInt(out, int64(int4(b)), 10)
}

func appendText(out, b []byte) []byte {
	if b == nil {
		return append(out, "null"...)
	}
	out = append(out, '"')
	start := 0
	for i, c := range b {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		out = append(out, b[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		default:
			const digits = "0123456789abcdef"
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(out, b[start:]...), '"')
}

// appendNumeric writes a numeric that is not negative: groups of four decimal digits, the
// weight of the first group, and the number of digits behind the point.
func appendNumeric(out, b []byte) []byte {
	if b == nil {
		return append(out, "null"...)
	}
	groups := int(binary.BigEndian.Uint16(b))
	weight := int(int16(binary.BigEndian.Uint16(b[2:]))) //nolint:gosec // the wire format
	scale := int(binary.BigEndian.Uint16(b[6:]))
	group := func(i int) int {
		if i < 0 || i >= groups {
			return 0
		}
		return int(binary.BigEndian.Uint16(b[8+2*i:]))
	}
	whole := 0
	for i := 0; i <= weight; i++ {
		whole = whole*10_000 + group(i)
	}
	out = strconv.AppendInt(out, int64(whole), 10)
	if scale == 0 {
		return out
	}
	out = append(out, '.')
	for i, left := weight+1, scale; left > 0; i, left = i+1, left-4 {
		g := group(i)
		for _, unit := range []int{1000, 100, 10, 1}[:min(left, 4)] {
			out = append(out, '0'+byte(g/unit%10)) //nolint:gosec // one digit
		}
	}
	return out
}
