// Command gateway runs the gateway service in a process of its own.
package main

import (
	"queryengine/pkg/config"
	"queryengine/pkg/program"
	"queryengine/services/gateway"
)

func main() {
	program.Main(config.Gateway, gateway.Check, gateway.Build)
}
