package api

import (
	"context"
	"net/http"

	"queryengine/pkg/bus"
)

// answers are those that executors have cached; a *bus.Cache.
type answers interface {
	// Clear removes those of a family and key; an empty one stands for all.
	Clear(ctx context.Context, family, key string) error
	// Purge removes those with a tag.
	Purge(ctx context.Context, tag string) error
}

// clearCache removes cached answers: all, or by tags, by a family, or by a key.
func clearCache(x *exchange) error {
	if err := x.authenticateAdmin(); err != nil {
		return err
	}
	query := x.r.URL.Query()
	family, key := query.Get("family"), query.Get("key")
	known := func(s string) bool { return s == "" || bus.IsToken(s) }
	switch tags := query["tag"]; {
	case x.api.Answers == nil:
	case len(tags) > 0:
		for _, tag := range tags {
			if err := x.api.Answers.Purge(x.ctx, tag); err != nil {
				return err
			}
		}
	case known(family) && known(key):
		if err := x.api.Answers.Clear(x.ctx, family, key); err != nil {
			return err
		}
	}
	x.api.validators.clear()
	x.send(jsonType, http.StatusOK, []byte(`{"message":"success"}`))
	return nil
}
