package scheduled

import (
	"context"
	"sync"

	deliveryv1 "queryengine/proto/delivery/v1"
)

// admission keeps events from being delivered twice. It is safe for concurrent use.
type admission struct {
	store *Store
	table table

	mu     sync.Mutex
	inHand map[string]struct{}
}

func newAdmission(s *Store, t table) *admission {
	return &admission{store: s, table: t, inHand: map[string]struct{}{}}
}

// Admit reports whether an event is still to be delivered: one that another worker had may have its
// outcome already, and one that is in progress here was only taken for lost.
func (a *admission) Admit(ctx context.Context, d *deliveryv1.Delivery, stale bool) (bool, error) {
	a.mu.Lock()
	_, held := a.inHand[d.GetEventId()]
	a.inHand[d.GetEventId()] = struct{}{}
	a.mu.Unlock()
	if held || !stale {
		return !held, nil
	}
	waits, err := a.store.waits(ctx, a.table, d.GetEventId(), int(d.GetTries()))
	if err != nil || !waits {
		a.Leave(d, false)
	}
	return waits, err
}

// Leave ends what Admit began.
func (a *admission) Leave(d *deliveryv1.Delivery, _ bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.inHand, d.GetEventId())
}
