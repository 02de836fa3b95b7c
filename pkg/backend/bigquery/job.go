package bigquery

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/backend"
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
}

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
	Rows                []json.RawMessage `json:"rows"`
	PageToken           string            `json:"pageToken"`
	TotalBytesProcessed string            `json:"totalBytesProcessed"`
}

// tableField is a column of a table or a result.
type tableField struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Mode        string `json:"mode"`
	Description string `json:"description"`
}

// bytes is how many bytes the job reads, or would read.
func (p *page) bytes() int64 {
	n, _ := strconv.ParseInt(p.TotalBytesProcessed, 10, 64)
	return n
}

// dryRun is how many bytes a query would read. It costs nothing.
func (s *Source) dryRun(ctx context.Context, q queryRequest) (int64, error) {
	q.DryRun = true
	q.Location = s.client.options.Location
	if len(q.QueryParameters) > 0 {
		q.ParameterMode = "NAMED"
	}
	p, err := s.page(ctx, http.MethodPost, "/queries", nil, q)
	if err != nil {
		return 0, err
	}
	return p.bytes(), nil
}

// run runs a query and calls f for each row, which is valid until f returns. What the query reads is added to scan.
func (s *Source) run(ctx context.Context, q queryRequest, scan *backend.Scan, f func(columns []tableField, row []byte) error) ([]tableField, error) {
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
	p, err := s.page(ctx, http.MethodPost, "/queries", nil, q)
	if err != nil {
		return nil, err
	}
	job := p.JobReference
	columns := p.Schema.Fields
	ended := false
	defer func() {
		if !ended && job.JobID != "" {
			s.cancel(ctx, job.JobID, job.Location)
		}
	}()
	for {
		if len(p.Schema.Fields) > 0 {
			columns = p.Schema.Fields
		}
		if p.JobComplete {
			if !ended {
				scan.Add(p.bytes())
			}
			ended = true
			for _, row := range p.Rows {
				if err := f(columns, row); err != nil {
					return columns, err
				}
			}
			if p.PageToken == "" {
				return columns, nil
			}
		}
		values := url.Values{"timeoutMs": {strconv.FormatInt(waitTime.Milliseconds(), 10)}}
		if job.Location != "" {
			values.Set("location", job.Location)
		}
		if p.PageToken != "" {
			values.Set("pageToken", p.PageToken)
		}
		if p, err = s.page(ctx, http.MethodGet, "/queries/"+url.PathEscape(job.JobID), values, nil); err != nil {
			return columns, err
		}
	}
}

func (s *Source) page(ctx context.Context, method, path string, query url.Values, body any) (*page, error) {
	received, err := s.client.call(ctx, method, path, query, body)
	if err != nil {
		return nil, err
	}
	var p page
	return &p, json.Unmarshal(received, &p)
}

// cancel ends a job that nothing waits for any more.
func (s *Source) cancel(ctx context.Context, job, location string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	query := url.Values{}
	if location != "" {
		query.Set("location", location)
	}
	_, _ = s.client.call(ctx, http.MethodPost, "/jobs/"+url.PathEscape(job)+"/cancel", query, nil)
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
