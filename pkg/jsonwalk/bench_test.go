package jsonwalk_test

import (
	"strings"
	"testing"

	"queryengine/pkg/jsonwalk"
)

var (
	// request is as clients send it.
	request = []byte(`{"operationName":"Orders","query":"query Orders($id: Int!, $n: Int) {\n  orders(where: {customer: {_eq: $id}}, limit: $n) {\n    id\n    note\n    lines { id product { name price } }\n  }\n}\n","variables":{"id":12345,"n":20,"tags":["a","b"]}}`)
	// rows are as remote schemas answer.
	rows = []byte(`[` + strings.Repeat(`{"id":12345,"name":"a name of some length","price":12.50,"stock":true,"tags":["a","b"]},`, 100) + `null]`)
	// long is a text of some kilobytes.
	long = []byte(`{"a":"` + strings.Repeat("lorem ipsum dolor ", 500) + `","b":1}`)
)

func BenchmarkParse(b *testing.B) {
	b.SetBytes(int64(len(request)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := jsonwalk.Parse(request)
		if err != nil {
			b.Fatal(err)
		}
		_ = v.Members(func(key []byte, m jsonwalk.Value) error {
			if m.Kind == jsonwalk.String {
				_ = m.Text()
			}
			return nil
		})
	}
}

func BenchmarkFields(b *testing.B) {
	for name, text := range map[string][]byte{"rows": rows, "long": long, "request": request} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				walkAll(text)
			}
		})
	}
}

func walkAll(v []byte) {
	switch jsonwalk.KindOf(v) {
	case jsonwalk.Object:
		_ = jsonwalk.Fields(v, func(_, value []byte) error { walkAll(value); return nil })
	case jsonwalk.Array:
		_ = jsonwalk.Items(v, func(_ int, value []byte) error { walkAll(value); return nil })
	}
}
