package natsserver

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// logger passes what operators must know on to slog, the server's notices as debug lines,
// and remembers the newest error for the one who started the server.
type logger struct {
	log  *slog.Logger
	mu   sync.Mutex
	last string
	// warned is when a failed login was last warned of.
	warned time.Time
}

// loginNotice is how often failed logins are warned of: strangers make them, and must not fill the log.
const loginNotice = time.Minute

func newLogger(log *slog.Logger) *logger {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &logger{log: log}
}

func (l *logger) Noticef(format string, v ...any) { l.log.Debug(message(format, v)) }
func (l *logger) Warnf(format string, v ...any)   { l.log.Warn(message(format, v)) }
func (l *logger) Errorf(format string, v ...any)  { l.fail(message(format, v)) }
func (l *logger) Fatalf(format string, v ...any)  { l.keep(message(format, v)) }
func (l *logger) Debugf(string, ...any)           {}
func (l *logger) Tracef(string, ...any)           {}

func (l *logger) fail(text string) {
	if !strings.Contains(text, "authentication error") {
		l.keep(text)
		return
	}
	l.mu.Lock()
	first := time.Since(l.warned) >= loginNotice
	if first {
		l.warned = time.Now()
	}
	l.mu.Unlock()
	if first {
		l.log.Warn(text)
	} else {
		l.log.Debug(text)
	}
}

func (l *logger) keep(text string) {
	l.mu.Lock()
	l.last = text
	l.mu.Unlock()
	l.log.Error(text)
}

// fault is the newest error, "" for none.
func (l *logger) fault() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

func message(format string, v []any) string {
	return "nats: " + strings.TrimSpace(fmt.Sprintf(format, v...))
}
