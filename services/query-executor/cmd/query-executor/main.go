// Command query-executor runs the query-executor service in a process of its own.
package main

import (
	"queryengine/pkg/config"
	"queryengine/pkg/program"
	queryexecutor "queryengine/services/query-executor"
)

func main() {
	program.Main(config.QueryExecutor, queryexecutor.Check, queryexecutor.Build)
}
