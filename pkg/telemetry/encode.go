package telemetry

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"strconv"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
)

// appendComma separates what follows from the member before it, if there is one.
func appendComma(b []byte) []byte {
	if len(b) == 0 || b[len(b)-1] == '{' {
		return b
	}
	return append(b, ',')
}

// appendAttr appends an attribute as a member of an object.
func appendAttr(b []byte, a slog.Attr) []byte {
	value := a.Value.Resolve()
	if a.Key == "" && value.Kind() != slog.KindGroup {
		return b
	}
	if value.Kind() != slog.KindGroup {
		b = append(jsontext.AppendString(appendComma(b), a.Key), ':')
		return appendValue(b, value)
	}
	members := value.Group()
	if a.Key != "" {
		b = append(jsontext.AppendString(appendComma(b), a.Key), ":{"...)
	}
	for _, m := range members {
		b = appendAttr(b, m)
	}
	if a.Key != "" {
		b = append(b, '}')
	}
	return b
}

// appendValue appends a value that is no group. Durations are seconds.
func appendValue(b []byte, v slog.Value) []byte {
	switch v.Kind() {
	case slog.KindString:
		return jsontext.AppendString(b, v.String())
	case slog.KindInt64:
		return strconv.AppendInt(b, v.Int64(), 10)
	case slog.KindUint64:
		return strconv.AppendUint(b, v.Uint64(), 10)
	case slog.KindBool:
		return strconv.AppendBool(b, v.Bool())
	case slog.KindFloat64:
		return appendFloat(b, v.Float64())
	case slog.KindDuration:
		return appendFloat(b, v.Duration().Seconds())
	case slog.KindTime:
		return append(v.Time().AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
	}
	return appendAny(b, v.Any())
}

func appendFloat(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

func appendAny(b []byte, v any) []byte {
	_, marshals := v.(json.Marshaler)
	if err, ok := v.(error); ok && !marshals {
		return jsontext.AppendString(b, apierror.Text(err))
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return jsontext.AppendString(b, "cannot be logged: "+err.Error())
	}
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte{'\n'})...)
}
