package api

import (
	"fmt"
	"strconv"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/snapshot"
	"queryengine/services/gateway/internal/reply"
)

// maxFollowers is how many clients may follow the metadata by one gateway.
const maxFollowers = 100

// followMetadata answers with server-sent events: one for the version of the metadata that is in effect, unless the client
// names it, and one for each later version that this gateway takes over. Versions that follow each other faster than the client
// reads are reported as the newest of them, so that nothing is kept for a slow one.
func followMetadata(x *exchange) error {
	if err := x.authenticateAdmin(); err != nil {
		return err
	}
	known, err := x.knownVersion()
	if err != nil {
		return err
	}
	if x.api.followers.Add(1) > maxFollowers {
		x.api.followers.Add(-1)
		e := apierror.Newf(apierror.Busy, "too many clients follow the metadata: at most %d may", maxFollowers)
		e.RetryAfter = 5
		return e
	}
	defer x.api.followers.Add(-1)
	x.beginEvents()
	return x.sendVersions(known)
}

// knownVersion is the version that the client has, 0 for none.
func (x *exchange) knownVersion() (int64, error) {
	text := x.r.URL.Query().Get("resource_version")
	if text == "" {
		text = x.r.Header.Get("Last-Event-ID") // of clients that connect again by themselves
	}
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil || version < 0 {
		return 0, apierror.At(apierror.New(apierror.BadRequest, "the version is no whole number"), "resource_version")
	}
	return version, nil
}

// sendVersions sends each version that isn't the known one, until the session ends, the client goes or the gateway stops.
func (x *exchange) sendVersions(known int64) error {
	expiry, cancel := x.expiry()
	defer cancel()
	tick := time.NewTicker(eventsEvery)
	defer tick.Stop()
	var told *snapshot.Snapshot
	for {
		current, changed := x.api.Metadata.Latest()
		if current != nil && current != told && (told != nil || current.Version != known) {
			if _, err := x.Write(appendVersion(nil, current)); err != nil {
				return err
			}
		}
		told = current
		if err := x.stream.Flush(); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-tick.C:
			if _, err := x.Write([]byte(":\n\n")); err != nil {
				return err
			}
		case <-expiry.Done():
			x.failure = errExpired
			_, err := x.Write(append(reply.AppendAPIError([]byte("event: error\ndata: "), errExpired, false), "\n\n"...))
			return err
		case <-x.api.stopping:
			return nil
		case <-x.ctx.Done():
			return x.ended()
		}
	}
}

// appendVersion appends the event of a version. Its id is what a client names that connects again.
func appendVersion(b []byte, s *snapshot.Snapshot) []byte {
	return fmt.Appendf(b, "event: version\nid: %d\ndata: {\"resource_version\":%d,\"is_consistent\":%t}\n\n", s.Version, s.Version, len(s.Inconsistent) == 0)
}
