// Command query-executor runs the query-executor service in a process of its own.
package main

import (
	"queryengine/pkg/config"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
	queryexecutor "queryengine/services/query-executor"
)

func main() {
	program.Main(config.QueryExecutor, queryexecutor.Check, func(e *program.Env) (lifecycle.Service, error) {
		return queryexecutor.New(queryexecutor.ReadConfig(e.Values), queryexecutor.Deps{
			Bus:     e.Bus,
			Decoder: e.Decoder,
			Logger:  e.Logger,
			Metrics: e.Metrics,
			Tracing: e.Tracing,
		})
	})
}
