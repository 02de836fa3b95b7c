package bus

import (
	"fmt"
	"strconv"
	"strings"
)

// oldestServer is the first version of the NATS server that keeps acknowledged messages
// in every crash we know of, and that stores several messages as one.
const oldestServer = "2.12.7"

func checkServer(version string) error {
	if version == "" || olderThan(version, oldestServer) {
		return fmt.Errorf("the NATS server has version %q, and %s or newer is needed", version, oldestServer)
	}
	return nil
}

// olderThan compares versions by their three numbers; what follows a "-" does not count.
func olderThan(version, than string) bool {
	a, b := versionNumbers(version), versionNumbers(than)
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func versionNumbers(version string) (n [3]int) {
	version, _, _ = strings.Cut(version, "-")
	for i, part := range strings.SplitN(version, ".", len(n)) {
		n[i], _ = strconv.Atoi(part) // what is no number is 0
	}
	return n
}
