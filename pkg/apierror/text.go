package apierror

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Text words err for an operator, in a log line: an Error in it is its message and where it was
// found. The code is for programs, and is left out.
func Text(err error) string { return word(err, (*Error).text) }

// Detailed words err for an operator as Text does, with the detail that clients don't see, for
// the end of a program.
func Detailed(err error) string {
	return word(err, func(e *Error) string {
		text := e.text()
		if detail := e.detail(); detail != "" {
			text += ": " + detail
		}
		return text
	})
}

// word is the text of err with the Error that it wraps, if any, worded by of.
func word(err error, of func(*Error) string) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return strings.Replace(err.Error(), e.Error(), of(e), 1)
}

func (e *Error) text() string {
	if e.Path == "$" || e.Path == "" {
		return e.Message
	}
	return e.Message + " (at " + e.Path + ")"
}

// Format implements fmt.Formatter: %+v, by which tests show errors that they don't expect, has the internal part, too.
func (e *Error) Format(to fmt.State, verb rune) {
	if verb == 'v' && to.Flag('+') {
		_, _ = io.WriteString(to, strings.TrimSpace(e.Error()+" "+string(e.InternalJSON())))
		return
	}
	_, _ = fmt.Fprintf(to, fmt.FormatString(to, verb), e.Error())
}

// LogValue implements slog.LogValuer: no log shows the internal part by the way.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// Detailer is detail with a short form in words.
type Detailer interface{ Detail() string }

// detail is Internal in words, "" for none.
func (e *Error) detail() string {
	switch v := e.Internal.(type) {
	case nil:
		return ""
	case string:
		return v
	case error:
		return v.Error()
	case Detailer:
		return v.Detail()
	}
	return string(e.InternalJSON())
}
