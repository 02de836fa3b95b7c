package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/request"
)

func TestWhenEventsAreSent(t *testing.T) {
	t.Parallel()
	query, subscription := request.GraphQL{Query: "{ a }"}, request.GraphQL{Query: "subscription { a }"}
	for name, c := range map[string]struct {
		accept              []string
		ofQuery, ofFollower bool
	}{
		"nothing":                     {nil, false, false},
		"anything":                    {[]string{"*/*"}, false, false},
		"JSON":                        {[]string{"application/json"}, false, false},
		"events alone":                {[]string{"text/event-stream"}, true, true},
		"urql":                        {[]string{"application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed"}, false, true},
		"Apollo":                      {[]string{"application/graphql-response+json,application/json;q=0.9"}, false, false},
		"events first":                {[]string{"text/event-stream, application/json"}, false, true},
		"events in capitals":          {[]string{"Text/Event-Stream"}, true, true},
		"events with a weight":        {[]string{"application/json, text/event-stream;q=0.1"}, false, true},
		"anything next to events":     {[]string{"text/event-stream, */*;q=0.1"}, false, true},
		"two headers":                 {[]string{"application/json", "text/event-stream"}, false, true},
		"events are refused":          {[]string{"application/json, text/event-stream;q=0"}, false, false},
		"JSON is refused":             {[]string{"text/event-stream, application/json;q=0.0"}, true, true},
		"what can't be read is aside": {[]string{"text/event-stream, ;;"}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{"Accept": c.accept}
			require.Equal(t, c.ofQuery, wantsEvents(h, query), "a query")
			require.Equal(t, c.ofFollower, wantsEvents(h, subscription), "a subscription")
		})
	}
}
