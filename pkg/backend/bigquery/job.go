package bigquery

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
)

// waitTime is how long one request waits for a job to end.
const waitTime = 2 * time.Second

// cancelTime is how long the request that cancels a job may take.
const cancelTime = 10 * time.Second

// queryRequest is the body of jobs.query.
type queryRequest struct {
	Query              string            `json:"query"`
	UseLegacySQL       bool              `json:"useLegacySql"`
	ParameterMode      string            `json:"parameterMode,omitempty"`
	QueryParameters    []queryParameter  `json:"queryParameters,omitempty"`
	TimeoutMs          int64             `json:"timeoutMs,omitempty"`
	JobTimeoutMs       string            `json:"jobTimeoutMs,omitempty"`
	MaximumBytesBilled string            `json:"maximumBytesBilled,omitempty"`
	Location           string            `json:"location,omitempty"`
	Labels             map[string]string `json:"labels,omitempty"`
	RequestID          string            `json:"requestId,omitempty"`
	DryRun             bool              `json:"dryRun,omitempty"`
	// purpose is what the query is for, in metrics.
	purpose string
}

// The purposes of queries.
const (
	purposeQuery         = "query"
	purposeSQL           = "run_sql"
	purposeIntrospection = "introspection"
)

// page is a response of jobs.query and jobs.getQueryResults.
type page struct {
	JobComplete  bool `json:"jobComplete"`
	JobReference struct {
		JobID    string `json:"jobId"`
		Location string `json:"location"`
	} `json:"jobReference"`
	Schema struct {
		Fields []tableField `json:"fields"`
	} `json:"schema"`
	PageToken           string `json:"pageToken"`
	TotalBytesProcessed string `json:"totalBytesProcessed"`
}

// read reads a response, and hands its rows on one by one. A row is valid until f returns.
func (p *page) read(r io.Reader, f func(row []byte) error) error {
	d := json.NewDecoder(r)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return cmp.Or(err, errResponse)
	}
	var ignored, row json.RawMessage
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		switch key {
		case "rows":
			err = rows(d, &row, f)
		case "jobComplete":
			err = d.Decode(&p.JobComplete)
		case "jobReference":
			err = d.Decode(&p.JobReference)
		case "schema":
			err = d.Decode(&p.Schema)
		case "pageToken":
			err = d.Decode(&p.PageToken)
		case "totalBytesProcessed":
			err = d.Decode(&p.TotalBytesProcessed)
		default:
			err = d.Decode(&ignored)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Token() // a response that is cut off has no end
	return err
}

// rows reads the list of rows. The memory of a row serves the next one.
func rows(d *json.Decoder, row *json.RawMessage, f func(row []byte) error) error {
	if t, err := d.Token(); err != nil || t == nil { // null is none
		return err
	}
	for d.More() {
		if err := d.Decode(row); err != nil {
			return err
		}
		if err := f(*row); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// tableField is a column of a table or a result.
type tableField struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Mode        string `json:"mode"`
	Description string `json:"description"`
}

// columnType is the type of the column.
func (f *tableField) columnType() catalog.Type {
	t := columnType(f.Type)
	if f.Mode == "REPEATED" {
		t.Dims = 1
	}
	return t
}

// bytes is how many bytes the job reads, or would read.
func (p *page) bytes() int64 {
	n, _ := strconv.ParseInt(p.TotalBytesProcessed, 10, 64)
	return n
}

// dryRun is how many bytes a query would read.
func (s *Source) dryRun(ctx context.Context, q queryRequest) (int64, error) {
	p, err := s.tried(ctx, q)
	return p.bytes(), err
}

// tried is what a dry run says of a query. It costs nothing.
func (s *Source) tried(ctx context.Context, q queryRequest) (*page, error) {
	q.DryRun = true
	q.Location = s.client.options.Location
	if len(q.QueryParameters) > 0 {
		q.ParameterMode = "NAMED"
	}
	return s.page(ctx, http.MethodPost, "/queries", nil, q, func([]byte) error { return nil })
}

// run runs a query and calls f for each row, which is valid until f returns. What the query reads is added to scan. It
// returns the columns of the result.
func (s *Source) run(ctx context.Context, q queryRequest, scan *backend.Scan, f func(row []byte) error) ([]tableField, error) {
	q.TimeoutMs = waitTime.Milliseconds()
	q.JobTimeoutMs = strconv.FormatInt(s.client.options.JobTimeout.Milliseconds(), 10)
	q.Location = s.client.options.Location
	q.RequestID = rand.Text() // a request that is sent again is the same job
	if n := s.client.options.MaximumBytesBilled; n > 0 {
		q.MaximumBytesBilled = strconv.FormatInt(n, 10)
	}
	if len(q.QueryParameters) > 0 {
		q.ParameterMode = "NAMED"
	}
	ended := false // only a job that has ended has rows
	read := func(row []byte) error {
		ended = true
		return f(row)
	}
	p, err := s.page(ctx, http.MethodPost, "/queries", nil, q, read)
	job, columns, counted := p.JobReference, p.Schema.Fields, false
	defer func() {
		if !ended && job.JobID != "" {
			s.cancel(ctx, job.JobID, job.Location)
		}
	}()
	for {
		if len(p.Schema.Fields) > 0 {
			columns = p.Schema.Fields
		}
		if ended = ended || p.JobComplete; ended && !counted {
			counted = true
			scan.Add(p.bytes())
			s.scanned.Add(q.purpose, p.bytes())
		}
		if err != nil || p.JobComplete && p.PageToken == "" {
			return columns, err
		}
		if job.JobID == "" {
			return columns, errResponse
		}
		values := url.Values{"timeoutMs": {strconv.FormatInt(waitTime.Milliseconds(), 10)}}
		if job.Location != "" {
			values.Set("location", job.Location)
		}
		if p.PageToken != "" {
			values.Set("pageToken", p.PageToken)
		}
		p, err = s.page(ctx, http.MethodGet, "/queries/"+url.PathEscape(job.JobID), values, nil, read)
	}
}

// page asks for a page. With an error, it has what was read of it.
func (s *Source) page(ctx context.Context, method, path string, query url.Values, body any, f func(row []byte) error) (*page, error) {
	p := &page{}
	return p, s.client.stream(ctx, method, path, query, body, func(r io.Reader) error { return p.read(r, f) })
}

// cancel ends a job that nothing waits for any more.
func (s *Source) cancel(ctx context.Context, job, location string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	query := url.Values{}
	if location != "" {
		query.Set("location", location)
	}
	_, _ = s.client.call(ctx, http.MethodPost, "/jobs/"+url.PathEscape(job)+"/cancel", query)
}

// labelsOf are the labels of the job of a request.
func labelsOf(a *backend.Args) map[string]string {
	labels := map[string]string{}
	if a.Session != nil && a.Session.Role != "" {
		labels["engine_role"] = label(a.Session.Role)
	}
	if a.Operation != "" {
		labels["engine_operation"] = label(a.Operation)
	}
	return labels
}

// maxLabel is the greatest length of the value of a label.
const maxLabel = 63

// label is a text as the value of a label, which takes few characters.
func label(text string) string {
	text = strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '-':
			return c
		}
		return '_'
	}, strings.ToLower(text))
	return text[:min(len(text), maxLabel)]
}
