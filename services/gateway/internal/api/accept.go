package api

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"queryengine/services/gateway/internal/request"
)

// eventsType is the content type of server-sent events.
const eventsType = "text/event-stream"

// wantsEvents reports whether the answer is to be a stream of server-sent events: for a
// subscription when the client accepts one, for anything else only when the client accepts
// no JSON. Several clients name both types in the header of each of their requests.
func wantsEvents(h http.Header, r request.GraphQL) bool {
	accepted := h["Accept"]
	if !slices.ContainsFunc(accepted, mayNameEvents) {
		return false
	}
	var json, events bool
	for _, line := range accepted {
		for item := range strings.SplitSeq(line, ",") {
			kind, parameters, err := mime.ParseMediaType(item)
			if err != nil || refusedByWeight(parameters["q"]) {
				continue
			}
			switch kind {
			case eventsType:
				events = true
			case "application/json", "application/graphql-response+json", "application/graphql+json", "application/*", "*/*":
				json = true
			}
		}
	}
	return events && (!json || request.IsSubscription(r.Query, r.OperationName))
}

// mayNameEvents spares most requests the reading of their header.
func mayNameEvents(line string) bool { return strings.Contains(strings.ToLower(line), eventsType) }

// refusedByWeight reports whether a weight is zero, which means that a client does not accept a type
// (RFC 9110, section 12.4.2).
func refusedByWeight(q string) bool {
	weight, err := strconv.ParseFloat(q, 64)
	return err == nil && weight == 0
}
