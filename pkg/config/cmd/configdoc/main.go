// Configdoc writes docs/configuration.md to standard output.
package main

import (
	"os"

	"queryengine/pkg/config"
)

func main() { config.WriteMarkdown(os.Stdout) }
