package table

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/logtype"
	"queryengine/pkg/telemetry"
)

func TestStatistics(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, err := telemetry.NewLog(&out, "info", nil)
	require.NoError(t, err)
	l := telemetry.Of(log.Logger("event-delivery"), logtype.EventTriggerProcess)
	var s statistics
	start := time.Date(2015, 3, 1, 9, 0, 0, 0, time.UTC)
	s.taken("main", 3, start, l)
	s.taken("other", 1, start.Add(9*time.Minute), l)
	require.Empty(t, out.String())
	s.taken("main", 4, start.Add(10*time.Minute), l)
	require.Contains(t, out.String(), `"type":"event-trigger-process","detail":{"num_events_fetched":{"main":7,"other":1},"num_fetches":3}}`)
	out.Reset()
	s.taken("main", 4, start.Add(11*time.Minute), l)
	require.Empty(t, out.String())
}
