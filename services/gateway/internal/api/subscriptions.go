package api

import "net/http"

// showSubscriptions answers with what the executors do for subscriptions, as a list by
// executor; extended adds the cohorts.
func showSubscriptions(extended bool) handler {
	return func(x *exchange) error {
		if err := x.authenticateAdmin(); err != nil {
			return err
		}
		list, err := x.api.Live.Dump(x.ctx, extended)
		if err != nil {
			return err
		}
		x.send(jsonType, http.StatusOK, list)
		return nil
	}
}
