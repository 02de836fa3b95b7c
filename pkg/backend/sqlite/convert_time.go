package sqlite

import (
	"bytes"
	"time"

	"queryengine/pkg/catalog"
)

// Times are stored as CURRENT_TIMESTAMP and the functions of SQLite write them: as text, in UTC, a
// fraction of a second only where there is one. So the order of the texts is that of the times.
const (
	storedDate  = "2006-01-02"
	storedClock = "15:04:05.999999"
	storedTime  = storedDate + " " + storedClock
)

// Forms that are read.
var (
	dateForms  = []string{"2006-01-02"}
	clockForms = []string{"15:04:05", "15:04"}
	timeForms  = []string{
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
		"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
	}
)

// convertTime reads a time in one of the forms that clients and session variables have, and "now".
func convertTime(t catalog.Type, text []byte) (value, error) {
	at, ok := timeOf(t, text)
	if !ok {
		return value{}, invalid(t.Name, text)
	}
	stored := storedTime
	switch t.Name {
	case "date":
		stored = storedDate
	case "time":
		stored = storedClock
	}
	return value{class: classText, text: at.AppendFormat(nil, stored)}, nil
}

// timeOf reads a time. Without a zone it is in UTC; the zone of a type without one is passed over.
func timeOf(t catalog.Type, text []byte) (time.Time, bool) {
	trimmed := string(bytes.TrimSpace(text))
	if trimmed == "now" || trimmed == "now()" {
		return time.Now().UTC().Round(time.Microsecond), true
	}
	var forms []string
	switch t.Name {
	case "date":
		forms = dateForms
		if len(trimmed) > len(storedDate) {
			forms = timeForms
		}
	case "time":
		forms = clockForms
	default:
		forms = timeForms
	}
	if len(trimmed) > len(storedDate) && trimmed[len(storedDate)] == ' ' && t.Name != "time" {
		// With a blank before the zone, too.
		trimmed = trimmed[:len(storedDate)] + "T" + string(bytes.ReplaceAll([]byte(trimmed[len(storedDate)+1:]), []byte(" "), nil))
	}
	for _, form := range forms {
		at, err := time.Parse(form, trimmed)
		if err != nil {
			continue
		}
		if t.Name == "timestamptz" {
			at = at.UTC()
		}
		at = at.Round(time.Microsecond)
		return at, at.Year() >= 0 && at.Year() <= 9999
	}
	return time.Time{}, false
}
