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
}

// clearCache removes cached answers: all, those of a family, or the one of a key.
func clearCache(x *exchange) error {
	if err := x.authenticateAdmin(); err != nil {
		return err
	}
	query := x.r.URL.Query()
	family, key := query.Get("family"), query.Get("key")
	known := func(s string) bool { return s == "" || bus.IsToken(s) }
	if x.api.Answers != nil && known(family) && known(key) {
		if err := x.api.Answers.Clear(x.ctx, family, key); err != nil {
			return err
		}
	}
	x.api.validators.clear()
	x.send(jsonType, http.StatusOK, []byte(`{"message":"success"}`))
	return nil
}
