package request_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/request"
)

func TestIsSubscription(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		document, operation string
		want                bool
	}{
		{`subscription { a }`, "", true},
		{"\ufeff # query { a }\n\tsubscription Name($x: Int = 1) @d { a }", "", true},
		{`subscription Name { a }`, "Name", true},
		{`subscription Name { a }`, "Other", false},
		{`query A { subscription } subscription B { a }`, "B", true},
		{`query A { subscription } subscription B { a }`, "A", false},
		{`query A($o: t = {x: "}"}) { a(s: """ \""" } """) { b } } subscription B { a }`, "B", true},
		{`mutation { a }`, "", false},
		{`{ subscription { a } }`, "", false},
		{`{ a } subscription B { a }`, "B", true},
		{`fragment subscription on t { a } subscription B { ...subscription }`, "", true},
		{`subscription`, "", true},
		{`query ($o: t = {x: 1`, "B", false},
		{`"subscription`, "", false},
		{``, "", false},
	} {
		require.Equal(t, c.want, request.IsSubscription(c.document, c.operation), c.document)
	}
}
