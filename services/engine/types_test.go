package engine_test

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
)

// UUID is an array that encodes itself as text.
type UUID [16]byte

func (u UUID) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(u[:])), nil }

func (u *UUID) UnmarshalText(text []byte) error {
	_, err := hex.Decode(u[:], []byte(strings.ReplaceAll(string(text), "-", "")))
	return err
}

// Decimal takes and encodes text only.
type Decimal struct{ text string }

func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.text), nil }

func (d *Decimal) UnmarshalText(text []byte) error {
	if strings.Trim(string(text), "-.0123456789") != "" {
		return errors.New("no decimal")
	}
	d.text = string(text)
	return nil
}

// Mood is an enum.
type Mood string

func (Mood) EnumValues() []string { return []string{"good", "bad"} }

// Money is a type with a name of its own choice.
type Money int64

func (Money) GraphQLType() string { return "money" }

// Word is a text that can't be empty.
type Word string

func (w Word) MarshalText() ([]byte, error) {
	if w == "" {
		return nil, errors.New("an empty word")
	}
	return []byte(w), nil
}

// goType is a Go type as an action has it.
type goType struct {
	name, graphql string
	// forms are values of clients and databases, each with how an action returns it.
	forms  [][2]string
	listed bool
	option func(action string) engine.Option
}

// typeOf lists forms, each value followed by how it is returned.
func typeOf[T any](name, graphql string, forms ...string) goType {
	type box struct {
		V T `json:"v"`
	}
	var pairs [][2]string
	for pair := range slices.Chunk(forms, 2) {
		pairs = append(pairs, [2]string(pair))
	}
	return goType{name, graphql, pairs, name != "", func(action string) engine.Option {
		return engine.Action(action, func(_ context.Context, in box) (T, error) { return in.V, nil }, engine.Query())
	}}
}

const large = "9007199254740993" // which no float64 is

var goTypes = []goType{
	typeOf[string]("string", "String!", `"a"`, `"a"`),
	typeOf[bool]("bool", "Boolean!", `true`, `true`),
	typeOf[int]("int", "Int!", `7`, `7`),
	typeOf[int8]("int8", "Int!", `7`, `7`),
	typeOf[int16]("int16", "Int!", `7`, `7`),
	typeOf[int32]("int32", "Int!", `7`, `7`),
	typeOf[uint8]("uint8", "Int!", `7`, `7`),
	typeOf[uint16]("uint16", "Int!", `7`, `7`),
	typeOf[int64]("int64", "bigint!", large, large, `"`+large+`"`, large, `"-1"`, `-1`),
	typeOf[uint32]("uint32", "bigint!", `7`, `7`, `"7"`, `7`),
	typeOf[uint]("uint", "bigint!", large, large, `"`+large+`"`, large),
	typeOf[uint64]("uint64", "numeric!", `18446744073709551615`, `18446744073709551615`, `"18446744073709551615"`, `18446744073709551615`),
	typeOf[*big.Int]("*big.Int", "numeric", `123456789012345678901`, `123456789012345678901`, `"123456789012345678901"`, `123456789012345678901`, `null`, `null`),
	typeOf[big.Int]("*big.Int", "numeric!", `"123456789012345678901"`, `123456789012345678901`),
	typeOf[json.Number]("json.Number", "numeric!", `1.50`, `1.50`, `"1.50"`, `1.50`),
	typeOf[float32]("float32", "Float!", `1.5`, `1.5`),
	typeOf[float64]("float64", "Float!", `1.5`, `1.5`),
	typeOf[Decimal]("Decimal", "numeric!", `12.50`, `"12.50"`, `"12.50"`, `"12.50"`),
	typeOf[*big.Float]("*big.Float", "numeric", `1.5`, `"1.5"`, `"1.5"`, `"1.5"`),
	typeOf[Money]("", "money!", `7`, `7`, `"7"`, `7`),
	typeOf[time.Time]("time.Time", "timestamptz!", `"2100-01-02T03:04:05.6+02:00"`, `"2100-01-02T03:04:05.6+02:00"`, `"2100-01-02T03:04:05"`, `"2100-01-02T03:04:05Z"`,
		`"2100-01-02 03:04:05+02"`, `"2100-01-02T03:04:05+02:00"`, `"2100-01-02"`, `"2100-01-02T00:00:00Z"`, `"03:04:05"`, `"0000-01-01T03:04:05Z"`,
		`"1800-01-01T00:53:28+00:53:28"`, `"1800-01-01T00:00:00Z"`),
	typeOf[time.Duration]("time.Duration", "bigint!", `7`, `7`, `"7"`, `7`),
	typeOf[UUID]("UUID", "uuid!", `"00112233-4455-6677-8899-aabbccddeeff"`, `"00112233445566778899aabbccddeeff"`),
	typeOf[[]byte]("[]byte", "String!", `"aGk="`, `"aGk="`, `"\\x6869"`, `"aGk="`),
	typeOf[json.RawMessage]("json.RawMessage", "jsonb", `{"a":"1"}`, `{"a":"1"}`),
	typeOf[Word]("", "String!", `"a"`, `"a"`),
	typeOf[any]("any", "jsonb", `["1"]`, `["1"]`),
	typeOf[map[string]int64]("", "jsonb", `{"a":1,"b":"`+large+`"}`, `{"a":1,"b":`+large+`}`),
	typeOf[Mood]("", "Mood!", `"good"`, `"good"`),
	typeOf[[]int64]("", "[bigint!]!", `[1,"`+large+`"]`, `[1,`+large+`]`),
	typeOf[[2]byte]("", "[Int!]!", `[1,2]`, `[1,2]`),
	typeOf[*int64]("", "bigint", `"1"`, `1`, `null`, `null`),
}

// TestTypesOfActionsInGo sends each Go type the forms of its values, and has docs/go.md list what it is in GraphQL.
func TestTypesOfActionsInGo(t *testing.T) {
	t.Parallel()
	var options []engine.Option
	for i, c := range goTypes {
		options = append(options, c.option(fmt.Sprintf("echo%d", i)))
	}
	m := mount(t, false, options...)
	m.metadata(`{"type":"set_custom_types","args":{"enums":[{"name":"Mood","values":[{"value":"good"},{"value":"bad"}]}],"input_objects":[{"name":"Other","fields":[{"name":"x","type":"Int"}]}],
		"scalars":[{"name":"bigint"},{"name":"numeric"},{"name":"timestamptz"},{"name":"uuid"},{"name":"jsonb"},{"name":"money"}]}}`)
	listed := documentedTypes(t)
	for i, c := range goTypes {
		create := func(input string) (int, string) {
			return m.post("/v1/metadata", fmt.Sprintf(`{"type":"create_action","args":{"name":"echo%d","definition":{"type":"query","handler":"go://echo%d","arguments":[{"name":"v","type":%q}],"output_type":%q}}}`,
				i, i, input, strings.ReplaceAll(c.graphql, "Mood", "String")), admin) // actions have no enums as output
		}
		_, refused := create("[[Other]]")
		require.Contains(t, refused, "the handler takes "+c.graphql+", the metadata has [[Other]]", c.name)
		status, answer := create(c.graphql)
		require.Equal(t, 200, status, "%s: %s", c.name, answer)
		for _, f := range c.forms {
			_, got := m.post("/v1/graphql", fmt.Sprintf(`{"query":"query ($v: %s) { echo: echo%d(v: $v) }","variables":{"v":%s}}`, c.graphql, i, f[0]), admin)
			require.Equal(t, `{"data":{"echo":`+f[1]+`}}`, strings.ReplaceAll(got, " ", ""), "%s: %s", c.name, f[0])
		}
		if c.listed {
			require.Equal(t, strings.Trim(c.graphql, "!"), listed[c.name], "docs/go.md, %s", c.name)
		}
	}
	for name := range listed {
		require.True(t, slices.ContainsFunc(goTypes, func(c goType) bool { return c.name == name }), "docs/go.md lists %s", name)
	}
}

// documentedTypes are the scalars of docs/go.md by their Go types.
func documentedTypes(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/go.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "\n### Types\n")
	table, _, _ = strings.Cut(table, "\n### ")
	listed := map[string]string{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) == 6 {
			for _, name := range regexp.MustCompile("`[^`]+`").FindAllString(cells[1], -1) {
				graphql, _, _ := strings.Cut(cells[2], ",")
				listed[strings.Trim(name, "`")] = strings.Trim(graphql, " `")
			}
		}
	}
	return listed
}

// everything is a row with a column of each type of PostgreSQL that columns may have, in the Go types that docs/go.md names.
type everything struct {
	Smallint    int16              `json:"smallint" pg:"7"`
	Integer     int                `json:"integer" pg:"7"`
	Bigint      int64              `json:"bigint" pg:"9007199254740993"`
	Real        float32            `json:"real" pg:"1.5"`
	Double      float64            `json:"double" type:"double precision" pg:"1.5"`
	Numeric     Decimal            `json:"numeric" pg:"12.50"`
	NumericNum  json.Number        `json:"number" type:"numeric" pg:"12.50"`
	Whole       *big.Int           `json:"whole" type:"numeric(30)" pg:"123456789012345678901"`
	NaN         string             `json:"nan" type:"numeric" pg:"NaN"`
	Boolean     bool               `json:"boolean" pg:"true"`
	Timestamp   time.Time          `json:"timestamp" pg:"2100-01-02 03:04:05.6"`
	Timestamptz time.Time          `json:"timestamptz" pg:"2100-01-02 03:04:05+02"`
	Date        time.Time          `json:"date" pg:"2100-01-02"`
	Time        time.Time          `json:"time" pg:"03:04:05.6"`
	Timetz      time.Time          `json:"timetz" pg:"03:04:05+02"`
	Interval    string             `json:"interval" pg:"1 mon 02:03:04"`
	Text        string             `json:"text" pg:"a"`
	Varchar     string             `json:"varchar" type:"varchar(5)" pg:"a"`
	Char        string             `json:"char" type:"char(2)" pg:"a"`
	Byte        string             `json:"byte" type:"\"char\"" pg:"a"`
	Name        string             `json:"name" pg:"a"`
	Citext      string             `json:"citext" pg:"a"`
	Bytea       []byte             `json:"bytea" pg:"\\x6869"`
	UUID        UUID               `json:"uuid" pg:"00112233-4455-6677-8899-aabbccddeeff"`
	JSON        json.RawMessage    `json:"json" pg:"[1]"`
	JSONB       map[string]any     `json:"jsonb" pg:"{\"a\": 1}"`
	XML         string             `json:"xml" pg:"<a/>"`
	Money       string             `json:"money" pg:"1.50"`
	Bit         string             `json:"bit" type:"bit(2)" pg:"10"`
	Varbit      string             `json:"varbit" pg:"10"`
	Inet        string             `json:"inet" pg:"10.0.0.1"`
	CIDR        string             `json:"cidr" pg:"10.0.0.0/8"`
	Macaddr     string             `json:"macaddr" pg:"08:00:2b:01:02:03"`
	Macaddr8    string             `json:"macaddr8" pg:"08:00:2b:01:02:03:04:05"`
	Point       string             `json:"point" pg:"(1,2)"`
	Line        string             `json:"line" pg:"{1,2,3}"`
	Lseg        string             `json:"lseg" pg:"[(1,2),(3,4)]"`
	Box         string             `json:"box" pg:"(3,4),(1,2)"`
	Path        string             `json:"path" pg:"((1,2),(3,4))"`
	Polygon     string             `json:"polygon" pg:"((1,2),(3,4))"`
	Circle      string             `json:"circle" pg:"<(1,2),3>"`
	Tsvector    string             `json:"tsvector" pg:"'a' 'b'"`
	Tsquery     string             `json:"tsquery" pg:"'a'"`
	Jsonpath    string             `json:"jsonpath" pg:"$.\"a\""`
	Int4range   string             `json:"int4range" pg:"[1,3)"`
	Int8range   string             `json:"int8range" pg:"[1,3)"`
	Numrange    string             `json:"numrange" pg:"[1,3)"`
	Daterange   string             `json:"daterange" pg:"[2100-01-02,2100-01-03)"`
	Tsrange     string             `json:"tsrange" pg:"empty"`
	Tstzrange   string             `json:"tstzrange" pg:"empty"`
	Multirange  string             `json:"int4multirange" pg:"{[1,3)}"`
	OID         uint32             `json:"oid" pg:"7"`
	Regclass    string             `json:"regclass" pg:"people"`
	LSN         string             `json:"pg_lsn" pg:"0/1"`
	Snapshot    string             `json:"pg_snapshot" pg:"1:1:"`
	Xid         string             `json:"xid8" pg:"7"`
	Ltree       string             `json:"ltree" pg:"a.b"`
	Hstore      map[string]*string `json:"hstore" pg:"\"a\"=>\"1\",\"b\"=>NULL"`
	Geometry    json.RawMessage    `json:"geometry" pg:"POINT(1 2)"`
	Geography   json.RawMessage    `json:"geography" pg:"POINT(1 2)"`
	Mood        Mood               `json:"mood" pg:"good"`
	Pair        pair               `json:"pair" pg:"(1,2100-01-02)"`
	Positive    int64              `json:"positive" pg:"9007199254740993"`
	Ints        []int64            `json:"ints" type:"bigint[]" pg:"{1,9007199254740993}"`
	Texts       []*string          `json:"texts" type:"text[]" pg:"{a,NULL}"`
	Times       []time.Time        `json:"times" type:"timestamp[]" pg:"{\"2100-01-02 03:04:05\"}"`
	Matrix      [][]int            `json:"matrix" type:"integer[]" pg:"{{1,2},{3,4}}"`
	Pairs       []pair             `json:"pairs" type:"pair[]" pg:"{\"(1,2100-01-02)\"}"`
	Null        *time.Time         `json:"null" type:"timestamp"`
}

// row is the row as a handler encodes it.
const row = `{"smallint":7,"integer":7,"bigint":9007199254740993,"real":1.5,"double":1.5,"numeric":"12.50","number":12.50,"whole":123456789012345678901` +
	`,"nan":"NaN","boolean":true,"timestamp":"2100-01-02T03:04:05.6Z","timestamptz":"2100-01-02T01:04:05Z","date":"2100-01-02T00:00:00Z"` +
	`,"time":"0000-01-01T03:04:05.6Z","timetz":"0000-01-01T03:04:05+02:00","interval":"1 mon 02:03:04","text":"a","varchar":"a","char":"a "` +
	`,"byte":"a","name":"a","citext":"a","bytea":"aGk=","uuid":"00112233445566778899aabbccddeeff","json":[1],"jsonb":{"a":1}` +
	`,"xml":"\u003ca/\u003e","money":"$1.50","bit":"10","varbit":"10","inet":"10.0.0.1","cidr":"10.0.0.0/8","macaddr":"08:00:2b:01:02:03"` +
	`,"macaddr8":"08:00:2b:01:02:03:04:05","point":"(1,2)","line":"{1,2,3}","lseg":"[(1,2),(3,4)]","box":"(3,4),(1,2)","path":"((1,2),(3,4))"` +
	`,"polygon":"((1,2),(3,4))","circle":"\u003c(1,2),3\u003e","tsvector":"'a' 'b'","tsquery":"'a'","jsonpath":"$.\"a\"","int4range":"[1,3)"` +
	`,"int8range":"[1,3)","numrange":"[1,3)","daterange":"[2100-01-02,2100-01-03)","tsrange":"empty","tstzrange":"empty"` +
	`,"int4multirange":"{[1,3)}","oid":7,"regclass":"people","pg_lsn":"0/1","pg_snapshot":"1:1:","xid8":"7","ltree":"a.b","hstore":{"a":"1"` +
	`,"b":null},"geometry":{"type":"Point","coordinates":[1,2]},"geography":{"type":"Point","coordinates":[1,2]},"mood":"good","pair":{"n":1` +
	`,"at":"2100-01-02T00:00:00Z"},"positive":9007199254740993,"ints":[1,9007199254740993],"texts":["a",null],"times":["2100-01-02T03:04:05Z"]` +
	`,"matrix":[[1,2],[3,4]],"pairs":[{"n":1,"at":"2100-01-02T00:00:00Z"}],"null":null}`

type pair struct {
	N  int64     `json:"n"`
	At time.Time `json:"at"`
}

// TestRowsOfEveryTypeInGo has an event's row with a column of each type in a struct, with numbers as such and as text.
func TestRowsOfEveryTypeInGo(t *testing.T) {
	t.Parallel()
	rows := make(chan everything, 10)
	var columns, values, types []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[everything]()) {
		name := f.Tag.Get("json")
		column, value := cmp.Or(f.Tag.Get("type"), name), "NULL"
		if text, ok := f.Tag.Lookup("pg"); ok {
			value = "'" + strings.ReplaceAll(text, "'", "''") + "'"
		}
		columns, values, types = append(columns, pgx.Identifier{name}.Sanitize()+" "+column), append(values, value), append(types, "'"+column+"'::regtype")
	}
	for _, settings := range [][]string{nil, {"--stringify-numeric-types"}} {
		m := mountWith(t, false, settings, engine.OnEvent("watch", func(ctx context.Context, e engine.Event[everything]) error {
			var found struct {
				Everything []struct {
					Bigint    int64
					Timestamp time.Time
				}
			}
			if err := engine.ClientOf(ctx).As("admin", nil).Run(ctx, `{ everything { bigint timestamp } }`, nil, &found); err != nil {
				return err
			}
			e.New.Bigint, e.New.Timestamp = found.Everything[0].Bigint, found.Everything[0].Timestamp
			rows <- *e.New
			return nil
		}))
		if m.count(`SELECT count(*) FROM pg_available_extensions WHERE name = 'postgis'`) == 0 {
			t.Skip("PostGIS is not installed")
		}
		m.sql(`CREATE EXTENSION citext; CREATE EXTENSION hstore; CREATE EXTENSION ltree; CREATE EXTENSION postgis;
			CREATE TYPE mood AS ENUM ('good', 'bad'); CREATE TYPE pair AS (n bigint, at timestamp); CREATE DOMAIN positive AS bigint CHECK (VALUE > 0)`)
		m.sql("CREATE TABLE everything (" + strings.Join(columns, ", ") + ")")
		require.Zero(t, m.count(`SELECT count(*) FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r') AND typcategory NOT IN ('A', 'Z')
			AND typname !~ '^(reg.*|.id|refcursor|txid_snapshot|aclitem|gtsvector|pg_node_tree)$' AND oid NOT IN (`+strings.Join(types, ", ")+")"), "types without a column")
		m.metadata(`{"type":"pg_track_table","args":{"table":"everything"}}`)
		m.metadata(`{"type":"pg_create_event_trigger","args":{"name":"watch","table":"everything","webhook":"go://watch","insert":{"columns":"*"}}}`)
		m.sql("INSERT INTO everything VALUES (" + strings.Join(values, ", ") + ")")
		select {
		case got := <-rows:
			got.Timestamptz = got.Timestamptz.UTC()
			text, err := json.Marshal(got)
			require.NoError(t, err)
			require.Equal(t, row, string(text), settings)
		case <-time.After(patience):
			t.Fatal(m.log.String())
		}
	}
}

// Common is embedded next to Other and below Shared, which have fields of the same names.
type Common struct {
	Key  int    `json:"id"`
	Name string `json:"base"`
}

// Other is embedded next to Common.
type Other struct {
	Kind  int
	Label string `json:"Kind"`
}

// Shared has fields as package json sees them: id is a text, Kind is Label, name and base are two.
type Shared struct {
	Common
	Other
	ID   string `json:"id"`
	Name string `json:"name"`
}

// TestFieldsOfOneName: of fields with one name in JSON, metadata has the one that package json takes.
func TestFieldsOfOneName(t *testing.T) {
	t.Parallel()
	m := mount(t, false, engine.Action("same", func(_ context.Context, in Shared) (Shared, error) { return in, nil }, engine.Query()))
	fields := `[{"name":"base","type":"String!"},{"name":"Kind","type":"String!"},{"name":"id","type":"String!"},{"name":"name","type":"String!"}]`
	m.metadata(`{"type":"set_custom_types","args":{"objects":[{"name":"Shared","fields":` + fields + `}]}}`)
	m.metadata(`{"type":"create_action","args":{"name":"same","definition":{"type":"query","handler":"go://same","output_type":"Shared!","arguments":` + fields + `}}}`)
	require.JSONEq(t, `{"data":{"same":{"base":"a","Kind":"b","id":"c","name":"d"}}}`,
		m.query(`{ same(base: "a", Kind: "b", id: "c", name: "d") { base Kind id name } }`, admin))
}
