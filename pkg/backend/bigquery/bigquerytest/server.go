package bigquerytest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"
)

// Project is a project to name; a Server takes others, too.
const Project = "demo"

// Server is one project over one database of PostgreSQL. Requests are answered one at a time.
type Server struct {
	// URL is the address to give to a source as its endpoint.
	URL string

	t    testing.TB
	conn *pgconn.PgConn
	mu   sync.Mutex
	// pageSize is how many rows a response has at most; results are the rest of the rows by their pages.
	pageSize int
	results  map[string]*page
}

// New starts a server over a database. It ends with the test.
func New(t testing.TB, databaseURL string) *Server {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "SET TimeZone = 'UTC'; SET bytea_output = 'hex'; SET jit = off; "+functions).ReadAll()
	require.NoError(t, err)
	s := &Server{t: t, conn: conn, pageSize: 7, results: map[string]*page{}}
	mux := http.NewServeMux()
	const project = "/bigquery/v2/projects/{project}"
	mux.HandleFunc("POST "+project+"/queries", s.query)
	mux.HandleFunc("GET "+project+"/queries/{job}", s.more)
	mux.HandleFunc("GET "+project+"/datasets/{dataset}/tables", s.tables)
	mux.HandleFunc("GET "+project+"/datasets/{dataset}/tables/{table}", s.table)
	mux.HandleFunc("GET "+project+"/datasets/{dataset}/routines", s.routines)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.Close()
		_ = conn.Close(t.Context())
	})
	s.URL = server.URL
	return s
}

// queryRequest is the body of jobs.query.
type queryRequest struct {
	Query           string
	DryRun          bool
	UseLegacySQL    *bool  `json:"useLegacySql"`
	ParameterMode   string `json:"parameterMode"`
	QueryParameters []struct {
		Name           string
		ParameterType  parameterType
		ParameterValue struct {
			Value       *string
			ArrayValues []struct{ Value *string }
		}
	}
}

type parameterType struct {
	Type      string
	ArrayType *parameterType
}

// page is a response of jobs.query and jobs.getQueryResults.
type page struct {
	JobComplete         bool              `json:"jobComplete"`
	JobReference        map[string]string `json:"jobReference"`
	TotalBytesProcessed string            `json:"totalBytesProcessed"`
	Schema              schema            `json:"schema"`
	Rows                []json.RawMessage `json:"rows,omitempty"`
	PageToken           string            `json:"pageToken,omitempty"`
}

type schema struct {
	Fields []field `json:"fields"`
}

type field struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Mode string `json:"mode,omitempty"`
}

func (s *Server) query(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var q queryRequest
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		fail(w, http.StatusBadRequest, "invalid", err.Error())
		return
	}
	if q.UseLegacySQL == nil || *q.UseLegacySQL {
		fail(w, http.StatusBadRequest, "invalid", "the statement is no legacy SQL")
		return
	}
	result, err := s.run(r, &q)
	if err != nil {
		fail(w, http.StatusBadRequest, "invalidQuery", err.Error())
		return
	}
	s.answer(w, result)
}

// answer writes a page and keeps the rows behind it.
func (s *Server) answer(w http.ResponseWriter, result *page) {
	if len(result.Rows) > s.pageSize {
		rest := *result
		rest.Rows = result.Rows[s.pageSize:]
		result.Rows = result.Rows[:s.pageSize]
		result.PageToken = strconv.Itoa(len(s.results) + 1)
		s.results[result.PageToken] = &rest
	}
	_ = json.NewEncoder(w).Encode(result)
}

func (s *Server) more(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	result, known := s.results[r.URL.Query().Get("pageToken")]
	if !known {
		fail(w, http.StatusNotFound, "notFound", "there is no such page")
		return
	}
	next := *result
	s.answer(w, &next)
}

// run runs a statement, or a query on INFORMATION_SCHEMA.
func (s *Server) run(r *http.Request, q *queryRequest) (*page, error) {
	t := &translator{places: map[string]int{}}
	var values [][]byte
	for i, p := range q.QueryParameters {
		if q.ParameterMode != "NAMED" {
			return nil, errors.New("parameters need a mode")
		}
		t.places[strings.ToLower(p.Name)] = i + 1
		name, list := p.ParameterType.Type, p.ParameterType.ArrayType != nil
		if list {
			name = p.ParameterType.ArrayType.Type
		}
		if typeNames[name] == "" {
			return nil, fmt.Errorf("a parameter of type %s", name)
		}
		if !list {
			t.types = append(t.types, typeNames[name])
			values = append(values, bytesOf(p.ParameterValue.Value))
			continue
		}
		t.types = append(t.types, typeNames[name]+"[]")
		items := make([]*string, len(p.ParameterValue.ArrayValues))
		for i, v := range p.ParameterValue.ArrayValues {
			items[i] = v.Value
		}
		text, err := pgTypes.Encode(pgtype.TextArrayOID, pgtype.TextFormatCode, items, nil)
		if err != nil {
			return nil, err
		}
		values = append(values, text)
	}
	text := catalogQuery(q.Query)
	if text == "" {
		text = t.statement(q.Query)
	}
	result := &page{JobComplete: true, JobReference: map[string]string{"jobId": "job", "location": "EU"}, TotalBytesProcessed: "1024", Schema: schema{Fields: []field{}}}
	if q.DryRun { // the statement is analysed, and not run
		_, err := s.conn.Prepare(lasting(r), "", text, nil)
		return result, err
	}
	read := s.conn.ExecParams(lasting(r), text, values, nil, nil, nil).Read()
	if read.Err != nil {
		s.t.Logf("%v\nof %s\nwhich is %s", read.Err, q.Query, text)
		return nil, read.Err
	}
	for _, f := range read.FieldDescriptions {
		result.Schema.Fields = append(result.Schema.Fields, field{Name: f.Name, Type: "STRING"})
	}
	for _, row := range read.Rows {
		cells := make([]json.RawMessage, len(row))
		for i, v := range row {
			cells[i] = cell(v, read.FieldDescriptions[i].DataTypeOID)
		}
		raw, err := json.Marshal(map[string]any{"f": cells})
		if err != nil {
			return nil, err
		}
		result.Rows = append(result.Rows, raw)
	}
	return result, nil
}

// pgTypes has how arrays are spelled.
var pgTypes = pgtype.NewMap()

func bytesOf(text *string) []byte {
	if text == nil {
		return nil
	}
	return []byte(*text)
}

// cell is a value of PostgreSQL as the REST API has it.
func cell(text []byte, oid uint32) json.RawMessage {
	var value any
	switch {
	case text == nil:
	case oid == pgtype.JSONOID:
		value = json.RawMessage(text)
	case oid == pgtype.BoolOID:
		value = strconv.FormatBool(text[0] == 't')
	case oid == pgtype.TimestampOID:
		value = strings.Replace(string(text), " ", "T", 1)
	case oid == pgtype.ByteaOID:
		raw, _ := hex.DecodeString(strings.TrimPrefix(string(text), `\x`))
		value = base64.StdEncoding.EncodeToString(raw)
	case bytes.HasPrefix(text, []byte("{")) && oid != pgtype.JSONBOID && oid != pgtype.TextOID:
		var items []*string
		_ = pgTypes.Scan(pgtype.TextArrayOID, pgtype.TextFormatCode, text, &items)
		list := make([]json.RawMessage, len(items))
		for i, item := range items {
			list[i] = cell(bytesOf(item), pgtype.TextOID)
		}
		value = list
	default:
		value = string(text)
	}
	raw, _ := json.Marshal(map[string]any{"v": value})
	return raw
}

// informationSchema is a statement that reads INFORMATION_SCHEMA of a dataset.
var informationSchema = regexp.MustCompile("`(\\w+)`\\.INFORMATION_SCHEMA\\.TABLES")

// columnType is an expression of the type of a column, as GoogleSQL has it.
const columnType = `(CASE data_type WHEN 'ARRAY' THEN 'ARRAY<' || CASE udt_name WHEN '_text' THEN 'STRING' WHEN '_timestamptz' THEN 'TIMESTAMP' ELSE 'FLOAT64' END || '>'
	WHEN 'text' THEN 'STRING' WHEN 'bigint' THEN 'INT64' WHEN 'integer' THEN 'INT64' WHEN 'double precision' THEN 'FLOAT64' WHEN 'boolean' THEN 'BOOL'
	WHEN 'timestamp with time zone' THEN 'TIMESTAMP' WHEN 'timestamp without time zone' THEN 'DATETIME' WHEN 'time without time zone' THEN 'TIME'
	WHEN 'bytea' THEN 'BYTES' WHEN 'jsonb' THEN 'JSON' ELSE upper(data_type) END)`

// catalogQuery is a statement that reads INFORMATION_SCHEMA as one of PostgreSQL; "" for any other.
func catalogQuery(text string) string {
	if strings.Contains(text, ".INFORMATION_SCHEMA.SEARCH_INDEXES") { // of the table @p1; there are none
		return `SELECT NULL::text, NULL::text, NULL::text, NULL::text, $1::text WHERE false`
	}
	found := informationSchema.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return `SELECT t.table_name, t.table_type, c.column_name, ` + columnType + `, c.is_nullable FROM information_schema.tables AS t
		JOIN information_schema.columns AS c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
		WHERE t.table_schema = '` + found[1] + `' AND c.column_name NOT LIKE '\_PARTITION%' ORDER BY t.table_name, c.ordinal_position`
}

// tables is tables.list.
func (s *Server) tables(w http.ResponseWriter, r *http.Request) {
	s.list(w, r, `SELECT json_build_object('tables', coalesce(json_agg(json_build_object('type', 'TABLE', 'tableReference', json_build_object('tableId', table_name))), '[]'))
		FROM information_schema.tables WHERE table_schema = $1`, r.PathValue("dataset"))
}

// table is tables.get.
func (s *Server) table(w http.ResponseWriter, r *http.Request) {
	s.list(w, r, `SELECT json_build_object('schema', json_build_object('fields', json_agg(json_build_object('name', column_name, 'type', `+columnType+`,
		'mode', CASE is_nullable WHEN 'NO' THEN 'REQUIRED' ELSE 'NULLABLE' END) ORDER BY ordinal_position)))
		FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2`, r.PathValue("dataset"), r.PathValue("table"))
}

func (s *Server) list(w http.ResponseWriter, r *http.Request, text string, args ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	read := s.conn.ExecParams(lasting(r), text, values, nil, nil, nil).Read()
	if read.Err != nil {
		fail(w, http.StatusInternalServerError, "internalError", read.Err.Error())
		return
	}
	_, _ = w.Write(read.Rows[0][0])
}

func fail(w http.ResponseWriter, status int, reason, message string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"code": status, "message": message, "errors": []any{map[string]string{"reason": reason, "message": message}},
	}})
}

// lasting is a context that doesn't end with the request: the driver would close the only connection when a client goes.
func lasting(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }
