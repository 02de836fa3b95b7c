// Command scheduler runs the scheduler service in a process of its own.
package main

import (
	"queryengine/pkg/config"
	"queryengine/pkg/program"
	"queryengine/services/scheduler"
)

func main() {
	program.Main(config.Scheduler, scheduler.Check, scheduler.Build)
}
