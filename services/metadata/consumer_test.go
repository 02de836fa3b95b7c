package metadata

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// example begin

// change is a message of the stream METADATA.
type change struct {
	StreamID  string   `json:"stream_id"`
	Version   int64    `json:"version"`
	Base      int64    `json:"base"`
	Reference bool     `json:"reference"`
	Objects   []object `json:"objects"`
}

type object struct {
	Kind, Source, Schema, Name, Op string
	Value                          json.RawMessage
}

// key says which object it is: a later message with the same key replaces it.
func (o object) key() [4]string { return [4]string{o.Kind, o.Source, o.Schema, o.Name} }

// consume keeps the objects that the stream describes, and calls seen after each version.
func consume(ctx context.Context, js jetstream.JetStream, seen func(version int64, objects map[[4]string]json.RawMessage)) error {
	consumer, err := js.OrderedConsumer(ctx, "METADATA", jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, messages.Stop)
	objects := map[[4]string]json.RawMessage{}
	for {
		m, err := messages.Next()
		if err != nil {
			return err
		}
		var c change
		if err := json.Unmarshal(m.Data(), &c); err != nil {
			return err
		}
		for _, o := range c.Objects {
			if o.Op == "set" {
				objects[o.key()] = o.Value
				continue
			}
			delete(objects, o.key())
			for k := range objects { // what belongs to a source goes with it
				if o.Kind == "source" && k[1] == o.Source && (k[0] == "table" || k[0] == "function") {
					delete(objects, k)
				}
			}
		}
		seen(c.Version, objects)
	}
}

// example end

func TestConsumerOfTheDocumentation(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("consumer_test.go")
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(source), "// example begin\n\n")
	text, _, _ = strings.Cut(text, "\n// example end")
	page, err := os.ReadFile("../../docs/metadata-stream.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "```go\n"+text+"```")

	w, i := startShop(t)
	i.ok(t, track)
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`)
	nc, err := nats.Connect("", nats.InProcessServer(w.nats))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var tables []string
	_ = consume(ctx, js, func(version int64, objects map[[4]string]json.RawMessage) {
		if version < i.version() {
			return
		}
		for k, v := range objects {
			if k[0] == "table" {
				tables = append(tables, string(v))
			}
		}
		cancel()
	})
	require.Equal(t, []string{`{"table":{"name":"kind","schema":"public"}}`}, tables)
}
