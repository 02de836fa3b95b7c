// Command metadata runs the metadata service in a process of its own.
package main

import (
	"queryengine/pkg/config"
	"queryengine/pkg/program"
	"queryengine/services/metadata"
)

func main() {
	program.Main(config.Metadata, metadata.Check, metadata.Build)
}
