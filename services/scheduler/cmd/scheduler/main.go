// Command scheduler runs the scheduler service in a process of its own.
package main

import (
	"queryengine/pkg/config"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
	"queryengine/services/scheduler"
)

func main() {
	program.Main(config.Scheduler, scheduler.Check, func(e *program.Env) (lifecycle.Service, error) {
		return scheduler.New(scheduler.ReadConfig(e.Values), scheduler.Deps{Bus: e.Bus, Decoder: e.Decoder, Logger: e.Logger})
	})
}
