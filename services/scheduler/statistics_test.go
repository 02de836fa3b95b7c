package scheduler

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/telemetry"
	deliveryv1 "queryengine/proto/delivery/v1"
)

func TestStatistics(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, err := telemetry.NewLog(&out, "info", nil)
	require.NoError(t, err)
	l := log.Logger("scheduler")
	batch := func(kind deliveryv1.Kind, n int) []bus.Outgoing {
		list := make([]bus.Outgoing, n)
		for i := range list {
			list[i].Delivery = &deliveryv1.Delivery{Kind: kind}
		}
		return list
	}
	var s statistics
	start := time.Date(2015, 3, 1, 9, 0, 0, 0, time.UTC)
	s.published(batch(deliveryv1.Kind_KIND_CRON, 2), start, l)
	s.published(nil, start.Add(time.Hour), l)
	require.Empty(t, out.String())
	s.published(batch(deliveryv1.Kind_KIND_ONE_OFF, 1), start.Add(statisticsEvery), l)
	require.Contains(t, out.String(), `"type":"scheduled-trigger-process","detail":`+
		`{"num_cron_events_fetched":2,"num_one_off_scheduled_events_fetched":1,"num_fetches":2}}`)
}
