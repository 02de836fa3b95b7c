package api

import (
	"context"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/snapshot"
)

// seenPatience bounds the wait for the version of a change that metadata has answered.
const seenPatience = 10 * time.Second

// current is the newest metadata. It fails with status 503 before the first: a gateway that
// knows of no version can't say which one an answer must not be older than, nor which limits
// hold.
func (a *API) current() (*snapshot.Snapshot, error) {
	if s := a.Metadata.Current(); s != nil {
		return s, nil
	}
	return nil, snapshot.NotArrived(nil, 0)
}

// MinVersion is the version of the metadata that whoever answers a request must know, the one
// that this gateway follows. It fails as current does.
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
