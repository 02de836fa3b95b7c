package telemetry

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"queryengine/pkg/logtype"
)

// Format is how lines are written.
type Format string

const (
	// FormatJSON is one JSON object for each line, for programs.
	FormatJSON Format = "json"
	// FormatText is a line for people: time, level, what it is about, and the rest as
	// key=value.
	FormatText Format = "text"
	// FormatAuto is text on a terminal, else JSON.
	FormatAuto Format = "auto"
)

// For returns the format for an output: of FormatAuto the one that fits it.
func (f Format) For(out io.Writer) Format {
	if f != FormatAuto {
		return f
	}
	if file, ok := out.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return FormatText
		}
	}
	return FormatJSON
}

const (
	// maxTextValue cuts values in lines for people.
	maxTextValue = 300
	// typeWidth is how wide the column of types is.
	typeWidth = 20
)

// appendText appends a line for people.
func appendText(b []byte, line *Line) []byte {
	b = line.Time.AppendFormat(b, "15:04:05.000")
	b = append(b, ' ')
	b = appendPadded(b, strings.ToUpper(levelName(line.Level)), len("CRITICAL"))
	members := membersOf(line.Detail)
	if line.Type == logtype.HTTP {
		return append(appendRequest(appendPadded(b, string(line.Type), typeWidth), members), '\n')
	}
	about := string(line.Type)
	switch line.Type {
	case logtype.Unstructured:
		about = members.take("service")
	case logtype.Startup:
		if info := membersOf(members.raw("info")); len(info.keys) > 0 {
			members = info
		}
	}
	b = appendPadded(b, about, typeWidth)
	b = append(b, members.take("message")...)
	return append(members.appendRest(b), '\n')
}

func appendPadded(b []byte, text string, width int) []byte {
	b = append(b, text...)
	for range max(width-len(text), 0) + 1 {
		b = append(b, ' ')
	}
	return b
}

// appendRequest appends what came of a request: the detail of a line of the type http-log.
func appendRequest(b []byte, m *members) []byte {
	info, operation := membersOf(m.raw("http_info")), membersOf(m.raw("operation"))
	b = append(append(append(b, info.take("method")...), ' '), info.take("url")...)
	b = append(append(b, ' '), info.take("status")...)
	if took, err := strconv.ParseFloat(operation.take("query_execution_time"), 64); err == nil {
		b = append(strconv.AppendFloat(append(b, ' '), took*1000, 'f', 1, 64), "ms"...)
	}
	if size := operation.take("response_size"); size != "" && size != "null" {
		b = append(append(append(b, ' '), size...), 'B')
	}
	role := membersOf(operation.raw("user_vars")).take("x-engine-role")
	for _, pair := range [...][2]string{
		{"role", role}, {"ip", info.take("ip")}, {"request_id", operation.take("request_id")}, {"error", operation.take("error")},
	} {
		b = appendPair(b, pair[0], pair[1])
	}
	return b
}

// members are those of a JSON object in their order.
type members struct {
	keys   []string
	values []json.RawMessage
}

// membersOf splits a JSON object; anything else has no members.
func membersOf(object []byte) *members {
	m := &members{}
	d := json.NewDecoder(bytes.NewReader(object))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return m
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			break
		}
		name, _ := key.(string) // a key of an object is a string
		m.keys, m.values = append(m.keys, name), append(m.values, value)
	}
	return m
}

// raw is the value of a key, which is taken out; nil when it isn't there.
func (m *members) raw(key string) json.RawMessage {
	for i, k := range m.keys {
		if k == key {
			value := m.values[i]
			m.keys = append(m.keys[:i], m.keys[i+1:]...)
			m.values = append(m.values[:i], m.values[i+1:]...)
			return value
		}
	}
	return nil
}

// take is raw as text: a string without its quotes.
func (m *members) take(key string) string { return plain(m.raw(key)) }

func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

func (m *members) appendRest(b []byte) []byte {
	for i, key := range m.keys {
		b = appendPair(b, key, plain(m.values[i]))
	}
	return b
}

// appendPair appends key=value; values of nothing are left out.
func appendPair(b []byte, key, value string) []byte {
	if value == "" || value == "null" {
		return b
	}
	if len(value) > maxTextValue {
		value = strings.ToValidUTF8(value[:maxTextValue], "") + "…"
	}
	b = append(append(append(b, ' '), key...), '=')
	if strings.ContainsAny(value, " \t\r\n\"=") || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		if value[0] != '{' && value[0] != '[' {
			return strconv.AppendQuote(b, value)
		}
	}
	return append(b, value...)
}

// hidden reports whether a line is left out for people: it is longer than their screen.
func hidden(line *Line, level slog.Level) bool {
	return line.Type == logtype.Startup && level > slog.LevelDebug &&
		bytes.HasPrefix(line.Detail, []byte(`{"kind":"server_configuration"`))
}
