package live

import "hash/fnv"

// keyOf is what decides where a subscription goes: subscriptions with the same key may be run
// together.
func keyOf(role, query, operation string) uint64 {
	h := fnv.New64a()
	for _, s := range []string{role, query, operation} {
		_, _ = h.Write([]byte(s)) // it never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// score is how well an executor fits a key: of all executors the one with the highest score
// is chosen, so that one that goes moves none but its own subscriptions.
func score(key uint64, instance string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(instance))
	n := h.Sum64() ^ key
	// The finaliser of SplitMix64: every bit counts for every other.
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
