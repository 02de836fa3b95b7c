package api

import (
	"net/http"
	"strings"
	"sync/atomic"

	document "queryengine/pkg/metadata"
)

// forwarding knows whether a document passes headers of clients on to webhooks and the like.
type forwarding struct{ last atomic.Pointer[forwards] }

type forwards struct {
	document *document.Document
	any      bool
}

func (f *forwarding) of(d *document.Document) bool {
	last := f.last.Load()
	if last == nil || last.document != d {
		last = &forwards{document: d, any: d.ForwardsClientHeaders()}
		f.last.Store(last)
	}
	return last.any
}

// clientHeaders are the headers of a request for the executor, nil as long as no definition
// passes any on. host is what net/http takes out of them.
func (a *API) clientHeaders(h http.Header, host string) map[string]string {
	current := a.Metadata.Current()
	if current == nil || current.Document == nil || !a.forwarding.of(current.Document) {
		return nil
	}
	headers := make(map[string]string, len(h)+1)
	for name, values := range h {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	if host != "" {
		headers["host"] = host
	}
	return headers
}
