package bus

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// callToken is a call's token in its reply subject: the number of the call, how many unacknowledged
// frames are allowed and how many milliseconds are left, 0 for no limit. Header fields for these would
// be a quarter of the cost of a small call.
func callToken(number uint64, window int, left time.Duration) string {
	b := make([]byte, 0, 32)
	b = strconv.AppendUint(b, number, 36)
	b = strconv.AppendInt(append(b, '-'), int64(window), 10)
	b = strconv.AppendInt(append(b, '-'), left.Milliseconds(), 10)
	return string(b)
}

// parseCallToken reads what callToken has written; what it can't read is a window of one
// frame, and no limit.
func parseCallToken(token string) (window int, left time.Duration) {
	_, limits, _ := strings.Cut(token, "-")
	frames, milliseconds, _ := strings.Cut(limits, "-")
	window, err := strconv.Atoi(frames)
	if err != nil || window < 1 {
		window = 1
	}
	ms, err := strconv.ParseInt(milliseconds, 10, 64)
	if err != nil || ms < 0 || ms > math.MaxInt64/int64(time.Millisecond) {
		ms = 0
	}
	return window, time.Duration(ms) * time.Millisecond
}

// A frame is one message from a responder to a caller. Its kind and number are in its subject, <reply
// subject>.<kind><number>, so that a payload is sent unchanged and never copied to prepend them.
type frameKind byte

const (
	frameHead    frameKind = 'h' // the head; numbered
	framePiece   frameKind = 'd' // a piece of the body, wants a credit back; numbered
	frameEnd     frameKind = 'f' // the last piece, maybe empty; numbered
	frameError   frameKind = 'e' // an error instead of an answer
	frameCutOff  frameKind = 'c' // an error behind a part of an answer
	frameRefused frameKind = 'r' // too much in progress
	frameAlive   frameKind = 'b' // still at work
	frameWant    frameKind = 'n' // the next part of the request, please

	// These are made by the caller's side.
	frameUnheard frameKind = '0' // the subject that was written to has no subscriber
	frameUnsent  frameKind = '-' // the request could not be sent
	frameBroken  frameKind = '!' // see remoteCall.broken
)

// frame is what a caller gets.
type frame struct {
	kind    frameKind
	number  uint32
	address string // where to write to the responder, in frames that want an answer
	data    []byte
}

// frameSubject is where a frame is sent.
func frameSubject(reply string, kind frameKind, number uint32) string {
	b := make([]byte, 0, len(reply)+12)
	b = append(b, reply...)
	b = append(b, '.', byte(kind))
	b = strconv.AppendUint(b, uint64(number), 10)
	return string(b)
}

// parseFrame reads a message whose subject, without the prefix of the replies, is tail.
func parseFrame(tail string, m *nats.Msg) (call string, f frame, ok bool) {
	call, kind, found := strings.Cut(tail, ".")
	if !found {
		return call, frame{kind: frameUnheard}, isNobody(m)
	}
	if kind == "" {
		return call, frame{}, false
	}
	number, err := strconv.ParseUint(kind[1:], 10, 32)
	f = frame{kind: frameKind(kind[0]), number: uint32(number), address: m.Reply, data: m.Data}
	return call, f, err == nil
}

// isNobody recognises the server's notice that a message had no receiver.
func isNobody(m *nats.Msg) bool {
	return len(m.Data) == 0 && len(m.Header) > 0 && m.Header.Get("Status") == "503"
}

// Messages from a caller to a responder, as the last token of the responder's address.
const (
	verbCredit = ".k" // a piece was taken
	verbStop   = ".x" // the answer is not wanted any more
	verbPart   = ".p" // a part of the request
	verbProbe  = ".a" // nothing: NATS reports subjects without a subscriber
)

// headerCarrier lets the trace context travel in NATS headers.
type headerCarrier nats.Header

func (h headerCarrier) Get(key string) string { return nats.Header(h).Get(key) }
func (h headerCarrier) Set(key, value string) { nats.Header(h).Set(key, value) }

func (h headerCarrier) Keys() []string {
	keys := make([]string, 0, len(h))
	for k := range h {
		keys = append(keys, k)
	}
	return keys
}
