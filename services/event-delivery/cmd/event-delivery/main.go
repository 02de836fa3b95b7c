// Command event-delivery runs the event-delivery service in a process of its own.
package main

import (
	"queryengine/pkg/config"
	"queryengine/pkg/program"
	eventdelivery "queryengine/services/event-delivery"
)

func main() {
	program.Main(config.EventDelivery, eventdelivery.Check, eventdelivery.Build)
}
