package gateway

import (
	"net/http"
	"strings"

	"queryengine/services/gateway/internal/console"
	"queryengine/services/gateway/internal/reply"
)

// ConsolePath is where the page of the console is, with all that it loads below it.
const ConsolePath = console.Path

// ConsoleHandler serves the console for a program that forwards its requests to a gateway. The project is
// what the page has to know about the directory that the program writes to.
func ConsoleHandler(project string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := consoleFile(w.Header(), r, project)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(body) // the client may have left
	})
}

func consoleFile(h http.Header, r *http.Request, project string) ([]byte, error) {
	name, isAsset := strings.CutPrefix(r.URL.Path, console.AssetsPath+"/")
	if !isAsset {
		return console.Page(h, project)
	}
	asset, err := console.Open(name)
	if err != nil {
		return nil, err
	}
	return asset.Body(h, reply.Takes(r.Header["Accept-Encoding"], reply.Gzip)), nil
}
