package limits

// slots are the seconds of a minute.
const slots = 60

// maxClients bounds the clients that are counted.
const maxClients = 100_000

// window counts the requests of the last minute, second by second.
type window struct {
	counts [slots]uint32
	sum    int
	// newest is the second of the newest count.
	newest int64
}

// advance drops counts older than a minute.
func (w *window) advance(second int64) {
	if second <= w.newest {
		return // a clock that was set back counts into the newest second
	}
	for s := max(w.newest+1, second-slots+1); s <= second; s++ {
		w.sum -= int(w.counts[s%slots])
		w.counts[s%slots] = 0
	}
	w.newest = second
}

// take counts a request of a client, unless there were limit of them.
func (k *Keeper) take(client string, limit int) bool {
	second := k.now().Unix()
	k.mu.Lock()
	defer k.mu.Unlock()
	w := k.windows[client]
	if w == nil {
		if len(k.windows) >= maxClients {
			k.forget(second)
		}
		w = &window{newest: second}
		k.windows[client] = w
	}
	w.advance(second)
	if w.sum >= limit {
		return false
	}
	w.counts[w.newest%slots]++
	w.sum++
	return true
}

// forget frees entries: clients that were idle for a minute are dropped and, if there are none, any
// half of them. A client can make up many addresses, so refusing new ones would let it lock out the
// others.
func (k *Keeper) forget(second int64) {
	for client, w := range k.windows {
		if w.newest <= second-slots {
			delete(k.windows, client)
		}
	}
	for client := range k.windows {
		if len(k.windows) <= maxClients/2 {
			return
		}
		delete(k.windows, client)
	}
}
