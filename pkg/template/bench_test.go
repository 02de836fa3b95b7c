package template

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const benchTemplate = `{
	"count": {{ size($body.input.tags) }},
	"text": "n={{ $body.n }} {{ $body.input.who ?? "unknown" }}",
	"list": {{ range i, t := $body.input.tags }} {"i": {{ i }}, "t": {{ toUpper(t) }}} {{ end }}
}`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := Parse(benchTemplate)
		require.NoError(b, err)
	}
}

func BenchmarkRender(b *testing.B) {
	parsed, err := Parse(benchTemplate)
	require.NoError(b, err)
	e := scope(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := parsed.Render(e)
		require.NoError(b, err)
	}
}
