package api

import (
	"context"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/snapshot"
)

// seenPatience bounds the wait for the version of a change that metadata has answered.
const seenPatience = 10 * time.Second

// current is the newest metadata. It fails with status 503 before the first: a gateway without a
// version can't demand a minimum version of an answer, and doesn't know the limits.
func (a *API) current() (*snapshot.Snapshot, error) {
	if s := a.Metadata.Current(); s != nil {
		return s, nil
	}
	return nil, snapshot.NotArrived(nil, 0)
}

// MinVersion is the metadata version that a service must have to answer a request, the one that this
// gateway follows. It fails as current does.
func (a *API) MinVersion() (int64, error) {
	s, err := a.current()
	if err != nil {
		return 0, err
	}
	return s.Version, nil
}

// awaitChange waits until this gateway follows the version of a change, before the client is
// told that it is in effect. Without any metadata the gateway answers nothing by an older one.
func (x *exchange) awaitChange(version int64) error {
	if x.api.Metadata.Current() == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(x.ctx, seenPatience)
	defer cancel()
	if _, err := x.api.Metadata.WaitFor(ctx, version); err != nil {
		return snapshot.NotInEffect(version, "this gateway does not know it").WithInternal(apierror.From(err).Message)
	}
	return nil
}
