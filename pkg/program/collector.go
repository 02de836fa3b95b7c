package program

import (
	"os"
	"runtime/debug"

	"queryengine/pkg/config"
)

// heapGrowth is how much garbage may pile up before it is collected, in percent of what is
// in use. A service holds a few tens of MB, so that Go's default of 100 would collect many
// times a second under load; what this costs in memory is bounded by the same small heap.
const heapGrowth = 300

// tuneCollector applies heapGrowth where the operator has not decided otherwise with GOGC.
// A gateway of its own keeps Go's default: it promises to hold little of a large answer,
// whose frames become garbage as fast as they come.
func tuneCollector(name config.Service) {
	if name != config.Gateway && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
