package eventlog

import (
	"context"
	"encoding/json"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

const (
	eventColumns = `SELECT CONVERT(nvarchar(36), id), schema_name, table_name, trigger_name, payload, delivered, error, tries, created_at,
	locked, next_retry_at, archived FROM engine_catalog.event_log WHERE `
	invocationColumns = `SELECT id, trigger_name, CONVERT(nvarchar(36), event_id), status, request, response, created_at
	FROM engine_catalog.event_invocation_logs WHERE `

	// page is the part of a list that is requested.
	page = "DECLARE @take bigint = CAST(@p2 AS bigint), @skip bigint = CAST(@p3 AS bigint);\n"

	eventsSQL = page + eventColumns + `trigger_name = @p1 AND (@p4 = N'' OR archived = 0
		AND (@p4 = N'pending' AND delivered = 0 AND error = 0 OR @p4 = N'processed' AND (delivered = 1 OR error = 1)
		OR @p4 = N'delivered' AND delivered = 1 OR @p4 = N'failed' AND error = 1 AND delivered = 0))
	ORDER BY created_at DESC, sequence DESC OFFSET @skip ROWS FETCH NEXT @take ROWS ONLY`
	eventSQL       = eventColumns + `id = CAST(@p1 AS uniqueidentifier)`
	invocationPage = ` ORDER BY created_at DESC, id OFFSET @skip ROWS FETCH NEXT @take ROWS ONLY`
	invocationsSQL = page + invocationColumns + `trigger_name = @p1` + invocationPage
	countedSQL     = `SELECT created_at, status FROM engine_catalog.event_invocation_logs WHERE trigger_name = @p1
	AND created_at >= CAST(@p2 AS datetimeoffset(7)) AND created_at < CAST(@p3 AS datetimeoffset(7)) ORDER BY created_at`
	backlogsSQL = `SELECT trigger_name, COUNT(*), COUNT(locked), MIN(created_at) FROM engine_catalog.event_log
	WHERE ` + unfinished + ` GROUP BY trigger_name ORDER BY trigger_name`
	ofEventSQL = page + invocationColumns + `event_id = CAST(@p1 AS uniqueidentifier)` + invocationPage
)

// event is an event as the API shows it.
type event struct {
	ID        string          `json:"id"`
	Schema    string          `json:"schema_name"`
	Table     string          `json:"table_name"`
	Trigger   string          `json:"trigger_name"`
	Payload   json.RawMessage `json:"payload"`
	Delivered bool            `json:"delivered"`
	Error     bool            `json:"error"`
	Tries     int64           `json:"tries"`
	CreatedAt *string         `json:"created_at"`
	Locked    *string         `json:"locked"`
	RetryAt   *string         `json:"next_retry_at"`
	Archived  bool            `json:"archived"`
}

// invocation is an invocation as the API shows it.
type invocation struct {
	ID        string          `json:"id"`
	Trigger   *string         `json:"trigger_name"`
	Event     *string         `json:"event_id"`
	Status    json.RawMessage `json:"http_status"`
	Request   json.RawMessage `json:"request"`
	Response  json.RawMessage `json:"response"`
	CreatedAt *string         `json:"created_at"`
}

// readEvents reads events, in the order of the statement.
func readEvents(ctx context.Context, r Runner, text string, values ...[]byte) ([]event, error) {
	list := []event{}
	err := r.Run(ctx, text, values, func(row [][]byte) error {
		e := event{
			ID: string(row[0]), Schema: string(row[1]), Table: string(row[2]), Trigger: string(row[3]), Payload: raw(row[4]),
			Delivered: set(row[5]), Error: set(row[6]), Tries: numberOf(row[7]), Archived: set(row[11]),
		}
		e.CreatedAt, e.Locked, e.RetryAt = stamp(row[8]), stamp(row[9]), stamp(row[10])
		list = append(list, e)
		return nil
	})
	return list, err
}

func readInvocations(ctx context.Context, r Runner, text string, values ...[]byte) ([]invocation, error) {
	list := []invocation{}
	err := r.Run(ctx, text, values, func(row [][]byte) error {
		list = append(list, invocation{
			ID: string(row[0]), Trigger: optional(row[1]), Event: optional(row[2]), Status: raw(row[3]),
			Request: raw(row[4]), Response: raw(row[5]), CreatedAt: stamp(row[6]),
		})
		return nil
	})
	return list, err
}

func set(cell []byte) bool { return string(cell) == "true" || string(cell) == "1" }

func optional(cell []byte) *string {
	if cell == nil {
		return nil
	}
	s := string(cell)
	return &s
}

// raw is a JSON that is stored as a text; what isn't JSON is a text.
func raw(cell []byte) json.RawMessage {
	switch {
	case cell == nil:
		return json.RawMessage("null")
	case json.Valid(cell):
		return append(json.RawMessage{}, cell...)
	}
	text, _ := json.Marshal(string(cell)) // a text has a JSON
	return text
}

// stamp is a time as the API shows it.
func stamp(cell []byte) *string {
	if cell == nil {
		return nil
	}
	s := string(cell)
	if t, err := at(cell); err == nil {
		s = t.UTC().Format(time.RFC3339Nano)
	}
	return &s
}

// Events of a trigger, the newest first.
func (l *Log) Events(ctx context.Context, q backend.EventQuery) (json.RawMessage, error) {
	list := []event{}
	n, err := version(ctx, l.db)
	if err == nil && n > 0 && q.Limit > 0 {
		list, err = readEvents(ctx, l.db, eventsSQL, []byte(q.Trigger), number(q.Limit), number(q.Offset), []byte(q.Status))
	}
	return encoded(list, err)
}

// EventInvocations of a trigger, the newest first.
func (l *Log) EventInvocations(ctx context.Context, q backend.EventQuery) (json.RawMessage, error) {
	list := []invocation{}
	n, err := version(ctx, l.db)
	if err == nil && n > 0 && q.Limit > 0 {
		list, err = readInvocations(ctx, l.db, invocationsSQL, []byte(q.Trigger), number(q.Limit), number(q.Offset))
	}
	return encoded(list, err)
}

// EventByID is an event with its invocations.
func (l *Log) EventByID(ctx context.Context, id string, limit, offset int) (json.RawMessage, error) {
	var found struct {
		Event       event        `json:"event"`
		Invocations []invocation `json:"invocations"`
	}
	n, err := version(ctx, l.db)
	var list []event
	if err == nil && n > 0 && idForm.MatchString(id) {
		list, err = readEvents(ctx, l.db, eventSQL, []byte(id))
	}
	if err == nil && len(list) == 0 {
		err = apierror.Newf(apierror.NotExists, "event id %s does not exist", id)
	}
	found.Invocations = []invocation{}
	if err == nil && limit > 0 {
		found.Invocations, err = readInvocations(ctx, l.db, ofEventSQL, []byte(id), number(limit), number(offset))
	}
	if err != nil {
		return nil, err
	}
	found.Event = list[0]
	return encoded(found, nil)
}

// CountEventInvocations counts the invocations of a trigger by intervals. It reads them in their order and
// keeps the counts alone.
func (l *Log) CountEventInvocations(ctx context.Context, q backend.InvocationCountQuery) ([]backend.InvocationCount, error) {
	n, err := version(ctx, l.db)
	if err != nil || n == 0 {
		return nil, err
	}
	var counts []backend.InvocationCount
	values := [][]byte{[]byte(q.Trigger), q.From.UTC().AppendFormat(nil, time.RFC3339Nano), q.To.UTC().AppendFormat(nil, time.RFC3339Nano)}
	err = l.db.Run(ctx, countedSQL, values, func(row [][]byte) error {
		made, err := at(row[0])
		if err != nil {
			return err
		}
		interval := int(made.Sub(q.From)/time.Second) / q.Interval
		if len(counts) == 0 || counts[len(counts)-1].Interval != interval {
			counts = append(counts, backend.InvocationCount{Interval: interval})
		}
		last := &counts[len(counts)-1]
		if status := numberOf(row[1]); status >= 200 && status < 300 {
			last.Succeeded++
		} else {
			last.Failed++
		}
		return nil
	})
	return counts, err
}

// EventBacklogs are what each trigger has still to deliver.
func (l *Log) EventBacklogs(ctx context.Context) ([]backend.EventBacklog, error) {
	n, err := version(ctx, l.db)
	if err != nil || n == 0 {
		return nil, err
	}
	var list []backend.EventBacklog
	err = l.db.Run(ctx, backlogsSQL, nil, func(row [][]byte) error {
		oldest, err := at(row[3])
		if err != nil {
			return err
		}
		taken := numberOf(row[2])
		list = append(list, backend.EventBacklog{
			Trigger: string(row[0]), Pending: numberOf(row[1]) - taken, InFlight: taken, Oldest: oldest.UTC(),
		})
		return nil
	})
	return list, err
}

func encoded(v any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}
