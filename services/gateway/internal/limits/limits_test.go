package limits

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

func document(limits string) *metadata.Document {
	doc := metadata.Empty()
	doc.APILimits = json.RawMessage(limits)
	return doc
}

func user(variables ...string) *session.Session {
	s := &session.Session{Role: "user", Variables: map[string]string{}}
	for i := 0; i < len(variables); i += 2 {
		s.Variables[variables[i]] = variables[i+1]
	}
	return s
}

func code(err error) apierror.Code {
	if err == nil {
		return ""
	}
	return apierror.From(err).Code
}

func TestBatch(t *testing.T) {
	t.Parallel()
	k := NewKeeper()
	doc := document(`{"batch_limit":{"global":3,"per_role":{"guest":1}}}`)
	require.NoError(t, k.Of(doc, user()).Batch(3))
	require.EqualError(t, k.Of(doc, user()).Batch(4),
		"batch-limit-exceeded at $: batch limit exceeded: the batch has 4 operations, the limit is 3")
	require.Error(t, k.Of(doc, &session.Session{Role: "guest"}).Batch(2))
	require.NoError(t, k.Of(doc, &session.Session{Role: session.Admin}).Batch(100), "no limit holds for admin")
	require.NoError(t, k.Of(document(`{"disabled":true,"batch_limit":{"global":3}}`), user()).Batch(4))
	require.NoError(t, k.Of(document(``), user()).Batch(4))
	require.NoError(t, k.Of(nil, user()).Batch(4), "before there is metadata")
}

func TestRateIsOfTheLastMinute(t *testing.T) {
	t.Parallel()
	k := NewKeeper()
	now := time.Unix(1_000_000, 0)
	k.now = func() time.Time { return now }
	doc := document(`{"rate_limit":{"global":{"max_reqs_per_min":3}}}`)
	ask := func() apierror.Code { return code(k.Of(doc, user()).Rate("1.2.3.4")) }
	require.Empty(t, ask())
	now = now.Add(30 * time.Second)
	require.Empty(t, ask())
	require.Empty(t, ask())
	require.Equal(t, apierror.RateLimitExceeded, ask())
	now = now.Add(29 * time.Second)
	require.Equal(t, apierror.RateLimitExceeded, ask())
	now = now.Add(time.Second)
	require.Empty(t, ask(), "the first one is a minute old")
	require.Equal(t, apierror.RateLimitExceeded, ask())
	now = now.Add(-10 * time.Second)
	require.Equal(t, apierror.RateLimitExceeded, ask(), "a clock that is set back gives nothing")
	now = now.Add(100 * time.Second)
	for range 3 {
		require.Empty(t, ask())
	}
	require.Equal(t, apierror.RateLimitExceeded, ask())
}

func TestRateTellsClientsApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		unique             string
		same, other        *session.Session
		address, elsewhere string
	}{
		"by role":      {`null`, user(), &session.Session{Role: "other"}, "a", "a"},
		"by address":   {`"IP"`, user(), user(), "a", "b"},
		"by variables": {`["X-Engine-User-Id"]`, user("x-engine-user-id", "1"), user("x-engine-user-id", "2"), "a", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := NewKeeper()
			doc := document(`{"rate_limit":{"global":{"max_reqs_per_min":1,"unique_params":` + c.unique + `}}}`)
			require.NoError(t, k.Of(doc, c.same).Rate(c.address))
			require.Equal(t, apierror.RateLimitExceeded, code(k.Of(doc, c.same).Rate(c.address)))
			require.NoError(t, k.Of(doc, c.other).Rate(c.elsewhere))
		})
	}
}

func TestClientsAreBounded(t *testing.T) {
	t.Parallel()
	k := NewKeeper()
	now := time.Unix(1_000_000, 0)
	k.now = func() time.Time { return now }
	for i := range maxClients + 10 {
		require.True(t, k.take(strconv.Itoa(i), 1))
	}
	require.LessOrEqual(t, len(k.windows), maxClients)
	now = now.Add(time.Minute)
	k.forget(now.Unix())
	require.Empty(t, k.windows)
}

func TestTime(t *testing.T) {
	t.Parallel()
	k := NewKeeper()
	doc := document(`{"time_limit":{"global":0.01}}`)
	ctx, finish := k.Of(doc, user()).Time(t.Context())
	<-ctx.Done()
	require.EqualError(t, finish(ctx.Err()),
		"time-limit-exceeded at $: time limit exceeded: the operation took longer than 0.01 seconds")

	other := errors.New("another fault")
	ctx, finish = k.Of(document(`{"time_limit":{"global":100}}`), user()).Time(t.Context())
	_, limited := ctx.Deadline()
	require.True(t, limited)
	require.Equal(t, other, finish(other))
	require.Error(t, ctx.Err(), "the bound ends with the operation")

	// The deadline may pass earlier where the work is done.
	elsewhere := apierror.New(apierror.Timeout, "the request took too long")
	_, finish = k.Of(document(`{"time_limit":{"global":0.05}}`), user()).Time(t.Context())
	require.ErrorContains(t, finish(elsewhere), "time-limit-exceeded")
	_, finish = k.Of(document(`{"time_limit":{"global":100}}`), user()).Time(t.Context())
	require.Equal(t, error(elsewhere), finish(elsewhere), "a time-out of another kind")

	canceled, cancel := context.WithCancel(t.Context())
	ctx, finish = k.Of(document(`{"time_limit":{"global":100}}`), user()).Time(canceled)
	cancel()
	<-ctx.Done()
	require.Equal(t, context.Canceled, finish(ctx.Err()), "a client that goes is no excess")
}
