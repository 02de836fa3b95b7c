package metadata

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/snapshot"
	"queryengine/services/metadata/internal/apply"
)

// waitUntilSeen waits until every live gateway knows of a change, so that the client's next
// request sees it whichever gateway it reaches. It fails when some do not in time: the change is
// committed and takes effect once they hear of it, but a client that revokes a permission must
// not take it for gone already.
func (s *Service) waitUntilSeen(ctx context.Context, state *apply.State) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.SeenTimeout)
	defer cancel()
	began := time.Now()
	behind, live := s.audience.Wait(ctx, state.StreamID, state.Version)
	s.metrics.seen.Observe(time.Since(began).Seconds())
	if behind == 0 {
		return nil
	}
	e := snapshot.NotInEffect(state.Version, fmt.Sprintf("%d of %d gateways do not know it", behind, live))
	s.deps.Logger.WarnContext(ctx, "change is not effective yet", "version", state.Version, "gateways", live, "behind", behind, "publisher", s.publisher.Status())
	return e
}

// admit refuses a change while earlier ones wait to be published: it could not take effect either, and
// would only lengthen the time in which the metadata and the running services differ.
func (s *Service) admit(ctx context.Context) error {
	version, waits, err := s.stuck(ctx)
	if err != nil || version == 0 {
		return err
	}
	return apierror.Newf(apierror.Unexpected, "nothing was changed: %v, and later changes can't take effect before it", waiting(version, waits)).
		WithStatus(http.StatusServiceUnavailable)
}

// stuck returns the oldest version that should have been published, by whichever process, and
// for how long it has waited; 0 for none. A process that has just started has not had the time
// to publish what it found.
func (s *Service) stuck(ctx context.Context) (version int64, waits time.Duration, err error) {
	if time.Since(s.began) < s.config.SeenTimeout {
		return 0, 0, nil
	}
	version, waits, err = s.store.Oldest(ctx)
	if err != nil || waits < s.config.SeenTimeout {
		return 0, 0, err
	}
	return version, waits, nil
}

func waiting(version int64, waits time.Duration) error {
	return fmt.Errorf("resource version %d has waited for %s to be published to NATS", version, waits.Round(time.Second))
}
