package bench

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// Request is one of the measured queries, for tests that count resources instead of time.
type Request struct {
	Name, About string
	// Headers identify the caller besides the admin's secret; empty for the admin.
	Headers map[string]string
	// Body makes the body of one request.
	Body func() []byte
	// Check returns what is wrong with an answer.
	Check func(answer []byte) error
	Write bool
}

// Permissions are the metadata operations that Requests need besides the sample's metadata.
const Permissions = rolePermissions

// Requests are all queries that are measured, without those of more than 100 rows to write.
func Requests() []Request {
	var invoice atomic.Int64
	invoice.Store(firstNewInvoice)
	c := newClient(0, 1)
	var list []Request
	for _, q := range queries(&invoice) {
		if q.most != 0 {
			continue
		}
		list = append(list, Request{
			Name: q.name, About: q.about, Headers: headerFields(q.headers), Check: q.check, Write: q.write,
			Body: func() []byte { return fmt.Appendf(nil, `{"query":%s,"variables":%s}`, q.encoded, q.variables(c)) },
		})
	}
	return list
}

func headerFields(lines string) map[string]string {
	fields := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(lines, "\r\n"), "\r\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			fields[name] = value
		}
	}
	return fields
}
