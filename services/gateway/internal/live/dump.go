package live

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

// maxDump bounds an executor's list of its subscriptions.
const maxDump = 64 << 20

// Dump is what the executors do for subscriptions: a JSON list with an element for each of
// them. extended adds the cohorts.
func (c *Client) Dump(ctx context.Context, extended bool) ([]byte, error) {
	c.mu.Lock()
	instances := slices.Sorted(maps.Keys(c.executors))
	c.mu.Unlock()
	var list bytes.Buffer
	list.WriteByte('[')
	for i, instance := range instances {
		_, pollers, err := c.config.Bus.CallMessage(ctx, bus.LiveDump(instance), &queryv1.LiveDumpRequest{Extended: extended}, nil, maxDump)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			list.WriteByte(',')
		}
		list.Write(pollers)
	}
	list.WriteByte(']')
	return list.Bytes(), nil
}
