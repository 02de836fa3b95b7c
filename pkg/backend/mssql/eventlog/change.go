package eventlog

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

const (
	// installedSQL are the triggers of some names, with the schemas that they are in.
	installedSQL = `SELECT s.name, t.name FROM sys.triggers AS t JOIN sys.objects AS o ON o.object_id = t.parent_id
	JOIN sys.schemas AS s ON s.schema_id = o.schema_id
	WHERE t.name COLLATE DATABASE_DEFAULT IN (SELECT value COLLATE DATABASE_DEFAULT FROM OPENJSON(@p1))`
	archiveSQL = `UPDATE engine_catalog.event_log SET archived = 1 WHERE archived = 0 AND trigger_name IN (SELECT value COLLATE DATABASE_DEFAULT FROM OPENJSON(@p1))`
	unplanSQL  = `DELETE FROM engine_catalog.engine_event_log_cleanups
	WHERE status = N'scheduled' AND trigger_name IN (SELECT value COLLATE DATABASE_DEFAULT FROM OPENJSON(@p1))`
	invokeSQL = `INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
	OUTPUT CONVERT(nvarchar(36), INSERTED.id) VALUES (@p1, @p2, @p3, @p4)`
	busySQL = `SELECT CASE WHEN locked > DATEADD(second, -CAST(@p2 AS int), SYSUTCDATETIME()) THEN 1 ELSE 0 END
	FROM engine_catalog.event_log WITH (UPDLOCK) WHERE id = CAST(@p1 AS uniqueidentifier)`
	redeliverSQL = `UPDATE engine_catalog.event_log SET delivered = 0, error = 0, tries = 0, next_retry_at = SYSUTCDATETIME()
	WHERE id = CAST(@p1 AS uniqueidentifier)`
)

// texts is a list of texts as one parameter.
func texts(list []string) []byte {
	if list == nil {
		list = []string{}
	}
	raw, _ := json.Marshal(list) // texts have a JSON
	return raw
}

// ChangeEventTriggers does all of the changes or none of them.
func (l *Log) ChangeEventTriggers(ctx context.Context, c backend.EventTriggerChanges) error {
	return l.db.InTransaction(ctx, func(r Runner) error { return l.Change(ctx, r, c) })
}

// Change is ChangeEventTriggers in an open transaction.
func (l *Log) Change(ctx context.Context, r Runner, c backend.EventTriggerChanges) error {
	if c.Empty() {
		return nil
	}
	for i := range c.Install {
		if err := check(&c.Install[i]); err != nil {
			return err
		}
	}
	names := slices.Concat(c.Drop, c.Remake)
	for _, t := range c.Install {
		names = append(names, t.Name)
	}
	if err := drop(ctx, r, names); err != nil {
		return err
	}
	if len(c.Install) > 0 {
		if err := prepare(ctx, r); err != nil {
			return err
		}
	} else if n, err := version(ctx, r); err != nil || n == 0 {
		return err
	}
	for i := range c.Install {
		t := &c.Install[i]
		for _, op := range operations {
			o := operationOf(t, op)
			if o == nil {
				continue
			}
			if err := r.Run(ctx, triggerSQL(t, op, o), nil, nil); err != nil {
				return err
			}
		}
	}
	if len(c.Drop) > 0 {
		if err := r.Run(ctx, archiveSQL, [][]byte{texts(c.Drop)}, nil); err != nil {
			return err
		}
	}
	if gone := slices.Concat(c.Drop, c.Replan); len(gone) > 0 {
		return r.Run(ctx, unplanSQL, [][]byte{texts(gone)}, nil)
	}
	return nil
}

// triggerNames are the names of all triggers that some event triggers may have.
func triggerNames(names []string) []string {
	all := []string{}
	for _, n := range names {
		for _, op := range operations {
			all = append(all, triggerName(n, op))
		}
	}
	return all
}

// drop removes the triggers of event triggers, on whatever tables they are.
func drop(ctx context.Context, r Runner, names []string) error {
	var drops []string
	err := r.Run(ctx, installedSQL, [][]byte{texts(triggerNames(names))}, func(row [][]byte) error {
		drops = append(drops, "DROP TRIGGER "+name(string(row[0]))+"."+name(string(row[1])))
		return nil
	})
	for _, text := range drops {
		if err == nil {
			err = r.Run(ctx, text, nil, nil)
		}
	}
	return err
}

// InstalledEventTriggers are the installed ones of the names, with how many they have.
func (l *Log) InstalledEventTriggers(ctx context.Context, names []string) (map[string]int, error) {
	of := map[string]string{}
	for _, n := range names {
		for _, op := range operations {
			of[triggerName(n, op)] = n
		}
	}
	installed := map[string]int{}
	err := l.db.Run(ctx, installedSQL, [][]byte{texts(triggerNames(names))}, func(row [][]byte) error {
		if n, known := of[string(row[1])]; known {
			installed[n]++
		}
		return nil
	})
	return installed, err
}

// InvokeEventTrigger writes an event that no row has made.
func (l *Log) InvokeEventTrigger(ctx context.Context, e backend.ManualEvent) (id string, err error) {
	variables := json.RawMessage("null")
	if e.Session != nil {
		variables = e.Session.JSON()
	}
	payload, err := json.Marshal(struct {
		Op   string `json:"op"`
		Data struct {
			Old json.RawMessage `json:"old"`
			New json.RawMessage `json:"new"`
		} `json:"data"`
		Session json.RawMessage `json:"session_variables"`
		Trace   json.RawMessage `json:"trace_context"`
	}{Op: "MANUAL", Session: variables, Data: struct {
		Old json.RawMessage `json:"old"`
		New json.RawMessage `json:"new"`
	}{New: e.Payload}})
	if err != nil {
		return "", err
	}
	err = l.db.InTransaction(ctx, func(r Runner) error {
		if err := prepare(ctx, r); err != nil { // a trigger that is only manual has installed nothing
			return err
		}
		var err error
		id, err = value(ctx, r, invokeSQL, []byte(e.Table.Schema), []byte(e.Table.Name), []byte(e.Trigger), payload)
		return err
	})
	return id, err
}

// idForm matches the text of an id.
var idForm = regexp.MustCompile(`^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// RedeliverEvent makes an event as if it had never been tried.
func (l *Log) RedeliverEvent(ctx context.Context, id string) error {
	return l.db.InTransaction(ctx, func(r Runner) error {
		n, err := version(ctx, r)
		if err != nil {
			return err
		}
		busy := ""
		if n > 0 && idForm.MatchString(id) {
			if busy, err = value(ctx, r, busySQL, []byte(id), seconds(backend.EventLease)); err != nil {
				return err
			}
		}
		switch busy {
		case "":
			return apierror.New(apierror.NotExists, "event not found")
		case "1":
			return apierror.New(apierror.Busy, "event is already being processed")
		}
		return r.Run(ctx, redeliverSQL, [][]byte{[]byte(id)}, nil)
	})
}
